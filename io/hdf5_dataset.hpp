// One dataset of an HDF5 file, opened for reading.
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5_handle.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// Held while input datasets use the library, so that no thread is inside of it when a file is checked in a forked
/// child.
std::mutex& hdf5_input_mutex();

/// Where a contiguous, uncompressed dataset of plain numbers lies in its file.
struct RawPlace {
  std::int64_t offset;
  bool big_endian;
};

/// The calls are not locked: callers hold `hdf5_input_mutex()`.
class Hdf5Dataset {
 public:
  /// @throws IoError where the file is damaged or no HDF5 file, or the dataset has elements that are no numbers
  /// @throws JobError (without a place) where there is no such dataset: the message lists what there is. An empty
  ///         name takes the only dataset of a file.
  /// @param cache_bytes the most of decoded chunks that is kept
  Hdf5Dataset(const std::string& path, const std::string& dataset, std::size_t cache_bytes);

  ElementType type() const { return type_; }
  const Extents& shape() const { return shape_; }
  /// "file.h5, dataset /a/b"
  const std::string& where() const { return where_; }
  /// Where positioned reads find the elements; nothing where only the library can read them.
  std::optional<RawPlace> raw_place() const;
  /// Bytes that the library keeps for reads: chunks, decoded, and one on its way.
  std::size_t memory() const;
  /// Copies a box into `buffer`. @throws IoError
  void read(const Box& box, void* buffer) const;
  /// Walks what a damaged file may have turned into a ring: the index of all chunks, and the first and last element.
  void probe() const;

 private:
  void open_dataset(const std::string& path, const std::string& name);
  void read_shape();

  Hdf5Handle file_;
  Hdf5Handle dataset_;
  std::size_t cache_bytes_;
  std::string where_;
  ElementType type_ = ElementType::u8;
  Extents shape_;
};

/// The full names of a file's datasets, at most 1000. @throws IoError
std::vector<std::string> list_datasets(hid_t file, const std::string& where);

}  // namespace terrace::io
