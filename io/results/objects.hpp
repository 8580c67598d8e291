// Groups, datasets and attributes as a result file has them.
#pragma once

#include "io/hdf5/handle.hpp"
#include "io/results/file.hpp"

namespace terrace::io {

/// An open result file, with its path for messages.
class ResultObjects {
 public:
  /// @param file taken over; @param path for messages
  ResultObjects(Hdf5Handle file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}

  /// Makes a dataset at its full size with all groups above it. @param creation H5P_DATASET_CREATE list
  Hdf5Handle make_dataset(const DatasetSpec& dataset, hid_t type, const Hdf5Handle& creation) const;
  /// Removes a dataset if there is one of that name.
  void remove_dataset(const std::string& name) const;
  Hdf5Handle open_object(const std::string& name) const;
  /// Writes all of a dataset's values. @throws Error if they do not fill the shape
  void write_values(const Hdf5Handle& dataset, const SmallDataset& values) const;
  /// Writes a box of a dataset of numbers. @param values row-major, tightly packed
  void write_box(const Hdf5Handle& dataset, const DatasetSpec& spec, const Box& box, const void* values) const;
  void set_attribute(const Hdf5Handle& object, const Attribute& attribute) const;
  /// Writes and closes the file. @throws IoError
  void close();

  /// "result.h5, /align/table"
  std::string where(const std::string& object) const { return path_.string() + ", " + object; }

 private:
  Hdf5Handle file_;
  std::filesystem::path path_;
};

/// UTF-8 of any length.
Hdf5Handle hdf5_text_type();
/// A data space of the shape; scalar for rank 0.
Hdf5Handle hdf5_space(const Extents& shape);

}  // namespace terrace::io
