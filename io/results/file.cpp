#include "io/results/file.hpp"

#include <fcntl.h>
#include <hdf5_hl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "io/files/durable.hpp"
#include "io/hdf5/handle.hpp"
#include "io/results/layout.hpp"
#include "io/results/objects.hpp"
#include "io/results/record.hpp"
#include "io/results/shorten.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::io {

namespace {

constexpr hsize_t page = page_bytes;

std::int64_t bytes_of(const DatasetSpec& dataset) {
  return volume(dataset.shape) * static_cast<std::int64_t>(size_of(dataset.type));
}

Hdf5Handle early_allocation() {
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  check_hdf5(H5Pset_layout(creation.get(), H5D_CONTIGUOUS), "HDF5", "cannot set a contiguous layout");
  check_hdf5(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), "HDF5", "cannot set early allocation");
  check_hdf5(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), "HDF5", "cannot switch filling off");
  return creation;
}

// HDF5 follows links: it is given the file that is open already.

Hdf5Handle create_file(const Descriptor& file, const std::filesystem::path& path) {
  const Hdf5Handle access = hdf5_file_access();
  check_hdf5(H5Pset_alignment(access.get(), page, page), path.string(), "cannot align its datasets");
  // Its object headers are what shorten_datasets() changes.
  check_hdf5(H5Pset_libver_bounds(access.get(), H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST), path.string(),
             "cannot choose the format of the file");
  return {H5Fcreate(reopening_path(file).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()), path.string(),
          "cannot be made"};
}

Hdf5Handle open_for_finish(const Descriptor& file, const std::filesystem::path& path) {
  const Hdf5Handle access = hdf5_file_access();
  return {H5Fopen(reopening_path(file).c_str(), H5F_ACC_RDWR, access.get()), path.string(),
          "cannot be opened as HDF5"};
}

void sync_result(const Descriptor& file, const std::filesystem::path& path) {
  if (fsync(file.get()) != 0) throw system_error(path, "its data cannot be made durable", errno);
}

FileExtent extent_of(const Hdf5Handle& dataset, const DatasetSpec& spec, const std::string& where) {
  const haddr_t offset = H5Dget_offset(dataset.get());
  if (offset == HADDR_UNDEF) throw_hdf5(where, "HDF5 has given it no place in the file");
  return {static_cast<std::int64_t>(offset), bytes_of(spec)};
}

std::vector<DatasetSpec> all_datasets(const Finish& finish) {
  std::vector<DatasetSpec> datasets = finish.large;
  for (const SmallDataset& dataset : finish.small) datasets.push_back(dataset.spec);
  return datasets;
}

/// Writes a dataset from another place, a few MiB at a time.
void write_late(const ResultObjects& objects, const Hdf5Handle& made, const DatasetSpec& spec,
                const LateContent& content) {
  constexpr std::int64_t piece_bytes = 4 << 20;
  const std::int64_t rows = spec.shape[0], row_bytes = bytes_of(spec) / rows;
  const std::int64_t together = std::max<std::int64_t>(1, piece_bytes / row_bytes);
  std::vector<std::byte> buffer(static_cast<std::size_t>(std::min(rows, together) * row_bytes));
  for (std::int64_t row = 0; row < rows; row += together) {
    Box box = Box::whole(spec.shape);
    box.begin[0] = row;
    box.end[0] = std::min(rows, row + together);
    content(box, buffer.data());
    objects.write_box(made, spec, box, buffer.data());
  }
}

/// Datasets that create_result() made.
std::vector<DatasetSpec> made_before(const Finish& finish) {
  std::vector<DatasetSpec> datasets;
  for (const DatasetSpec& dataset : finish.large) {
    if (!finish.late.contains(dataset.path)) datasets.push_back(dataset);
  }
  return datasets;
}

void add_datasets(const ResultObjects& objects, const Finish& finish) {
  const Hdf5Handle plain = hdf5_properties(H5P_DATASET_CREATE);
  for (const DatasetSpec& dataset : finish.large) {
    const auto late = finish.late.find(dataset.path);
    if (bytes_of(dataset) > 0 && late == finish.late.end()) continue;
    objects.remove_dataset(dataset.path);  // it was not to be empty
    const bool writes = bytes_of(dataset) > 0;
    const Hdf5Handle creation = writes ? early_allocation() : hdf5_properties(H5P_DATASET_CREATE);
    const Hdf5Handle made = objects.make_dataset(dataset, hdf5_file_type(dataset.type), creation);
    if (writes) write_late(objects, made, dataset, late->second);
  }
  const Hdf5Handle text = hdf5_text_type();
  for (const SmallDataset& dataset : finish.small) {
    const bool strings = std::holds_alternative<std::vector<std::string>>(dataset.values);
    const hid_t type = strings ? text.get() : hdf5_file_type(dataset.spec.type);
    objects.write_values(objects.make_dataset(dataset.spec, type, plain), dataset);
  }
}

/// The scale of a dimension without a variable; its values are never written, so it occupies no space.
void add_bare_scale(const ResultObjects& objects, const DatasetSpec& scale) {
  const Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  const Hdf5Handle dataset = objects.make_dataset(scale, H5T_IEEE_F32BE, creation);
  std::string length = std::to_string(scale.shape[0]);
  length.insert(0, length.size() < 10 ? 10 - length.size() : 0, ' ');
  check_hdf5(H5DSset_scale(dataset.get(), (no_variable + length).c_str()), objects.where(scale.path),
             "cannot be made a dimension scale");
}

std::string path_in(const std::string& group, const std::string& name) {
  return group == "/" ? group + name : group + "/" + name;
}

void add_scales(const ResultObjects& objects, const Dimensions& dimensions) {
  for (const auto& [group, names] : dimensions) {
    for (const auto& [name, dimension] : names) {
      const std::string path = path_in(group, name);
      if (dimension.has_variable) {
        check_hdf5(H5DSset_scale(objects.open_object(path).get(), name.c_str()), objects.where(path),
                   "cannot be made a dimension scale");
      } else {
        add_bare_scale(objects, {path, ElementType::f32, {dimension.length}, {name}, {}, {}});
      }
    }
  }
}

void attach_scales(const ResultObjects& objects, const DatasetSpec& spec) {
  const Hdf5Handle dataset = objects.open_object(spec.path);
  const std::string where = objects.where(spec.path);
  if (H5DSis_scale(dataset.get()) > 0) return;  // a coordinate has no scale but itself
  for (int d = 0; d < spec.shape.rank(); ++d) {
    const std::string path = path_in(group_of(spec.path), spec.dimensions[static_cast<std::size_t>(d)]);
    const Hdf5Handle scale = objects.open_object(path);
    check_hdf5(H5DSattach_scale(dataset.get(), scale.get(), static_cast<unsigned>(d)), where,
               "the scale " + path + " cannot be attached");
  }
}

}  // namespace

SmallDataset small_text(std::string path, std::string value, std::string long_name) {
  return {{std::move(path), ElementType::u8, {}, {}, {}, std::move(long_name)},
          std::vector<std::string>{std::move(value)}};
}

CreatedResult create_result(const Entry& file, const std::vector<DatasetSpec>& datasets) {
  check_layout(datasets);
  silence_hdf5();
  const std::filesystem::path& path = file.path();
  remove_file(file);
  const Descriptor opened = open_file(file, O_RDWR | O_CREAT | O_EXCL);
  CreatedResult created;
  {
    ResultObjects objects(create_file(opened, path), path);
    const Hdf5Handle creation = early_allocation();
    for (const DatasetSpec& dataset : datasets) {
      created.extents.emplace_back();
      if (bytes_of(dataset) == 0) continue;
      const Hdf5Handle made = objects.make_dataset(dataset, hdf5_file_type(dataset.type), creation);
      created.extents.back() = extent_of(made, dataset, objects.where(dataset.path));
    }
    objects.close();
  }
  sync_result(opened, path);
  created.length = size_of_file(opened, path);
  return created;
}

void finish_result(const Entry& file, Finish finish) {
  const std::filesystem::path& path = file.path();
  add_record(finish);
  const std::vector<DatasetSpec> datasets = all_datasets(finish);
  const Dimensions dimensions = check_layout(datasets);
  silence_hdf5();
  const Descriptor opened = open_file(file, O_RDWR);
  shorten_datasets(opened, path, made_before(finish));
  {
    ResultObjects objects(open_for_finish(opened, path), path);
    add_datasets(objects, finish);
    add_scales(objects, dimensions);
    for (const DatasetSpec& dataset : datasets) attach_scales(objects, dataset);
    for (const Attribute& attribute : finish.attributes) {
      objects.set_attribute(objects.open_object(attribute.object), attribute);
    }
    objects.close();
  }
  sync_result(opened, path);
}

}  // namespace terrace::io
