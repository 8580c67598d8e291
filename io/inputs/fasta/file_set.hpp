// A set of all records of a plain file of sequences, whose letters are read as they are wanted.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "io/inputs/fasta/index.hpp"
#include "io/inputs/fasta/record_set.hpp"

namespace terrace::io {

/// A letter of the set and its byte in the file.
struct LetterMark {
  std::int64_t letter, byte;
};

/// The first letter of each record that has any, and letters of long records, ascending: at most some 64 Ki letters
/// lie between two marks of a record.
class LetterMarks {
 public:
  /// Adds letters that stand side by side in the file. @param letter the first of them
  void add(std::int64_t letter, std::int64_t count, std::int64_t byte, bool begins_record);
  /// Adds a record by its entry in an index. @param letter its first one
  void add(std::int64_t letter, const IndexEntry& entry);

  /// The last mark at or before a letter. @param letter of the set, which is not empty
  std::size_t before(std::int64_t letter) const;
  /// The first mark at or behind a letter; size() if there is none.
  std::size_t behind(std::int64_t letter) const;
  const LetterMark& operator[](std::size_t number) const { return marks_[number]; }
  std::size_t size() const { return marks_.size(); }
  std::size_t memory() const { return marks_.capacity() * sizeof(LetterMark); }
  void shrink() { marks_.shrink_to_fit(); }

 private:
  std::vector<LetterMark> marks_;
};

/// The set of all records of a plain file, each turned round if the job says so. The file is read once, to know where
/// its records are, and whether all letters have complements if they are turned; if it has an index, and long
/// records, the index says where they are, and letters are looked at when they are read.
/// @param kind the setting that names the file
std::shared_ptr<Source> file_set_source(const Settings& settings, const char* kind, InputFile file, ReadRecords read,
                                        const OpenContext& context);

}  // namespace terrace::io
