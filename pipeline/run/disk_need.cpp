#include "pipeline/run/disk_need.hpp"

#include "io/files/durable.hpp"
#include "pipeline/base/rounding.hpp"
#include "pipeline/run/executor/slot_files.hpp"

namespace terrace::run {
namespace {

namespace fs = std::filesystem;

std::int64_t bytes_of(const ArraySpec& spec) {
  return volume(spec.shape) * static_cast<std::int64_t>(size_of(spec.type));
}

}  // namespace

std::vector<ScratchFile> scratch_files(const RunPlan& plan) {
  std::vector<ScratchFile> files;
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const auto& arrays = plan.stages[s].stage->plan().arrays();
    for (const SlotFileSpec& slots : slot_files(arrays)) {
      ScratchFile file{s, slots.arrays, slots.name, slots.slots, slots.slot_bytes, 0};
      const ArraySpec& first = arrays[slots.arrays.front()];
      file.grows = first.found;
      if (lies_in_scratch(plan.stages[s], first)) file.home_bytes = bytes_of(first);
      if (file.slots > 0 || file.home_bytes > 0) files.push_back(std::move(file));
    }
  }
  return files;
}

DiskNeed disk_need(const RunPlan& plan) {
  DiskNeed need;
  for (const ScratchFile& file : scratch_files(plan)) need.scratch += file.reserved();
  for (const LargeDataset& dataset : large_datasets(plan)) {
    const std::int64_t bytes = volume(dataset.spec.shape) * static_cast<std::int64_t>(size_of(dataset.spec.type));
    need.result += bytes + page_bytes;
    if (plan.stages[dataset.stage].is_taken()) need.taken += bytes;
  }
  need.result += 1 << 20;  // for small datasets, written at the end
  return need;
}

void check_disk(const RunPlan& plan, const fs::path& folder, std::int64_t shared) {
  const DiskNeed need = disk_need(plan);
  io::check_free_space(folder, need.result - shared + (plan.scratch.empty() ? need.scratch : 0));
  if (!plan.scratch.empty()) io::check_free_space(plan.scratch, need.scratch);
  io::check_file_size(folder / "result.h5", need.result);
}

}  // namespace terrace::run
