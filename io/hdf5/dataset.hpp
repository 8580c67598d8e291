// One dataset of an HDF5 file, opened for reading.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"
#include "io/hdf5/stored_nodes.hpp"
#include "io/hdf5/stored_packing.hpp"
#include "io/known_range.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// Held while input datasets use the library, so that no thread is inside of it when a file is checked in a forked
/// child.
std::mutex& hdf5_input_mutex();

/// The place of a contiguous, uncompressed dataset of plain numbers in its file, the first of `files()`.
struct RawPlace {
  std::int64_t offset;
  bool big_endian;
};

/// The calls are not locked: callers hold `hdf5_input_mutex()`.
class Hdf5Dataset {
 public:
  /// @throws IoError if the file is damaged or no HDF5 file, or the dataset has elements that are no numbers
  /// @throws JobError (without a place) if there is no such dataset: the message lists the datasets. An empty name
  /// takes the only dataset of a file.
  /// @param cache_bytes the most that is kept of decoded chunks
  Hdf5Dataset(const std::string& path, const std::string& dataset, std::size_t cache_bytes);

  ElementType type() const { return type_; }
  const Extents& shape() const { return shape_; }
  /// True if its elements are texts, which read_texts() alone reads; their type() is that of numbers of names.
  bool texts() const { return texts_; }
  /// All elements, which are texts, in order. @throws IoError
  std::vector<std::string> read_texts() const;
  /// True if its elements are booleans (booleans.hpp).
  bool truths() const { return truths_; }
  /// "file.h5, dataset /a/b"
  const std::string& where() const { return where_; }
  /// The files that the elements come from: first the one that the dataset lies in, which another file may link to,
  /// then sources of a virtual dataset and external storage.
  const std::vector<std::filesystem::path>& files() const { return files_; }
  /// The range that its attributes state (stated_range.hpp).
  const std::optional<KnownRange>& stated() const { return stated_; }
  /// The packing that its attributes state (stored_packing.hpp).
  const StoredPacking& packing() const { return packing_; }
  /// What a result says of the nodes of its rows and columns.
  const StoredNodes& nodes() const { return nodes_; }
  /// True if it needs filters that are not there. What was stored without them can be read even so.
  bool misses_filters() const { return !missing_filters_.empty(); }
  /// The place for positioned reads of the elements, or nullopt if only the library can read them.
  std::optional<RawPlace> raw_place() const;
  /// Bytes that the library keeps for reads: chunks, decoded, and one on its way; of texts those of all of them.
  std::size_t memory() const;
  /// Copies a box into `buffer`. @throws IoError
  void read(const Box& box, void* buffer) const;
  /// Reads one element, if there is one. @throws IoError
  void read_first() const;
  /// Walks structures that may be cyclic in a damaged file: the index of all chunks, and the first and last element.
  void probe() const;

 private:
  void open_dataset(const std::string& path, const std::string& name);
  void read_shape();

  Hdf5Handle file_;
  Hdf5Handle dataset_;
  std::size_t cache_bytes_;
  std::string where_;
  ElementType type_ = ElementType::u8;
  bool truths_ = false, texts_ = false;
  Extents shape_;
  std::vector<std::filesystem::path> files_;
  std::optional<KnownRange> stated_;
  StoredPacking packing_;
  StoredNodes nodes_;
  std::string missing_filters_;  // what to say of them; empty where none is missing
};

/// The full names of a file's datasets, at most 1000. @throws IoError
std::vector<std::string> list_datasets(hid_t file, const std::string& where);

}  // namespace terrace::io
