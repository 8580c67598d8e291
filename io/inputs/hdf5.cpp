// The input kind `hdf5`, read by boxes. Contiguous uncompressed numbers are read by positioned reads, by as many
// threads as ask; everything else by the library, one thread at a time.
#include <unistd.h>

#include <algorithm>

#include "io/child_check.hpp"
#include "io/hdf5/dataset.hpp"
#include "io/input_file.hpp"
#include "io/inputs/raw_array.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

constexpr Parameter parameters[] = {
    {"hdf5", ParameterKind::file, "an HDF5 file"},
    {"dataset", ParameterKind::text, "the dataset's full name; needed when there are several", ""},
    {"select", ParameterKind::ranges, "a part: [begin, end) for every dimension", "", nullptr, 0},
};

/// Limits of the library while it opens the file: as much memory as the input may keep, and what any file takes.
ChildLimits limits_of(const std::string& path, const OpenContext& context) {
  const long half_of_pages = sysconf(_SC_PHYS_PAGES) / 2;
  const std::int64_t kept = context.host_memory.value_or(half_of_pages * sysconf(_SC_PAGE_SIZE));
  return limits_for(path, static_cast<std::size_t>(kept));
}

/// Opens the dataset, and reads its first element and its last. A part that cannot be read is an error of whoever
/// reads it.
void try_dataset(const std::string& path, const std::string& name, std::size_t cache_bytes) {
  const Hdf5Dataset dataset(path, name, cache_bytes);
  try {
    dataset.probe();
  } catch (const IoError&) {
    return;
  }
}

/// A part of another array, which is read in its coordinates.
Box moved(const Box& box, const Extents& by) {
  Box result = box;
  for (int d = 0; d < box.rank(); ++d) result.begin[d] += by[d], result.end[d] += by[d];
  return result;
}

class RawHdf5Source : public Source {
 public:
  RawHdf5Source(RawArray array, std::vector<std::filesystem::path> files, const Box& part, std::string where,
                std::optional<KnownRange> stated)
      : array_(std::move(array)),
        files_(std::move(files)),
        part_(part),
        shape_(part.shape()),
        where_(std::move(where)),
        stated_(std::move(stated)) {}

  ElementType type() const override { return array_.type(); }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    if (!box.empty()) array_.read(moved(box, part_.begin), buffer);
  }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string place_of(const Extents&) const override { return where_; }
  std::optional<KnownRange> known_range() const override { return stated_; }

 private:
  RawArray array_;
  std::vector<std::filesystem::path> files_;
  Box part_;
  Extents shape_;
  std::string where_;  // file and dataset
  std::optional<KnownRange> stated_;
};

class LibraryHdf5Source : public Source {
 public:
  LibraryHdf5Source(std::unique_ptr<Hdf5Dataset> dataset, std::vector<std::filesystem::path> files, const Box& part,
                    std::optional<KnownRange> stated)
      : dataset_(std::move(dataset)),
        files_(std::move(files)),
        part_(part),
        shape_(part.shape()),
        stated_(std::move(stated)) {}
  ~LibraryHdf5Source() override {
    const std::lock_guard lock(hdf5_input_mutex());
    dataset_.reset();
  }

  ElementType type() const override { return dataset_->type(); }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    const std::lock_guard lock(hdf5_input_mutex());
    dataset_->read(moved(box, part_.begin), buffer);
  }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string place_of(const Extents&) const override { return dataset_->where(); }
  std::optional<KnownRange> known_range() const override { return stated_; }
  std::size_t memory() const override {
    const std::lock_guard lock(hdf5_input_mutex());
    return dataset_->memory();
  }

 private:
  std::unique_ptr<Hdf5Dataset> dataset_;
  std::vector<std::filesystem::path> files_;
  Box part_;
  Extents shape_;
  std::optional<KnownRange> stated_;
};

/// The range that the dataset states, as it holds of a part: that may be without the extreme values.
std::optional<KnownRange> range_of_part(const Hdf5Dataset& dataset, const Box& part) {
  std::optional<KnownRange> range = dataset.stated();
  if (range && part != Box::whole(dataset.shape())) range->exact = false;
  return range;
}

Box selected_part(const Settings& settings, const Hdf5Dataset& dataset) {
  const Extents& shape = dataset.shape();
  Box part = Box::whole(shape);
  if (!settings.has("select")) return part;
  const auto& ranges = settings.get<std::vector<std::array<std::int64_t, 2>>>("select");
  const std::string what = "select: " + dataset.where() + " is of shape " + to_string(shape) + ": ";
  if (static_cast<int>(ranges.size()) != shape.rank()) {
    fail_setting(settings, "select",
                 what + "give " + counted(shape.rank(), "range") + ", not " + std::to_string(ranges.size()));
  }
  for (int d = 0; d < shape.rank(); ++d) {
    const auto [begin, end] = ranges[static_cast<std::size_t>(d)];
    if (begin < 0 || end < begin || end > shape[d]) {
      fail_setting(settings, "select",
                   what + "[" + std::to_string(begin) + ", " + std::to_string(end) + ") does not lie in dimension " +
                       std::to_string(d));
    }
    part.begin[d] = begin;
    part.end[d] = end;
  }
  return part;
}

/// The named file and all others that the elements come from.
std::vector<std::filesystem::path> all_files(const std::filesystem::path& named, const Hdf5Dataset& dataset) {
  std::vector<std::filesystem::path> files{named};
  for (const auto& file : dataset.files()) {
    if (!std::filesystem::equivalent(named, file)) files.push_back(file);
  }
  return files;
}

std::shared_ptr<Source> make_source(std::unique_ptr<Hdf5Dataset> dataset, InputFile file, const Box& part) {
  auto files = all_files(file.path(), *dataset);
  auto stated = range_of_part(*dataset, part);
  const auto place = dataset->raw_place();
  if (!place) {
    return std::make_shared<LibraryHdf5Source>(std::move(dataset), std::move(files), part, std::move(stated));
  }
  const auto& home = dataset->files().front();
  const bool linked = !std::filesystem::equivalent(file.path(), home);
  RawArray array(linked ? InputFile(home) : std::move(file), place->offset, dataset->type(), dataset->shape(),
                 place->big_endian);
  return std::make_shared<RawHdf5Source>(std::move(array), std::move(files), part, dataset->where(),
                                         std::move(stated));
}

std::shared_ptr<Source> open(const Settings& settings, const OpenContext& context) {
  InputFile file(input_path(settings, "hdf5", context));
  const std::string path = file.path().string();
  const std::string name = settings.find<std::string>("dataset").value_or("");
  const std::unique_lock lock(hdf5_input_mutex());
  std::unique_ptr<Hdf5Dataset> dataset;
  try {
    try_in_child(path, "the HDF5 library", limits_of(path, context),
                 [&] { try_dataset(path, name, context.cache_bytes); });
    dataset = std::make_unique<Hdf5Dataset>(path, name, context.cache_bytes);
  } catch (const JobError& error) {
    fail_setting(settings, settings.has("dataset") ? "dataset" : "hdf5", error.what());
  }
  kept_check(settings, "hdf5", context)(static_cast<std::int64_t>(dataset->memory()));
  if (dataset->misses_filters()) dataset->read_first();
  const Box part = selected_part(settings, *dataset);
  return make_source(std::move(dataset), std::move(file), part);
}

}  // namespace

InputKind hdf5_kind() {
  return {"hdf5", "a dataset of an HDF5 file, or a part of it", parameters, open,
          "{hdf5: measurements.h5, dataset: /run/temperature, select: [[0, 10], [0, 10]]}"};
}

}  // namespace terrace::io
