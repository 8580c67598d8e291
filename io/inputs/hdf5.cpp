// The input kind `hdf5`, read by boxes. Contiguous uncompressed numbers are read by positioned reads, by as many
// threads as ask; everything else by the library, one thread at a time.
#include <unistd.h>

#include <algorithm>

#include "io/child_check.hpp"
#include "io/files/writer.hpp"
#include "io/hdf5/dataset.hpp"
#include "io/input_file.hpp"
#include "io/inputs/raw_array.hpp"
#include "io/inputs/selection.hpp"
#include "io/inputs/unpack_setting.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "io/name_array.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

constexpr Parameter hdf5_parameters[] = {
    {"hdf5", ParameterKind::file, "an HDF5 file"},
    {"dataset", ParameterKind::text, "the dataset's full name; needed when there are several", ""},
    {"select", ParameterKind::selection, select_help, "", nullptr, 0},
    {"unpack", ParameterKind::flag,
     "what attributes of the dataset mean (CF, netCDF: `_FillValue`, `missing_value`, `valid_range`, `valid_min`, "
     "`valid_max`, `_Unsigned`, `scale_factor`, `add_offset`, and in files that netCDF wrote its default fill "
     "values); "
     "true: values are scaled, to f64, or to f32 if the attributes are f32, and missing ones are no edge for stages "
     "of graphs, NaN for stages with a key `nan`, which read integers as f64, and an error for all others; false: "
     "elements are read as they are stored; left out: they are, and one that an attribute would change is an error",
     ""},
    {"locked", ParameterKind::choice,
     "read: the file is read while another process has it open for writing, which may give old values, or zeros; "
     "left "
     "out: that is an error",
     "", "read"},
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

/// The description of a dataset, however its elements are read.
struct Description {
  std::vector<std::filesystem::path> files;
  std::string where;  // file and dataset
  std::optional<KnownRange> stated;
  std::shared_ptr<const Packing> packing;
  StoredNodes nodes;
  bool truths = false;
};

class Hdf5Source : public Source {
 public:
  explicit Hdf5Source(Description description) : description_(std::move(description)) {}

  std::vector<std::filesystem::path> files() const override { return description_.files; }
  std::string place_of(const Extents&) const override { return description_.where; }
  bool truths() const override { return description_.truths; }
  int results() const override { return results_of_packed(description_.packing); }
  std::optional<ChangedDefault> changed_default() const override {
    return changed_default_of_packed(description_.packing);
  }
  std::optional<KnownRange> known_range() const override { return description_.stated; }
  std::shared_ptr<const Packing> packing() const override { return description_.packing; }
  std::shared_ptr<const NodeNames> nodes() const override { return description_.nodes.nodes; }
  std::shared_ptr<const std::vector<std::int64_t>> sources() const override { return description_.nodes.sources; }

 private:
  Description description_;
};

class RawHdf5Source : public Hdf5Source {
 public:
  RawHdf5Source(RawArray array, Description description)
      : Hdf5Source(std::move(description)), array_(std::move(array)) {}

  ElementType type() const override { return array_.type(); }
  const Extents& shape() const override { return array_.shape(); }
  void read(const Box& box, void* buffer) override {
    if (!box.empty()) array_.read(box, buffer);
  }

 private:
  RawArray array_;
};

class LibraryHdf5Source : public Hdf5Source {
 public:
  LibraryHdf5Source(std::unique_ptr<Hdf5Dataset> dataset, Description description)
      : Hdf5Source(std::move(description)), dataset_(std::move(dataset)) {}
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
  std::size_t memory() const override {
    const std::lock_guard lock(hdf5_input_mutex());
    return dataset_->memory();
  }

 private:
  std::unique_ptr<Hdf5Dataset> dataset_;
};

/// The named file and all others that the elements come from.
std::vector<std::filesystem::path> all_files(const std::filesystem::path& named, const Hdf5Dataset& dataset) {
  std::vector<std::filesystem::path> files{named};
  for (const auto& file : dataset.files()) {
    if (!std::filesystem::equivalent(named, file)) files.push_back(file);
  }
  return files;
}

/// The texts of a dataset as a table of names.
std::shared_ptr<Source> name_table(const Hdf5Dataset& dataset, const InputFile& file, const CheckKept& check_kept) {
  NameArray names(check_kept);
  for (const std::string& text : dataset.read_texts()) names.add(text);
  return names.finish(dataset.shape(), all_files(file.path(), dataset), dataset.where());
}

std::shared_ptr<Source> make_source(std::unique_ptr<Hdf5Dataset> dataset, InputFile file, Description description) {
  const auto place = dataset->raw_place();
  if (!place) return std::make_shared<LibraryHdf5Source>(std::move(dataset), std::move(description));
  const auto& home = dataset->files().front();
  const bool linked = !std::filesystem::equivalent(file.path(), home);
  RawArray array(linked ? InputFile(home) : std::move(file), place->offset, dataset->type(), dataset->shape(),
                 place->big_endian);
  return std::make_shared<RawHdf5Source>(std::move(array), std::move(description));
}

/// @throws JobError if another process writes the file, unless the job says `locked: read`
void refuse_written(const InputFile& file, const Settings& settings) {
  if (settings.has("locked")) return;
  const auto writer = find_writer(file.descriptor());
  if (!writer) return;
  fail_setting(
      settings, "hdf5",
      "hdf5: " + file.path().string() + " is open for writing in " + *writer +
          ", so that what is read of it may be old, or zeros: wait until it is closed, or say `locked: read` "
          "to read it all the same");
}

Description describe(const Hdf5Dataset& dataset, const InputFile& file, const Settings& settings,
                     const OpenContext& context) {
  Description description{
      all_files(file.path(), dataset), dataset.where(), {}, nullptr, dataset.nodes(), dataset.truths()};
  for (std::size_t i = 1; i < description.files.size(); ++i) {
    refuse_written(InputFile(description.files[i]), settings);
  }
  if (asks_attributes(settings)) description.stated = dataset.stated();
  description.packing = packing_as_asked(settings, "hdf5", dataset.where(), dataset.shape(),
                                         dataset.packing().packing, dataset.packing().faults, context);
  return description;
}

std::shared_ptr<Source> open_hdf5(const Settings& settings, const OpenContext& context) {
  InputFile file(input_path(settings, "hdf5", context));
  refuse_written(file, settings);
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
  const CheckKept check_kept = kept_check(settings, "hdf5", context);
  check_kept(static_cast<std::int64_t>(dataset->memory()));
  if (dataset->misses_filters()) dataset->read_first();
  Description description = describe(*dataset, file, settings, context);
  if (dataset->texts()) return selected(name_table(*dataset, file, check_kept), settings, dataset->where());
  const std::string where = dataset->where();
  return selected(make_source(std::move(dataset), std::move(file), std::move(description)), settings, where);
}

}  // namespace

InputKind hdf5_kind() {
  return {
      "hdf5",
      "a dataset of an HDF5 file, or a part of it",
      hdf5_parameters,
      open_hdf5,
      "{hdf5: measurements.h5, dataset: /run/temperature, select: [[0, 10], [0, 10]]}\nunpack: true, locked: read",
      {{"unpack", earlier_unpack}}};
}

}  // namespace terrace::io
