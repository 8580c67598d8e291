// Places of records and letters in files of sequences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "io/inputs/fasta/readers.hpp"

namespace terrace::io {

/// A file of sequences, whose places are found by reading it again: for errors and warnings alone. Records and
/// letters count from 0. A place is the path alone if the file has changed since, or cannot be read any more.
class RecordPlaces {
 public:
  RecordPlaces(std::filesystem::path path, ReadRecords read) : path_(std::move(path)), read_(read) {}

  /// "a.fa:3:2", line and column of a letter of the record as it stands in the file.
  std::string letter(std::size_t record, std::int64_t letter) const;
  /// "a.fa:2", line of the record's header.
  std::string record(std::size_t record) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  ReadRecords read_;
};

}  // namespace terrace::io
