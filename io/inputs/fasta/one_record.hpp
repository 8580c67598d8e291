// One record of a file of sequences as an input.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "io/inputs/fasta/place.hpp"
#include "io/inputs/fasta/readers.hpp"
#include "io/inputs/fasta/record.hpp"

namespace terrace::io {

/// The input that letters are, turned round if the job says so.
/// @param letters of the range @param name of the record @param record its number in the file
std::shared_ptr<Source> record_source(const Settings& settings, std::vector<std::byte> letters, LetterRange range,
                                      const std::string& name, std::size_t record, const RecordPlaces& places);

/// The record of a file that the job wants. @param kind the setting that names the file
std::shared_ptr<Source> chosen_record(const Settings& settings, const char* kind, const InputFile& file,
                                      ReadRecords read, const CheckKept& check_kept);

}  // namespace terrace::io
