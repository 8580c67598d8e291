// The values of a dataset or an attribute of an HDF5 file.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"

namespace terrace::io {

/// Either a dataset or an attribute, read with the same questions.
struct Hdf5Values {
  Hdf5Handle type, space;
  bool attribute;
  hid_t object;  // must stay open
  std::string where;

  /// Number of values. @throws IoError
  std::size_t count() const;
  /// Reads all values. @throws IoError
  void read(hid_t memory, void* buffer) const;
};

/// @throws IoError
Hdf5Values values_of_dataset(const Hdf5Handle& dataset, const std::string& where);
Hdf5Values values_of_attribute(const Hdf5Handle& attribute, const std::string& where);

/// All values, which are strings. @throws IoError
std::vector<std::string> read_strings(const Hdf5Values& values);

}  // namespace terrace::io
