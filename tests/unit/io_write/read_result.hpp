// Reads results back through HDF5.
#pragma once

#include <hdf5_hl.h>

#include <catch2/catch.hpp>

#include "io/hdf5/handle.hpp"
#include "tests/unit/io_write/sample_result.hpp"

namespace terrace::io {

inline Hdf5Handle open_result(const std::filesystem::path& path) {
  const Hdf5Handle access = hdf5_file_access();
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), path, "cannot be opened"};
}

template <class T>
std::vector<T> read_dataset(const Hdf5Handle& file, const std::string& name, hid_t type) {
  const Hdf5Handle dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), name, "cannot be opened");
  const Hdf5Handle space(H5Dget_space(dataset.get()), name, "has no space");
  std::vector<T> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space.get())));
  if (!values.empty()) {
    check_hdf5(H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), name, "cannot be read");
  }
  return values;
}

inline std::vector<std::string> read_texts(const Hdf5Handle& file, const std::string& name) {
  const Hdf5Handle type(H5Tcopy(H5T_C_S1), name, "no type");
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  std::vector<std::string> texts;
  for (char* text : read_dataset<char*>(file, name, type.get())) {
    texts.emplace_back(text ? text : "");
    H5free_memory(text);
  }
  return texts;
}

/// Checks everything that the sample should hold.
inline void check_sample(const std::filesystem::path& path) {
  const Hdf5Handle file = open_result(path);
  const auto large = sample_large();
  CHECK(read_dataset<std::int32_t>(file, "/align/table", H5T_NATIVE_INT32) == counting<std::int32_t>(large[0].shape));
  CHECK(read_dataset<double>(file, "/heat/grid", H5T_NATIVE_DOUBLE) == counting<double>(large[1].shape));
  CHECK(read_dataset<float>(file, "/heat/nothing", H5T_NATIVE_FLOAT).empty());
  CHECK(read_dataset<std::int64_t>(file, "/align/score", H5T_NATIVE_INT64) == std::vector<std::int64_t>{88353});
  CHECK(read_dataset<std::int64_t>(file, "/align/start", H5T_NATIVE_INT64) == std::vector<std::int64_t>{3, 5});
  CHECK(read_texts(file, "/align/cigar") == std::vector<std::string>{"12=1X3D"});
  CHECK(read_texts(file, "/profile/stages/name") == std::vector<std::string>{"align", "", "wärme"});
  const Hdf5Handle grid(H5Dopen2(file.get(), "/heat/grid", H5P_DEFAULT), "/heat/grid", "cannot be opened");
  CHECK(H5DSget_num_scales(grid.get(), 0) == 1);
  CHECK(H5DSget_num_scales(grid.get(), 2) == 1);
  CHECK(H5Aexists_by_name(file.get(), "/heat/grid", "units", H5P_DEFAULT) > 0);
  CHECK(H5Aexists(file.get(), "Conventions") > 0);
  CHECK(H5Aexists_by_name(file.get(), "/align/table", "tile", H5P_DEFAULT) > 0);
}

}  // namespace terrace::io
