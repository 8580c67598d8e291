#include "io/hdf5/sources.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>

#include "io/hdf5/storage.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

/// No file has more mappings than this; a damaged one may say so.
constexpr std::size_t most_mappings = 10'000'000;

template <class Get>
std::string text_of(const Get& get, const std::string& where) {
  const ssize_t length = check_hdf5(get(nullptr, std::size_t{0}), where, "has a damaged virtual layout");
  std::vector<char> text(static_cast<std::size_t>(length) + 1);
  check_hdf5(get(text.data(), text.size()), where, "has a damaged virtual layout");
  return text.data();
}

/// Paths at which the library looks for a source that a virtual dataset in the file `owner` names, in its order.
std::vector<std::filesystem::path> candidates(const std::string& name, const std::filesystem::path& owner) {
  std::vector<std::filesystem::path> places;
  std::filesystem::path relative = name;
  if (relative.is_absolute()) {
    places.push_back(relative);
    relative = relative.filename();
  }
  if (const char* prefix = std::getenv("HDF5_VDS_PREFIX"); prefix && *prefix) {
    std::string folder = prefix;
    const std::string origin = "${ORIGIN}";
    if (folder.starts_with(origin)) folder.replace(0, origin.size(), std::filesystem::absolute(owner).parent_path());
    places.push_back(folder / relative);
  }
  places.push_back(std::filesystem::absolute(owner).parent_path() / relative);
  places.push_back(relative);
  std::error_code ignored;
  const auto real = std::filesystem::canonical(owner, ignored);
  if (!ignored) places.push_back(real.parent_path() / relative);
  return places;
}

/// The file of a source; empty if no candidate is an HDF5 file. "." is the file of the virtual dataset itself.
Hdf5Handle open_source(const std::string& name, const std::filesystem::path& owner) {
  const Hdf5Handle access = hdf5_read_access();
  for (const auto& place : name == "." ? std::vector{owner} : candidates(name, owner)) {
    // The library would wait for somebody to write to a pipe.
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(place, ignored)) continue;
    const hid_t file = H5Fopen(place.c_str(), H5F_ACC_RDONLY, access.get());
    if (file >= 0) return {file, place.string(), "cannot be opened"};
  }
  return {};
}

/// A source's name for block `number` of a series: "%b" stands for the number, "%%" for "%".
std::string name_of_block(const std::string& pattern, std::size_t number) {
  std::string name;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\0';
    const bool special = pattern[i] == '%' && (next == 'b' || next == '%');
    if (special && next == 'b') name += std::to_string(number);
    else name += pattern[i];
    i += special ? 1 : 0;
  }
  return name;
}

bool is_series(const std::string& pattern) { return name_of_block(pattern, 0) != name_of_block(pattern, 1); }

/// True if the source has every point that is taken from it: all `points` points of the selection.
bool has_all(hid_t source, hid_t selection, hssize_t points, const std::string& where) {
  const Hdf5Handle space(H5Dget_space(source), where, "has a damaged shape");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  const bool endless = points < 0;
  if (H5Sget_select_type(selection) == H5S_SEL_ALL) {
    return endless || H5Sget_simple_extent_npoints(space.get()) == points;
  }
  if (H5Sget_simple_extent_ndims(selection) != rank) return true;
  std::array<hsize_t, H5S_MAX_RANK> first{}, last{}, extents{};
  if (rank <= 0 || H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr) < 0) return true;
  if (H5Sget_select_bounds(selection, first.data(), last.data()) < 0) return true;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    // A selection without end ends with its source.
    if (last[d] >= extents[d] && last[d] < H5S_UNLIMITED - 1) return false;
  }
  return true;
}

}  // namespace

void StorageWalk::add(const std::filesystem::path& file) {
  if (known_.insert(file).second) files_.push_back(file);
}

void StorageWalk::visit(hid_t dataset, const std::string& where) {
  const std::filesystem::path owner = file_of_dataset(dataset, where);
  add(owner);
  const Hdf5Handle creation(H5Dget_create_plist(dataset), where, "has damaged properties");
  if (H5Pget_layout(creation.get()) == H5D_VIRTUAL) visit_virtual(creation.get(), owner, where);
  else visit_external(creation.get(), where);
}

void StorageWalk::visit_external(hid_t creation, const std::string& where) {
  const int count = std::max(0, H5Pget_external_count(creation));
  for (unsigned i = 0; i < static_cast<unsigned>(count); ++i) {
    std::array<char, 4096> name{};
    off_t offset = 0;
    hsize_t bytes = 0;
    check_hdf5(H5Pget_external(creation, i, name.size() - 1, name.data(), &offset, &bytes), where,
               "has a damaged list of external files");
    const std::filesystem::path file = name.data();
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error) {
      throw IoError(where, "its elements are in the file " + file.string() +
                               ", which cannot be read: " + error.message() + " (looked for in the folder " +
                               std::filesystem::current_path().string() + ")");
    }
    const auto needed = static_cast<std::uintmax_t>(offset) + bytes;
    if (bytes != H5F_UNLIMITED && size < needed) {
      throw IoError(where, "its elements are in the file " + file.string() + ", which ends at byte " +
                               std::to_string(size) + " of " + std::to_string(needed));
    }
    add(file);
  }
}

void StorageWalk::visit_virtual(hid_t creation, const std::filesystem::path& owner, const std::string& where) {
  std::size_t count = 0;
  check_hdf5(H5Pget_virtual_count(creation, &count), where, "has a damaged virtual layout");
  if (count > most_mappings) throw IoError(where, "has a damaged virtual layout");
  for (std::size_t i = 0; i < count; ++i) {
    Mapping mapping;
    mapping.file =
        text_of([&](char* to, std::size_t n) { return H5Pget_virtual_filename(creation, i, to, n); }, where);
    mapping.dataset =
        text_of([&](char* to, std::size_t n) { return H5Pget_virtual_dsetname(creation, i, to, n); }, where);
    mapping.selection = Hdf5Handle(H5Pget_virtual_srcspace(creation, i), where, "has a damaged virtual layout");
    const Hdf5Handle target(H5Pget_virtual_vspace(creation, i), where, "has a damaged virtual layout");
    mapping.points = H5Sget_select_npoints(target.get());
    if (is_series(mapping.file) || is_series(mapping.dataset)) {
      visit_series(mapping, owner, where);
      continue;
    }
    mapping.file = name_of_block(mapping.file, 0), mapping.dataset = name_of_block(mapping.dataset, 0);
    const Hdf5Handle file = open_source(mapping.file, owner);
    if (!file) {
      throw IoError(where, "is virtual, and its source " + mapping.file + " (dataset " + mapping.dataset +
                               ") is not there or is no HDF5 file; relative names begin at " +
                               std::filesystem::absolute(owner).parent_path().string());
    }
    visit_source(mapping, file, where);
  }
}

void StorageWalk::visit_series(const Mapping& mapping, const std::filesystem::path& owner, const std::string& where) {
  // The dataset ends with the first block that is missing: its shape says so.
  for (std::size_t number = 0; number < most_mappings; ++number) {
    const Hdf5Handle file = open_source(name_of_block(mapping.file, number), owner);
    const std::string dataset = name_of_block(mapping.dataset, number);
    if (!file || H5Lexists(file.get(), dataset.c_str(), H5P_DEFAULT) <= 0) return;
    Hdf5Handle selection(H5Scopy(mapping.selection.get()), where, "has a damaged virtual layout");
    visit_source({mapping.file, dataset, std::move(selection), mapping.points}, file, where);
  }
}

void StorageWalk::visit_source(const Mapping& mapping, const Hdf5Handle& file, const std::string& where) {
  const std::string path = file_of_dataset(file.get(), where).string();
  const std::string source_where = path + ", dataset " + mapping.dataset;
  const hid_t opened = H5Dopen2(file.get(), mapping.dataset.c_str(), H5P_DEFAULT);
  if (opened < 0) throw IoError(where, "is virtual, and its source " + source_where + " is not there");
  const Hdf5Handle source(opened, source_where, "cannot be opened");
  if (!has_all(source.get(), mapping.selection.get(), mapping.points, source_where)) {
    throw IoError(where, "is virtual, and its source " + source_where + " is not of the shape that is taken from it");
  }
  if (seen_.insert({path, mapping.dataset}).second) visit(source.get(), source_where);
}

}  // namespace terrace::io
