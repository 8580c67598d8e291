// HDF5 has no call that shortens a contiguous dataset, nor one that makes a dataset over bytes that are there. So the
// sizes are changed in the dataset's object header, in the format that its specification fixes ("HDF5 File Format
// Specification", version 3.0: IV.A.1.a the header, IV.A.2.b the dataspace, IV.A.2.i the layout of the data). All
// numbers there are little-endian, as on every machine for which Terrace is built. create_file() asks HDF5 for the
// earliest format, whose headers have no checksums.
#include "io/results/shorten.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "io/hdf5/handle.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::io {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t prefix_bytes = 16, message_prefix_bytes = 8, number_bytes = 8;
constexpr std::uint16_t dataspace_message = 1, layout_message = 8;

/// A dataset that is too long.
struct Long {
  DatasetSpec spec;  // as it is to be
  Extents shape;     // in the file
  std::int64_t header, offset;

  std::int64_t bytes(const Extents& of) const { return volume(of) * static_cast<std::int64_t>(size_of(spec.type)); }
  std::string where(const fs::path& path) const { return path.string() + ", " + spec.path; }
};

Extents shape_of(const Hdf5Handle& dataset, const std::string& where) {
  const Hdf5Handle space(H5Dget_space(dataset.get()), where, "has no data space");
  const int rank = H5Sget_simple_extent_ndims(space.get());
  std::vector<hsize_t> sizes(static_cast<std::size_t>(std::max(0, rank)));
  if (rank < 0 || H5Sget_simple_extent_dims(space.get(), sizes.data(), nullptr) < 0) {
    throw_hdf5(where, "has no shape");
  }
  Extents shape;
  for (const hsize_t size : sizes) shape.push_back(static_cast<std::int64_t>(size));
  return shape;
}

std::int64_t header_of(const Hdf5Handle& dataset, const std::string& where) {
#if H5_VERSION_GE(1, 12, 0)
  H5O_info1_t info;
#else
  H5O_info_t info;
#endif
  check_hdf5(H5Oget_info1(dataset.get(), &info), where, "has no object header");
  return static_cast<std::int64_t>(info.addr);
}

/// The dataset if it is longer than it is to be. @throws Error if it cannot be shortened to that
std::optional<Long> look_at(const Hdf5Handle& file, const fs::path& path, const DatasetSpec& spec) {
  const std::string where = path.string() + ", " + spec.path;
  const Hdf5Handle dataset(H5Dopen2(file.get(), spec.path.c_str(), H5P_DEFAULT), where, "cannot be opened");
  Long found{spec, shape_of(dataset, where), 0, 0};
  if (found.shape == spec.shape) return std::nullopt;
  Extents cut = found.shape;
  if (cut.rank() > 0) cut[0] = spec.shape.rank() > 0 ? spec.shape[0] : -1;
  if (cut != spec.shape || cut[0] > found.shape[0]) {
    throw Error("result dataset " + spec.path + ": is " + to_string(found.shape) + " and cannot be made " +
                to_string(spec.shape));
  }
  found.header = header_of(dataset, where);
  found.offset = static_cast<std::int64_t>(H5Dget_offset(dataset.get()));
  return found;
}

std::vector<Long> find_long(const Descriptor& file, const fs::path& path, const std::vector<DatasetSpec>& datasets) {
  const Hdf5Handle access = hdf5_file_access();
  Hdf5Handle opened(H5Fopen(reopening_path(file).c_str(), H5F_ACC_RDONLY, access.get()), path.string(),
                    "cannot be opened as HDF5");
  std::vector<Long> found;
  for (const DatasetSpec& spec : datasets) {
    if (volume(spec.shape) == 0) continue;  // it was not made
    if (auto one = look_at(opened, path, spec)) found.push_back(*std::move(one));
  }
  opened.close(path.string());
  return found;
}

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t at) {
  T number;
  std::memcpy(&number, bytes.subspan(at).first(sizeof number).data(), sizeof number);
  return number;
}

/// The first part of an object header of version 1.
class ObjectHeader {
 public:
  ObjectHeader(const Descriptor& file, const fs::path& path, const Long& dataset)
      : file_(file), path_(path), dataset_(dataset), bytes_(prefix_bytes) {
    read_fully(file_.get(), bytes_, dataset.header, path);
    const auto length = number_at<std::uint32_t>(bytes_, 8);
    if (bytes_[0] != std::byte{1} || length > most_bytes) refuse();
    bytes_.resize(prefix_bytes + length);
    read_fully(file_.get(), bytes_, dataset.header, path);
  }

  /// The bytes of the only message of that type, which is at least so long.
  std::span<std::byte> message(std::uint16_t type, std::size_t least) {
    std::size_t at = prefix_bytes;
    while (at + message_prefix_bytes <= bytes_.size()) {
      const std::size_t length = number_at<std::uint16_t>(bytes_, at + 2), begin = at + message_prefix_bytes;
      if (begin + length > bytes_.size()) break;
      if (number_at<std::uint16_t>(bytes_, at) == type && length >= least) {
        return std::span(bytes_).subspan(begin, length);
      }
      at = begin + length;
    }
    refuse();
  }

  void write() const { write_fully(file_.get(), bytes_, dataset_.header, path_); }

  /// Replaces a number that must be there.
  void replace(std::span<std::byte> message, std::size_t at, std::int64_t before, std::int64_t after) const {
    if (number_at<std::int64_t>(message, at) != before) refuse();
    std::memcpy(message.subspan(at).data(), &after, sizeof after);
  }

  [[noreturn]] void refuse() const {
    throw IoError(dataset_.where(path_),
                  "cannot be shortened: its object header is not as HDF5 was asked to write it");
  }

 private:
  static constexpr std::uint32_t most_bytes = 1 << 20;

  const Descriptor& file_;
  const fs::path& path_;
  const Long& dataset_;
  std::vector<std::byte> bytes_;
};

void shorten(const Descriptor& file, const fs::path& path, const Long& dataset) {
  ObjectHeader header(file, path, dataset);
  const auto rank = static_cast<std::size_t>(dataset.shape.rank());
  // Version, rank, flags, five bytes that are not used; the extents, then the largest extents, which are the same.
  constexpr std::size_t extents_at = 8;
  const std::span<std::byte> space = header.message(dataspace_message, extents_at + 2 * rank * number_bytes);
  const std::byte head[] = {std::byte{1}, static_cast<std::byte>(rank), std::byte{1}};
  if (std::memcmp(space.data(), head, sizeof head) != 0) header.refuse();
  for (const std::size_t at : {extents_at, extents_at + rank * number_bytes}) {
    header.replace(space, at, dataset.shape[0], dataset.spec.shape[0]);
  }
  // Version, class; the place and the bytes of a contiguous dataset.
  const std::span<std::byte> layout = header.message(layout_message, 2 + 2 * number_bytes);
  if (layout[0] != std::byte{3} || layout[1] != std::byte{1}) header.refuse();
  header.replace(layout, 2, dataset.offset, dataset.offset);
  header.replace(layout, 2 + number_bytes, dataset.bytes(dataset.shape), dataset.bytes(dataset.spec.shape));
  header.write();
}

/// A file system that cannot do that leaves the space to the file.
void give_space_back(const Descriptor& file, const Long& dataset) {
  const std::int64_t begin = rounded_up(dataset.offset + dataset.bytes(dataset.spec.shape), std::int64_t{page_bytes});
  const std::int64_t end = (dataset.offset + dataset.bytes(dataset.shape)) / page_bytes * page_bytes;
  if (begin >= end) return;
  static_cast<void>(fallocate(file.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, begin, end - begin));
}

}  // namespace

void shorten_datasets(const Descriptor& file, const fs::path& path, const std::vector<DatasetSpec>& datasets) {
  const std::vector<Long> found = find_long(file, path, datasets);
  for (const Long& dataset : found) shorten(file, path, dataset);
  if (!found.empty() && !find_long(file, path, datasets).empty()) {
    throw IoError(path.string(), "HDF5 does not see that datasets of it were shortened");
  }
  for (const Long& dataset : found) give_space_back(file, dataset);
}

}  // namespace terrace::io
