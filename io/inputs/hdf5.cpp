// The input kind `hdf5`, read by boxes. Contiguous uncompressed numbers are read by positioned reads, by as many
// threads as ask; everything else by the library, one thread at a time.
#include <unistd.h>

#include <algorithm>

#include "io/child_check.hpp"
#include "io/hdf5/dataset.hpp"
#include "io/input_file.hpp"
#include "io/inputs/raw_array.hpp"
#include "io/inputs/selection.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

constexpr Parameter hdf5_parameters[] = {
    {"hdf5", ParameterKind::file, "an HDF5 file"},
    {"dataset", ParameterKind::text, "the dataset's full name; needed when there are several", ""},
    {"select", ParameterKind::selection, select_help, "", nullptr, 0},
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

class RawHdf5Source : public Source {
 public:
  RawHdf5Source(RawArray array, std::vector<std::filesystem::path> files, const Hdf5Dataset& dataset)
      : array_(std::move(array)),
        files_(std::move(files)),
        where_(dataset.where()),
        stated_(dataset.stated()),
        nodes_(dataset.nodes()) {}

  ElementType type() const override { return array_.type(); }
  const Extents& shape() const override { return array_.shape(); }
  void read(const Box& box, void* buffer) override {
    if (!box.empty()) array_.read(box, buffer);
  }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string place_of(const Extents&) const override { return where_; }
  std::optional<KnownRange> known_range() const override { return stated_; }
  std::shared_ptr<const NodeNames> nodes() const override { return nodes_; }

 private:
  RawArray array_;
  std::vector<std::filesystem::path> files_;
  std::string where_;  // file and dataset
  std::optional<KnownRange> stated_;
  std::shared_ptr<const NodeNames> nodes_;
};

class LibraryHdf5Source : public Source {
 public:
  LibraryHdf5Source(std::unique_ptr<Hdf5Dataset> dataset, std::vector<std::filesystem::path> files)
      : dataset_(std::move(dataset)), files_(std::move(files)) {}
  ~LibraryHdf5Source() override {
    const std::lock_guard lock(hdf5_input_mutex());
    dataset_.reset();
  }

  ElementType type() const override { return dataset_->type(); }
  const Extents& shape() const override { return dataset_->shape(); }
  void read(const Box& box, void* buffer) override {
    const std::lock_guard lock(hdf5_input_mutex());
    dataset_->read(box, buffer);
  }
  std::vector<std::filesystem::path> files() const override { return files_; }
  std::string place_of(const Extents&) const override { return dataset_->where(); }
  std::optional<KnownRange> known_range() const override { return dataset_->stated(); }
  std::shared_ptr<const NodeNames> nodes() const override { return dataset_->nodes(); }
  std::size_t memory() const override {
    const std::lock_guard lock(hdf5_input_mutex());
    return dataset_->memory();
  }

 private:
  std::unique_ptr<Hdf5Dataset> dataset_;
  std::vector<std::filesystem::path> files_;
};

/// The named file and all others that the elements come from.
std::vector<std::filesystem::path> all_files(const std::filesystem::path& named, const Hdf5Dataset& dataset) {
  std::vector<std::filesystem::path> files{named};
  for (const auto& file : dataset.files()) {
    if (!std::filesystem::equivalent(named, file)) files.push_back(file);
  }
  return files;
}

std::shared_ptr<Source> make_source(std::unique_ptr<Hdf5Dataset> dataset, InputFile file) {
  auto files = all_files(file.path(), *dataset);
  const auto place = dataset->raw_place();
  if (!place) return std::make_shared<LibraryHdf5Source>(std::move(dataset), std::move(files));
  const auto& home = dataset->files().front();
  const bool linked = !std::filesystem::equivalent(file.path(), home);
  RawArray array(linked ? InputFile(home) : std::move(file), place->offset, dataset->type(), dataset->shape(),
                 place->big_endian);
  return std::make_shared<RawHdf5Source>(std::move(array), std::move(files), *dataset);
}

std::shared_ptr<Source> open_hdf5(const Settings& settings, const OpenContext& context) {
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
  const std::string where = dataset->where();
  return selected(make_source(std::move(dataset), std::move(file)), settings, where);
}

}  // namespace

InputKind hdf5_kind() {
  return {"hdf5", "a dataset of an HDF5 file, or a part of it", hdf5_parameters, open_hdf5,
          "{hdf5: measurements.h5, dataset: /run/temperature, select: [[0, 10], [0, 10]]}"};
}

}  // namespace terrace::io
