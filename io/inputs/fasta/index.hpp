// Parts of large FASTA files, by their index.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "io/inputs/fasta/record.hpp"
#include "io/kept_memory.hpp"

namespace terrace::io {

/// A record by the line of an index.
struct IndexEntry {
  std::string name;
  std::int64_t length, offset;  // letters; byte of the first letter
  std::int64_t letters, bytes;  // of a full line; bytes with its end

  /// The byte of a letter, if all lines before it are full.
  std::int64_t byte_of(std::int64_t letter) const {
    return letters == 0 ? offset : offset + letter / letters * bytes + letter % letters;
  }
};

/// All records of the plain file by its index FILE.fai. Each begins and ends as the index says, and no other is
/// between them; lines are not looked at.
/// @param warn is told why an index is not used; null: nobody is
/// @return nullopt if there is no index, or it cannot be used, or records are so short that reading the file is as
/// fast
std::optional<std::vector<IndexEntry>> read_whole_index(const InputFile& file,
                                                        const std::function<void(const std::string&)>& warn);

/// A range of a record.
struct IndexedPart {
  std::vector<std::byte> letters;
  LetterRange range;
  std::string name;    // of the record
  std::size_t record;  // its number in the file
};

/// The setting `range` of the record that the job wants, read through the index FILE.fai: names, lengths, places and
/// lengths of lines, as samtools faidx writes it. Every line that is read must be as the index says, and the record
/// must begin and end where it says.
/// @param warn is told why an index is not used; null: nobody is
/// @return nullopt if there is no index, or it cannot be used: the file is then to be read whole
/// @throws JobError if the range does not lie in the record
std::optional<IndexedPart> read_indexed(const InputFile& file, const Settings& settings, const CheckKept& check_kept,
                                        const std::function<void(const std::string&)>& warn);

}  // namespace terrace::io
