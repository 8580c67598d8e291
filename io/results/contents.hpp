// The contents of a finished result that checksums are made from, except the numbers of its datasets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/results/checksums.hpp"

namespace terrace::io {

/// A dataset in its stored form.
struct FoundDataset {
  StoredAs stored;                      // without tile; `type` is "other" if results have no such elements
  std::optional<std::int64_t> offset;   // of its first byte in the file; nullopt if no numbers, or chunked
  std::vector<std::string> texts = {};  // its values, if they are texts
  /// Names of its dimensions; empty if it has none, or their scales are damaged.
  std::vector<std::string> dimensions = {};
  std::string trouble = {};  // why it cannot be read; empty if it can
};

/// An attribute with its value.
struct FoundAttribute {
  StoredAs stored;
  std::vector<std::byte> content;  // as in the record
  std::string trouble = {};        // as above
};

/// By the names of the record.
struct ResultContents {
  std::map<std::string, FoundDataset> datasets;      // but scales that only stand for a dimension's length
  std::map<std::string, FoundAttribute> attributes;  // except those of HDF5's scales, and the record
  std::optional<std::string> record;                 // text of the root's attribute `checksums`
};

/// The library reads the file in a child (call_in_child): a damaged one may make it spin, crash or take any amount of
/// memory.
/// @throws IoError if that happens, the file cannot be opened as HDF5 or its objects cannot be listed
ResultContents read_contents(const std::filesystem::path& result);

}  // namespace terrace::io
