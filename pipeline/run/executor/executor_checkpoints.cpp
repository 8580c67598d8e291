// The executor's checkpoints: when one is due, its conditions, and the last one of a stage.
#include "pipeline/run/executor/executor.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"

namespace terrace::run {
namespace {

constexpr double least_interval = 10;      // seconds between checkpoints
constexpr double checkpoint_share = 0.05;  // of the time that checkpoints may take
constexpr double assumed_rate = 1e9;       // bytes a second that any disk for such runs takes
constexpr double least_writing = 0.1;      // seconds of writing before its rate counts as measured

}  // namespace

bool Executor::anything_running() const {
  for (const Device& device : devices_) {
    for (const auto& launch : device.launches) {
      if (launch->active()) return true;
    }
  }
  return false;
}

/// True if a launch is stopping or has all of its blocks: it will end by itself.
bool Executor::anything_ending() const {
  for (const Device& device : devices_) {
    for (const auto& launch : device.launches) {
      if (launch->active() && (launch->stopping() || launch->is_fed())) return true;
    }
  }
  return false;
}

/// True if it is time for a checkpoint: as often as the job says, or so that checkpoints take a twentieth of the
/// time, judged by the time of the last checkpoint and the bytes to write.
bool Executor::checkpoint_is_due(double now) {
  if (checkpoints_.active() || done_blocks_ == checkpoint_blocks_) return false;
  const double passed = now - last_checkpoint_end_;
  if (environment_.checkpoint_seconds > 0) return passed > environment_.checkpoint_seconds;
  if (passed < std::max(least_interval, checkpoint_seconds_ / checkpoint_share) || now < next_look_) return false;
  next_look_ = now + 1;
  return passed > static_cast<double>(dirty_bytes()) / assumed_rate / checkpoint_share;
}

/// Bytes a second at which tiles are written: as measured in this attempt, or assumed before there is a measurement.
double Executor::disk_rate() {
  const double seconds = residence_.writing_seconds();
  if (seconds < least_writing) return assumed_rate;
  return static_cast<double>(environment_.profile->stage().bytes_written) / seconds;
}

/// True if there are free slots for all tiles that a checkpoint would store now, in addition to the slots for running
/// writes: a tile that is stored and then changed takes two.
bool Executor::slots_for_checkpoint() {
  std::vector<std::int64_t> needed = unstored_;
  bool under_way = false;
  for (const auto& [key, version] : versions_) {
    if (version->claims == 0 || version->on_disk() || !has_content(*version)) continue;
    needed[store_.slot_file(key.array)] += store_.slots_of_tile(key.array);
    under_way = true;
  }
  if (!under_way) return true;
  for (std::size_t file = 0; file < needed.size(); ++file) {
    if (needed[file] > store_.free_slots(file)) return false;
  }
  return true;
}

/// Stops chains of updates, which do not end by themselves: a checkpoint waits until no update is running.
void Executor::end_update_chains() {
  for (Device& device : devices_) {
    for (LaunchHandle* launch : active_launches(device)) {
      if (keeps_last(*launch) && !launch->stopping()) launch->stop();
    }
  }
}

/// Starts no block any more, and makes a last checkpoint.
void Executor::stop() {
  stopping_ = true;
  checkpoint_wanted_ = true;
  stop_launches();
}

void Executor::manage_checkpoints() {
  const double now = environment_.profile->now();
  if (!stopping_ && environment_.stop != nullptr && environment_.stop->load() != 0) stop();
  if (residence_.wants_checkpoint() || checkpoint_is_due(now)) checkpoint_wanted_ = true;
  if (checkpoint_wanted_ && !checkpoints_.active() && running_updates_ > 0) end_update_chains();
  if (!checkpoint_wanted_ || checkpoints_.active() || running_updates_ > 0) return;
  if (stopping_ && anything_running()) return;
  checkpoint_lacks_slots_ = !slots_for_checkpoint();
  if (checkpoint_lacks_slots_) return;
  checkpoint_wanted_ = false;
  checkpoint_blocks_ = done_blocks_;
  checkpoint_begin_ = now;
  ++fruitless_checkpoints_;
  environment_.profile->log_blocks(true);
  checkpoints_.begin(false, work());
}

void Executor::finish() {
  auto arrays_done = [&] {
    for (std::size_t array = 0; array < grids_.size(); ++array) {
      const ArraySpec& spec = plan_.arrays()[array];
      if (spec.role != Role::result) continue;
      const TileGrid made(plan_.made_shape(static_cast<int>(array), tally_), spec.tile);
      if (stored_tiles_[array] < made.count()) return false;
    }
    return true;
  };
  bool begun = false, committed = false;
  checkpoints_.on_commit = [&] {
    ++environment_.profile->stage().checkpoints;
    committed = begun;
  };
  while (!committed) {
    bool moved = completions_.drain();
    moved |= residence_.poll();
    moved |= take_results();
    checkpoints_.poll();
    if (!begun && !checkpoints_.active() && !residence_.busy() && !anything_running()) {
      if (!arrays_done())
        throw Error("stage " + environment_.profile->stage().name + " left a part of its result unwritten");
      begun = true;
      checkpoints_.begin(true, work());
      moved = true;
    }
    wait(moved);
  }
  report(true);
}

}  // namespace terrace::run
