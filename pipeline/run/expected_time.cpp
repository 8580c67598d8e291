#include "pipeline/run/expected_time.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/run/array.hpp"

namespace terrace::run {
namespace {

/// Bytes of the generations of an array that live at a time.
double alive_bytes(const ArraySpec& array) {
  constexpr std::int64_t tiles_in_use = 4;  // that blocks make anew while they are read, and that are moved
  const auto size = static_cast<double>(size_of(array.type));
  const auto all = static_cast<double>(volume(array.shape)), tile = static_cast<double>(volume(array.tile));
  const auto more = static_cast<double>(std::max<std::int64_t>(0, array.kept - 1));
  return size * (all + std::min(more * all, std::max(static_cast<double>(tiles_in_use), more) * tile));
}

/// Bytes of the arrays without files that a plan reads: generated ones, and what an earlier stage has just written.
double generated_bytes(const Plan& plan) {
  double bytes = 0;
  for (const ArraySpec& array : plan.arrays()) {
    const bool generated = array.source && array.source->files().empty() && array.source->memory() == 0;
    if (generated) bytes += static_cast<double>(volume(array.shape)) * static_cast<double>(size_of(array.type));
  }
  return bytes;
}

/// The way in which the arrays that a stage reads and gives come and go.
struct Stream {
  double first = 1;   // share of all that has come before anything is computed
  double beside = 1;  // share of computing beside which anything is moved
};

Stream stream_of(const Plan& plan, const Prediction& p) {
  Stream stream;
  double most = 0, bytes = 0;
  for (const ArraySpec& array : plan.arrays()) {
    if (array.role == Role::scratch) continue;
    const double all = static_cast<double>(volume(array.shape)) * static_cast<double>(size_of(array.type));
    bytes += all;
    if (all <= most) continue;
    most = all;
    const auto tiles = static_cast<double>(TileGrid(array.shape, array.tile).count());
    stream.first = 1 / std::max(1.0, tiles);
    // A pass makes a tile anew, or in place twice where it hands something on to the next one. What stays in memory
    // comes beside the first pass and goes beside the last one.
    const double of_two_passes = tiles > 1 && array.kept == 1 ? 4 : 2;
    stream.beside = std::min(1.0, of_two_passes / static_cast<double>(std::max<std::int64_t>(1, array.generations)));
  }
  if (bytes == 0) {
    // Nothing comes and goes but tiles that memory does not hold.
    for (const ArraySpec& array : plan.arrays()) {
      stream.first = std::min(stream.first, 1 / static_cast<double>(TileGrid(array.shape, array.tile).count()));
    }
    return stream;
  }
  const bool stays = p.bytes_read + p.bytes_written <= 2.1 * bytes;
  if (!stays) stream.beside = 1;
  return stream;
}

}  // namespace

const char* PredictedTimes::bound() const {
  const std::pair<double, const char*> all[] = {{compute, "computing"}, {disk, "disk"},
                                                {link, "link"},         {blocks, "blocks"},
                                                {memory, "new memory"}, {made, "generated inputs"}};
  const auto& longest = *std::ranges::max_element(all, {}, [](const auto& time) { return time.first; });
  return longest.first > 0 ? longest.second : "";
}

double memory_of_all(const Stage& stage) {
  const Prediction p = stage.prediction();
  double bytes = 2 * static_cast<double>(p.block_bytes) + static_cast<double>(p.workspace_bytes) +
                 static_cast<double>(p.host_workspace_bytes);
  for (const ArraySpec& array : stage.plan().arrays()) bytes += alive_bytes(array);
  return bytes;
}

double memory_taken(const PlannedStage& planned) {
  return std::min(static_cast<double>(planned.host_budget), memory_of_all(*planned.stage));
}

PredictedTimes predicted_times(const PlannedStage& planned) {
  const Prediction p = planned.stage->prediction();
  const double generated = std::min(p.bytes_read, generated_bytes(planned.stage->plan()));
  PredictedTimes times;
  times.compute = p.operations_per_second > 0 ? p.operations / p.operations_per_second : 0;
  times.link = std::max(p.bytes_up, p.bytes_down) / assumed_link_bytes_per_second;
  times.disk = (p.bytes_read - generated + p.bytes_written) / assumed_disk_bytes_per_second;
  times.blocks = static_cast<double>(p.blocks) * assumed_block_seconds;
  times.memory = p.blocks > 0 ? memory_taken(planned) / assumed_new_memory_bytes_per_second : 0;
  times.made = generated / assumed_generated_bytes_per_second;
  return times;
}

double predicted_seconds(const PlannedStage& planned) {
  const Prediction p = planned.stage->prediction();
  const PredictedTimes times = predicted_times(planned);
  const Stream stream = stream_of(planned.stage->plan(), p);
  // Both ways over the link are taken at once only where there are several pieces.
  double link = times.link + stream.first * std::min(p.bytes_up, p.bytes_down) / assumed_link_bytes_per_second;
  double compute = times.compute;
  if (p.link_waits) compute += std::exchange(link, 0);
  const double longest = std::max({times.disk, link, times.made});
  const double moving = longest + stream.first * (times.disk + link + times.made - longest);
  const double hidden = (1 - stream.first) * std::min(moving, stream.beside * compute);
  return std::max(compute + moving - hidden, times.blocks) + times.memory;
}

}  // namespace terrace::run
