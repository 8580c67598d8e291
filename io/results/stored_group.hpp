// Groups of a finished result, to be put into another result as they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/results/contents.hpp"
#include "io/results/file.hpp"

namespace terrace::io {

/// An attribute in its stored form.
struct StoredAttribute {
  std::string object;  // "/align", "/align/table"
  std::string name;
  StoredAs stored;
  std::vector<std::byte> content;  // as in the record of checksums
};

/// The attribute with its value. @throws Error if results have no such attributes
Attribute to_attribute(const StoredAttribute& attribute);

/// A dataset that was written tile by tile; its elements stay in the file.
struct StoredTiles {
  DatasetSpec spec;  // without units and descriptions, which are attributes here
  TileChecksums tiles;
  std::int64_t offset = 0;  // of its first byte in the file; 0 if it is empty
};

/// All that a group holds.
struct StoredGroup {
  std::vector<StoredTiles> large;
  std::vector<SmallDataset> small;  // specs as above
  std::vector<StoredAttribute> attributes;
};

/// A finished result with its record of checksums.
class StoredResult {
 public:
  /// Reads the small parts, in a child process as read_contents() does.
  /// @throws IoError if the file cannot be read or has no record of checksums
  explicit StoredResult(std::filesystem::path file);

  /// A text attribute of the root, if it is there and as it was written. @throws IoError if it was changed
  std::optional<std::string> text(const std::string& name) const;

  /// Names of the datasets in a group, sorted, as recorded: "/align/score".
  std::vector<std::string> datasets(const std::string& group) const;
  /// The first dataset or attribute that somebody has added to the file; nullopt if there is none.
  std::optional<std::string> added() const;

  /// The group "/<name>" with everything in it, compared with the record; elements of large datasets are not read.
  /// @param as the name that the group is given
  /// @throws IoError naming the first dataset or attribute that is not as it was written
  StoredGroup group(const std::string& name, const std::string& as) const;

 private:
  std::string where(const std::string& name) const { return file_.string() + ", " + name; }
  const FoundDataset& find(const RecordedChecksum& entry) const;
  void check_place(const RecordedChecksum& entry, const FoundDataset& found) const;
  std::vector<std::byte> numbers(const RecordedChecksum& entry, const FoundDataset& found) const;
  StoredTiles tiles(const RecordedChecksum& entry, const FoundDataset& found) const;
  SmallDataset small(const RecordedChecksum& entry, const FoundDataset& found) const;
  StoredAttribute attribute(const RecordedChecksum& entry) const;

  std::filesystem::path file_;
  ResultContents contents_;
  std::vector<RecordedChecksum> record_;
};

}  // namespace terrace::io
