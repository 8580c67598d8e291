#include "io/hdf5/storage.hpp"

#include <algorithm>
#include <array>

#include "io/hdf5/sources.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

/// Third-party filters, by their common names.
std::string filter_name(H5Z_filter_t id, const std::string& stored) {
  constexpr std::pair<H5Z_filter_t, const char*> known[] = {{H5Z_FILTER_SZIP, "szip"},
                                                            {305, "LZO"},
                                                            {307, "bzip2"},
                                                            {32000, "lzf"},
                                                            {32001, "Blosc"},
                                                            {32004, "LZ4"},
                                                            {32008, "bitshuffle"},
                                                            {32013, "ZFP"},
                                                            {32015, "Zstandard"},
                                                            {32017, "SZ"},
                                                            {32018, "FCIDECOMP"},
                                                            {32019, "JPEG"},
                                                            {32024, "SZ3"},
                                                            {32026, "Blosc2"}};
  for (const auto& [number, name] : known) {
    if (number == id) return name;
  }
  return stored;
}

}  // namespace

Hdf5Handle hdf5_read_access() {
  Hdf5Handle access = hdf5_file_access();
  check_hdf5(H5Pset_fclose_degree(access.get(), H5F_CLOSE_WEAK), "HDF5", "cannot set how files close");
  return access;
}

std::filesystem::path file_of_dataset(hid_t dataset, const std::string& where) {
  const ssize_t length = check_hdf5(H5Fget_name(dataset, nullptr, 0), where, "the name of its file is not known");
  std::vector<char> name(static_cast<std::size_t>(length) + 1);
  check_hdf5(H5Fget_name(dataset, name.data(), name.size()), where, "the name of its file is not known");
  return name.data();
}

std::vector<std::filesystem::path> storage_files(hid_t dataset, const std::string& where) {
  StorageWalk walk;
  walk.visit(dataset, where);
  return walk.take();
}

std::string missing_filters(hid_t dataset, const std::string& where) {
  const Hdf5Handle creation(H5Dget_create_plist(dataset), where, "has damaged properties");
  const int count = std::max(0, H5Pget_nfilters(creation.get()));
  constexpr H5Z_filter_t lzf = 32000;
  std::string names;
  bool of_h5py = false;
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    std::array<char, 64> stored{};
    std::size_t values = 0;
    unsigned flags = 0, configuration = 0;
    const H5Z_filter_t id =
        H5Pget_filter2(creation.get(), i, &flags, &values, nullptr, stored.size(), stored.data(), &configuration);
    stored.back() = '\0';
    if (id < 0 || H5Zfilter_avail(id) > 0) continue;
    const std::string name = filter_name(id, stored.data());
    names += (names.empty() ? "" : " and ") + std::to_string(id) + (name.empty() ? "" : " (" + name + ")");
    of_h5py = of_h5py || id == lzf;
  }
  if (names.empty()) return "";
  const std::string there = "needs the HDF5 filter " + names + ", which is not installed here; ";
  if (of_h5py) return there + "h5py has it: write a copy there, with compression='gzip' in place of 'lzf'";
  return there +
         "make a copy without it where it is, 'h5repack -f GZIP=4 IN OUT' or 'h5repack -f NONE IN OUT', or install "
         "its "
         "plugin and name the plugin's folder in HDF5_PLUGIN_PATH";
}

std::string describe_link(hid_t file, const std::string& name) {
  H5L_info_t info;
  if (H5Lget_info(file, name.c_str(), &info, H5P_DEFAULT) < 0) return "";
  if (info.type != H5L_TYPE_SOFT && info.type != H5L_TYPE_EXTERNAL) return "";
  std::vector<char> value(info.u.val_size + 1, '\0');
  if (H5Lget_val(file, name.c_str(), value.data(), info.u.val_size, H5P_DEFAULT) < 0) return "";
  if (info.type == H5L_TYPE_SOFT) return "is a link to " + std::string(value.data());
  const char *target_file = nullptr, *target = nullptr;
  if (H5Lunpack_elink_val(value.data(), info.u.val_size, nullptr, &target_file, &target) < 0) return "";
  return "is a link to " + std::string(target) + " of the file " + target_file;
}

}  // namespace terrace::io
