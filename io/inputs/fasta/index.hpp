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
