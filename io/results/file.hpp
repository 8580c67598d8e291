// Result files: HDF5 whose large datasets are written in place, and whose small parts are added at the end.
//
// The life of a result file: `create_result` makes all large datasets at full size and closes the file; blocks write
// into the extents that it returns (BlockFile), and the file's metadata does not change, so that after a kill at any
// moment the file can be opened. `save_metadata` keeps a copy of the bytes outside the extents. `finish_result` adds
// everything small. If it was interrupted, `restore_metadata` restores the file's earlier state, and `finish_result`
// runs again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "io/files/entry.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// A named piece of information at a group or dataset.
struct Attribute {
  using Value = std::variant<std::string, std::int64_t, double, std::int16_t, std::int32_t, std::vector<std::int64_t>,
                             std::vector<double>, std::vector<std::string>>;
  std::string object;  // "/", "/align", "/align/table"
  std::string name;
  Value value;
};

/// Name and meaning of a dataset.
struct DatasetSpec {
  std::string path;  // "/align/table"; missing groups are made
  ElementType type = ElementType::f64;
  Extents shape;                        // rank 0: a scalar
  std::vector<std::string> dimensions;  // a name for each; dimensions of one name in one group have one length
  std::string units;                    // empty: none
  std::string long_name;                // empty: none
  /// The value of elements that hold none, as the attribute `_FillValue` in the dataset's type, i16, i32 or i64;
  /// nullopt: every element holds a value.
  std::optional<std::int64_t> no_value = {};
};

/// A dataset with its values, row-major, written at the end. Strings are UTF-8 of any length.
struct SmallDataset {
  DatasetSpec spec;  // `type` is ignored if the values are strings
  std::variant<std::vector<std::byte>, std::vector<std::string>> values;
};

/// A small dataset of numbers. @param values as many as `shape` has points
template <class T>
SmallDataset small_dataset(std::string path, const Extents& shape, std::vector<std::string> dimensions,
                           std::span<const T> values, std::string units = {}, std::string long_name = {}) {
  const auto bytes = std::as_bytes(values);
  return {
      {std::move(path), element_type_of<T>(), shape, std::move(dimensions), std::move(units), std::move(long_name)},
      std::vector<std::byte>(bytes.begin(), bytes.end())};
}
/// A number on its own.
template <class T>
SmallDataset small_scalar(std::string path, T value, std::string units = {}, std::string long_name = {}) {
  return small_dataset<T>(std::move(path), {}, {}, std::span<const T>(&value, 1), std::move(units),
                          std::move(long_name));
}
/// A string on its own.
SmallDataset small_text(std::string path, std::string value, std::string long_name = {});

/// Bytes [offset, offset + bytes) of a file.
struct FileExtent {
  std::int64_t offset = 0;
  std::int64_t bytes = 0;
};

/// The result of `create_result`.
struct CreatedResult {
  std::vector<std::optional<FileExtent>> extents;  // one per dataset, in order; nullopt if it is empty
  std::int64_t length = 0;                         // of the file
};

/// Makes the file (in place of one that is there) with the datasets at full size, without writing their elements:
/// the file is sparse. Elements are little-endian, row-major and contiguous; extents of a page and more start at a
/// multiple of 4096. Empty datasets are left to `finish_result`. Makes the file durable, not its name.
/// @throws Error on a path, name or shape that cannot be, IoError
CreatedResult create_result(const Entry& file, const std::vector<DatasetSpec>& datasets);

/// Copies the bytes of `result` outside of the extents, some KiB, with their checksum and the file's length, to the
/// file `copy`, durably. @throws IoError
void save_metadata(const Entry& result, const std::vector<FileExtent>& extents, const Entry& copy);

/// @throws IoError if restore_metadata() would find the copy missing or damaged
void check_metadata(const Entry& copy);

/// Puts the bytes back, cuts the file to its old length and makes it durable. May be repeated.
/// @throws IoError, also if the copy is damaged or the file is shorter than it was
void restore_metadata(const Entry& result, const Entry& copy);

/// Checksums of a large dataset's tiles (XXH3 of the packed elements), taken as they were written.
struct TileChecksums {
  Extents tile;                          // shape of a full tile
  std::vector<std::uint64_t> checksums;  // in row-major order of the tiles
};

/// Copies a box of a dataset into a buffer, row-major, tightly packed.
using LateContent = std::function<void(const Box& box, void* buffer)>;

/// All that is added to a result at its end.
struct Finish {
  /// As given to `create_result`, but perhaps shorter along the first axis: they get that shape, names, units and
  /// scales; empty ones are made.
  std::vector<DatasetSpec> large;
  std::vector<TileChecksums> tiles;  // of each of these, in order
  /// Of these, by path, those that `create_result` made empty and that hold something: what they hold.
  std::map<std::string, LateContent> late;
  std::vector<SmallDataset> small;
  std::vector<Attribute> attributes;
  std::string conventions = "CF-1.8";  // the root's attribute `Conventions`
};

/// Adds it all, closes the file and makes it durable. Every dimension gets a dimension scale in its dataset's group:
/// the one-dimensional dataset of that name if there is one, else a netCDF dimension without a variable, which
/// occupies no space however long it is. So xarray opens each group by its name. The record of checksums is added
/// (io/results/checksums.hpp); nothing is read back for it.
/// @throws Error on names that clash, a dataset that would become longer, values that do not fill their shape or
/// checksums that are not one a tile, IoError; the file is then to be restored
void finish_result(const Entry& file, Finish finish);

}  // namespace terrace::io
