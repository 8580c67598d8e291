#include "io/results/dimensions.hpp"

#include <hdf5_hl.h>

#include <array>

#include "io/results/layout.hpp"

namespace terrace::io {
namespace {

herr_t keep_scale_name(hid_t, unsigned, hid_t scale, void* name) noexcept {
  try {
    std::array<char, 4096> path{};
    if (H5Iget_name(scale, path.data(), path.size()) <= 0) return -1;
    *static_cast<std::string*>(name) = name_of_path(path.data());
  } catch (...) {
    return -1;
  }
  return 1;  // the first scale is the only one
}

}  // namespace

std::vector<std::string> dimension_names(const Hdf5Handle& dataset, const std::string& path, int rank) {
  if (H5DSis_scale(dataset.get()) > 0) return {name_of_path(path)};
  std::vector<std::string> names(static_cast<std::size_t>(rank));
  for (int d = 0; d < rank; ++d) {
    std::string& name = names[static_cast<std::size_t>(d)];
    const auto dimension = static_cast<unsigned>(d);
    if (H5DSget_num_scales(dataset.get(), dimension) <= 0 ||
        H5DSiterate_scales(dataset.get(), dimension, nullptr, keep_scale_name, &name) < 0 || name.empty()) {
      return {};
    }
  }
  return names;
}

}  // namespace terrace::io
