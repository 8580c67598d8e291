#include "io/hdf5/dataset.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "io/hdf5/booleans.hpp"
#include "io/hdf5/stated_range.hpp"
#include "io/hdf5/storage.hpp"
#include "io/hdf5/values.hpp"
#include "io/kinds.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

herr_t keep_dataset(hid_t, const char* name, const H5O_info_t* info, void* names) noexcept {
  constexpr std::size_t most = 1000;
  auto& list = *static_cast<std::vector<std::string>*>(names);
  try {
    if (info->type == H5O_TYPE_DATASET) list.push_back(std::string("/") + name);
  } catch (...) {
    return -1;
  }
  return list.size() < most ? 0 : 1;
}

ElementType integer_type(std::size_t bytes, bool is_signed) {
  const int log2_size = bytes <= 1 ? 0 : bytes <= 2 ? 1 : bytes <= 4 ? 2 : 3;
  return static_cast<ElementType>(2 * log2_size + (is_signed ? 1 : 0));
}

/// The element type that holds every value of the file's type.
ElementType memory_element(const Hdf5Handle& stored, const std::string& where) {
  const std::size_t bytes = H5Tget_size(stored.get());
  const H5T_class_t kind = H5Tget_class(stored.get());
  if (kind == H5T_ENUM) return memory_element({H5Tget_super(stored.get()), where, "has a damaged type"}, where);
  if (kind == H5T_INTEGER && bytes <= 8) return integer_type(bytes, H5Tget_sign(stored.get()) == H5T_SGN_2);
  if (kind == H5T_FLOAT && bytes <= 8) return bytes <= 4 ? ElementType::f32 : ElementType::f64;
  constexpr std::array names{
      "integers",     "floating point",   "times",      "strings",      "bit fields",
      "opaque bytes", "compound records", "references", "enumerations", "lists of varying length",
      "arrays"};
  const bool known = kind >= 0 && static_cast<std::size_t>(kind) < names.size();
  throw IoError(where, "holds " + std::string(known ? names[static_cast<std::size_t>(kind)] : "unknown elements") +
                           " of " + counted(static_cast<std::int64_t>(bytes), "byte") +
                           "; texts, integers, enumerations and floating point of up to 8 bytes can be read, as " +
                           element_types);
}

std::array<hsize_t, max_rank> sizes(const Extents& values) {
  std::array<hsize_t, max_rank> result{};
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

/// The chunks that have the first index of the slowest dimension, decoded; no bytes if the dataset has no chunks.
struct RowOfChunks {
  std::size_t chunk_bytes = 0, bytes = 0;
};

RowOfChunks row_of_chunks(const Hdf5Handle& dataset, const std::string& where) {
  const Hdf5Handle creation(H5Dget_create_plist(dataset.get()), where, "has damaged properties");
  if (H5Pget_layout(creation.get()) != H5D_CHUNKED) return {};
  std::array<hsize_t, H5S_MAX_RANK> chunk{}, extents{};
  const int rank =
      check_hdf5(H5Pget_chunk(creation.get(), H5S_MAX_RANK, chunk.data()), where, "has a damaged layout");
  const Hdf5Handle space(H5Dget_space(dataset.get()), where, "has a damaged shape");
  check_hdf5(H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr), where, "has a damaged shape");
  const Hdf5Handle stored(H5Dget_type(dataset.get()), where, "has a damaged type");
  // In floating point: a damaged file may ask for any number of chunks.
  double chunk_bytes = static_cast<double>(H5Tget_size(stored.get())), across = 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(rank); ++d) {
    chunk_bytes *= static_cast<double>(chunk[d]);
    const hsize_t chunks = chunk[d] > 0 ? extents[d] / chunk[d] + 1 : 1;
    if (d > 0) across *= static_cast<double>(chunks);
  }
  constexpr double most = 1e15;
  return {static_cast<std::size_t>(std::min(chunk_bytes, most)),
          static_cast<std::size_t>(std::min(chunk_bytes * across, most))};
}

/// Bands of rows that are thinner than chunks read each chunk several times: a row of chunks stays in the cache, if
/// that is allowed, and two more. (With 1.0 in place of 0.75, which evicts fully read chunks first, the library keeps
/// more than it is allowed.)
Hdf5Handle access_properties(std::size_t cache_bytes) {
  Hdf5Handle access = hdf5_properties(H5P_DATASET_ACCESS);
  check_hdf5(H5Pset_chunk_cache(access.get(), 12421, cache_bytes, 0.75), "HDF5", "cannot set the cache");
  return access;
}

/// True if a file begins as those of netCDF-3 do: "CDF" and the version 1, 2 or 5.
bool is_netcdf_3(const std::string& path) {
  char begin[4] = {};
  std::ifstream(path, std::ios::binary).read(begin, sizeof begin);
  return std::string_view(begin, 3) == "CDF" && (begin[3] == 1 || begin[3] == 2 || begin[3] == 5);
}

/// The datasets that a job may want: of a result not its profile and its checksums.
std::vector<std::string> datasets_to_name(hid_t file, std::vector<std::string> names) {
  if (H5Aexists(file, "checksums") > 0) {
    std::erase_if(names, [](const std::string& name) {
      return name == "/job" || name.starts_with("/profile/") || name.starts_with("/checksums/");
    });
  }
  return names;
}

}  // namespace

std::mutex& hdf5_input_mutex() {
  static std::mutex mutex;
  return mutex;
}

std::vector<std::string> list_datasets(hid_t file, const std::string& where) {
  std::vector<std::string> names;
  check_hdf5(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, keep_dataset, &names, H5O_INFO_BASIC), where,
             "its datasets cannot be listed; the file is damaged");
  return names;
}

Hdf5Dataset::Hdf5Dataset(const std::string& path, const std::string& dataset, std::size_t cache_bytes)
    : cache_bytes_(cache_bytes), where_(path) {
  silence_hdf5();
  if (H5Fis_hdf5(path.c_str()) == 0) {
    throw IoError(path, is_netcdf_3(path)
                            ? "is a file of netCDF-3 (the classic format), which is no HDF5: convert it, "
                              "'nccopy -k netCDF-4 IN OUT'"
                            : "is no HDF5 file, or its first bytes are damaged");
  }
  file_ = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, hdf5_read_access().get()), path,
                     "cannot be opened; the file is damaged, cut short, or still being written");
  open_dataset(path, dataset);
  const Hdf5Handle stored(H5Dget_type(dataset_.get()), where_, "has a damaged type");
  texts_ = H5Tget_class(stored.get()) == H5T_STRING;
  type_ = texts_ ? ElementType::i64 : memory_element(stored, where_);
  read_shape();
  files_ = storage_files(dataset_.get(), where_);
  missing_filters_ = missing_filters(dataset_.get(), where_);
  if (texts_) return;
  truths_ = holds_booleans(dataset_, where_);
  stated_ = stated_range(dataset_, type_, where_);
  packing_ = stored_packing(dataset_, type_, where_);
  if (shape_.rank() == 2) nodes_ = stored_nodes(file_, dataset_, shape_, where_);
}

void Hdf5Dataset::open_dataset(const std::string& path, const std::string& name) {
  std::string chosen = name;
  if (name.empty()) {
    const auto names = list_datasets(file_.get(), path);
    if (names.size() != 1) {
      const auto wanted = datasets_to_name(file_.get(), names);
      throw JobError("dataset: " + path +
                     (wanted.empty() ? " has none" : " has " + quote_names(wanted) + "; name one"));
    }
    chosen = names[0];
  }
  where_ = path + ", dataset " + chosen;
  const hid_t object = H5Oopen(file_.get(), chosen.c_str(), H5P_DEFAULT);
  const bool exists = object >= 0;
  const bool is_dataset = exists && H5Iget_type(object) == H5I_DATASET;
  if (exists) H5Oclose(object);
  if (is_dataset) {
    dataset_ = Hdf5Handle(H5Dopen2(file_.get(), chosen.c_str(), H5P_DEFAULT), where_, "cannot be opened");
    const RowOfChunks row = row_of_chunks(dataset_, where_);
    cache_bytes_ = std::min(cache_bytes_, row.bytes + 2 * row.chunk_bytes);
    // A dataset that is open keeps its cache settings however it is opened again, so close it first.
    dataset_ = Hdf5Handle();
    const Hdf5Handle access = access_properties(cache_bytes_);
    dataset_ = Hdf5Handle(H5Dopen2(file_.get(), chosen.c_str(), access.get()), where_, "cannot be opened");
    return;
  }
  const std::string reason = hdf5_reason();
  const std::string link = exists ? "" : describe_link(file_.get(), chosen);
  if (!link.empty()) throw IoError(where_, link + ", which cannot be followed (HDF5: " + reason + ")");
  const auto names = list_datasets(file_.get(), path);
  const bool listed = std::find(names.begin(), names.end(), chosen[0] == '/' ? chosen : "/" + chosen) != names.end();
  if (listed) throw IoError(where_, "cannot be opened (HDF5: " + reason + "); the file is damaged");
  const auto wanted = datasets_to_name(file_.get(), names);
  throw JobError(
      "dataset: " +
      (exists ? "'" + chosen + "' of " + path + " is a group, not a dataset" : path + " has no '" + chosen + "'") +
      "; it has " + (wanted.empty() ? "none" : quote_names(wanted)) +
      did_you_mean(chosen[0] == '/' ? chosen : "/" + chosen, wanted));
}

void Hdf5Dataset::read_shape() {
  const Hdf5Handle space(H5Dget_space(dataset_.get()), where_, "has a damaged shape");
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL)
    throw IoError(where_, "is a null dataset: it has no elements");
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = check_hdf5(H5Sget_simple_extent_ndims(space.get()), where_, "has a damaged shape");
  check_hdf5(H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr), where_, "has a damaged shape");
  for (int d = 0; d < rank; ++d) {
    const hsize_t extent = extents[static_cast<std::size_t>(d)];
    if (extent > INT64_MAX) throw IoError(where_, "has a damaged shape");
    shape_.push_back(static_cast<std::int64_t>(extent));
  }
  if (is_holdable(shape_)) return;
  throw IoError(where_,
                "is of shape " + to_string(shape_) +
                    ": more elements than any machine holds; name a smaller dataset, or make it anew if this is "
                    "not its shape");
}

std::optional<RawPlace> Hdf5Dataset::raw_place() const {
  const Hdf5Handle creation(H5Dget_create_plist(dataset_.get()), where_, "has damaged properties");
  if (H5Pget_layout(creation.get()) != H5D_CONTIGUOUS || H5Pget_external_count(creation.get()) != 0) return {};
  // The offset of a dataset without space is HADDR_UNDEF plus the user block: any number.
  H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
  if (H5Dget_space_status(dataset_.get(), &status) < 0 || status != H5D_SPACE_STATUS_ALLOCATED) return {};
  const haddr_t offset = H5Dget_offset(dataset_.get());
  if (offset == HADDR_UNDEF || offset > INT64_MAX) return {};
  const Hdf5Handle stored(H5Dget_type(dataset_.get()), where_, "has a damaged type");
  const hid_t little = hdf5_file_type(type_);
  if (H5Tequal(stored.get(), little) > 0) return RawPlace{static_cast<std::int64_t>(offset), false};
  const Hdf5Handle big(H5Tcopy(little), where_, "cannot copy a type");
  check_hdf5(H5Tset_order(big.get(), H5T_ORDER_BE), where_, "cannot turn a type round");
  if (H5Tequal(stored.get(), big.get()) > 0) return RawPlace{static_cast<std::int64_t>(offset), true};
  return {};
}

std::size_t Hdf5Dataset::memory() const {
  if (texts_) {
    const Hdf5Handle stored(H5Dget_type(dataset_.get()), where_, "has a damaged type");
    const double each = static_cast<double>(H5Tget_size(stored.get()) + sizeof(std::string));
    return static_cast<std::size_t>(std::min(each * static_cast<double>(volume(shape_)), 1e18));
  }
  const std::size_t chunk = row_of_chunks(dataset_, where_).chunk_bytes;
  // The bytes read from the file and the bytes that a filter makes of them, at the same time.
  return chunk == 0 ? 0 : cache_bytes_ + 2 * chunk;
}

void Hdf5Dataset::read(const Box& box, void* buffer) const {
  silence_hdf5();
  if (box.empty()) return;
  const auto begin = sizes(box.begin), count = sizes(box.shape());
  const Hdf5Handle space(H5Dget_space(dataset_.get()), where_, "has a damaged shape");
  const int rank = box.rank();
  if (rank > 0) {
    check_hdf5(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr), where_,
               "the box " + to_string(box) + " cannot be selected");
  }
  const Hdf5Handle memory(rank > 0 ? H5Screate_simple(rank, count.data(), nullptr) : H5Screate(H5S_SCALAR), where_,
                          "cannot make a space");
  const Hdf5Handle stored(H5Dget_type(dataset_.get()), where_, "has a damaged type");
  const hid_t type = hdf5_memory_type(type_);
  const Hdf5Handle transfer = hdf5_transfer(type, stored.get(), static_cast<std::size_t>(box.volume()));
  const herr_t result = H5Dread(dataset_.get(), type, memory.get(), space.get(), transfer.get(), buffer);
  if (result < 0 && !missing_filters_.empty()) throw IoError(where_, missing_filters_);
  check_hdf5(result, where_, "the box " + to_string(box) + " cannot be read; the file is damaged or cut short");
}

std::vector<std::string> Hdf5Dataset::read_texts() const {
  silence_hdf5();
  if (!missing_filters_.empty()) throw IoError(where_, missing_filters_);
  return read_strings(values_of_dataset(dataset_, where_));
}

void Hdf5Dataset::read_first() const {
  if (texts_) return;
  if (volume(shape_) == 0) return;
  Box first{Extents::filled(shape_.rank(), 0), Extents::filled(shape_.rank(), 1)};
  std::uint64_t element = 0;
  read(first, &element);
}

void Hdf5Dataset::probe() const {
  if (texts_) return void(read_texts());
  H5Dget_storage_size(dataset_.get());
  read_first();
  if (volume(shape_) == 0) return;
  Box last{shape_, shape_};
  for (int d = 0; d < shape_.rank(); ++d) last.begin[d] = shape_[d] - 1;
  std::uint64_t element = 0;
  read(last, &element);
}

}  // namespace terrace::io
