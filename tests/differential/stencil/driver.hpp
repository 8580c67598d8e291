// Runs a stencil on a device, pass by pass and slab by slab, through one launch a pass: for tests and benchmarks.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kernels/device/memory.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/points.hpp"
#include "kernels/stencil/reference/reference.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::stencil::testing {

/// Memory of a device between two guards. All of it is filled with bytes 0xFF, which are NaN in either type.
class GuardedMemory {
 public:
  GuardedMemory(device::Context& context, std::int64_t bytes)
      : context_(context), bytes_(static_cast<std::size_t>(bytes)), all_(context, bytes_ + 2 * guard) {
    write(all_.data(), std::vector<unsigned char>(all_.bytes(), 0xFF).data(), all_.bytes());
  }

  void* data() const { return all_.as() + guard; }
  void put(const void* values) { write(data(), values, bytes_); }
  void get(void* values) const { read(values, data(), bytes_); }
  /// True if nobody wrote into the guards.
  bool is_intact() const {
    std::vector<unsigned char> all(all_.bytes());
    read(all.data(), all_.data(), all.size());
    const auto kept = [](unsigned char byte) { return byte == 0xFF; };
    return std::all_of(all.begin(), all.begin() + guard, kept) && std::all_of(all.end() - guard, all.end(), kept);
  }

 private:
  static constexpr std::size_t guard = 1024;

  void write(void* to, const void* from, std::size_t bytes) { move(device::Queue::up, to, from, bytes); }
  void read(void* to, const void* from, std::size_t bytes) const { move(device::Queue::down, to, from, bytes); }
  void move(device::Queue queue, void* to, const void* from, std::size_t bytes) const {
    if (bytes == 0) return;
    if (context_.shares_host_memory()) {
      std::memcpy(to, from, bytes);
      return;
    }
    // From and to any memory of the host: pinning as many small pieces took most of the time of the tests.
    context_.copy(queue, to, from, bytes);
    context_.record(queue)->wait();
  }

  device::Context& context_;
  std::size_t bytes_;
  device::Memory all_;
};

/// Report of a run.
struct RunReport {
  std::vector<double> changes;   // of each row in the last step
  double total = 0;              // of the changes
  std::vector<double> received;  // values of receivers, times x receivers
  NotFinite not_finite;          // cells after the last step
  double seconds = 0;            // in launches
};

/// Options of a run.
struct RunOptions {
  bool changes = false;  // report the changes of the last step
};

/// A grid cut into tiles on a device, each with memory of its own.
template <class T>
class StencilDriver {
 public:
  /// @param kernel made for the spec; owned by the caller
  StencilDriver(const StencilSpec& spec, device::Context& context, device::BlockKernel& kernel, const Grids<T>& grids)
      : spec_(spec), cut_(spec), axis_(spec.axis()), context_(context), kernel_(kernel) {
    for (const auto& field : grids.fields) {
      fields_.push_back(tiles_of(field, spec.tile_rows()));
      if (cut_.streams()) made_.push_back(tiles_of(field, spec.tile_rows()));
    }
    for (const auto& array : grids.arrays) arrays_.push_back(tiles_of(array, cut_.array_tile_rows()));
    const std::int64_t rim = axis_.radius * spec.pass_steps;
    for (std::int64_t part = 0; part < cut_.parts() && cut_.slabs() > 0; ++part) {
      carries_.push_back(
          memories(cut_.streams() ? carry_rows(axis_.radius, spec.pass_steps, spec.at_once) : std::int64_t{0}));
      rooms_.push_back(memories(cut_.streams() ? spec.slab_rows : 0));
      above_.push_back(memories(cut_.has_rims() ? rim : 0));
      below_.push_back(memories(cut_.has_rims() ? rim : 0));
    }
  }

  /// Makes steps. @param step steps made before
  RunReport run(std::int64_t step, std::int64_t steps, const RunOptions& options = {}) {
    RunReport report;
    GuardedMemory changes(context_, axis_.rows * static_cast<std::int64_t>(sizeof(double)));
    prepare_receivers(step, steps);
    for (std::int64_t done = 0; done < steps && cut_.slabs() > 0;) {
      const std::int64_t pass = std::min(spec_.pass_steps, steps - done);
      const bool is_last = done + pass == steps;
      run_pass(step + done, pass, options.changes && is_last ? &changes : nullptr, is_last, report);
      done += pass;
    }
    if (options.changes) {
      report.changes.resize(static_cast<std::size_t>(axis_.rows));
      changes.get(report.changes.data());
    }
    if (!changes.is_intact()) throw std::runtime_error("a kernel wrote beyond the changes");
    if (traces_) take_received(report);
    return report;
  }

  /// Copies the grid from the device. @throws std::runtime_error if anything was written outside the tiles
  void get(Grids<T>& grids) const {
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      for (std::size_t tile = 0; tile < fields_[f].size(); ++tile) {
        const std::int64_t begin = cut_.tile(static_cast<std::int64_t>(tile)).begin;
        fields_[f][tile]->get(grids.fields[f].data() + begin * spec_.width());
      }
    }
    for (const auto* all : {&fields_, &made_, &arrays_, &carries_, &rooms_, &above_, &below_}) {
      for (const Memories& list : *all) {
        for (const auto& memory : list) {
          if (!memory->is_intact()) throw std::runtime_error("a kernel wrote outside its rows");
        }
      }
    }
  }

 private:
  using Memories = std::vector<std::unique_ptr<GuardedMemory>>;

  std::int64_t receivers() const { return std::ssize(spec_.points->receivers); }
  void prepare_receivers(std::int64_t step, std::int64_t steps) {
    if (!spec_.points) return;
    const std::int64_t row = receivers() * static_cast<std::int64_t>(sizeof(T));
    first_time_ = spec_.points->times(step);
    times_ = spec_.points->times(step + steps) - first_time_;
    received_ = std::make_unique<GuardedMemory>(context_, times_ * row);
    traces_ =
        std::make_unique<GuardedMemory>(context_, cut_.parts() * spec_.points->most_times(spec_.pass_steps) * row);
  }
  void take_received(RunReport& report) const {
    if (!traces_->is_intact() || !received_->is_intact()) throw std::runtime_error("a kernel wrote beyond receivers");
    std::vector<T> values(static_cast<std::size_t>(times_ * receivers()));
    received_->get(values.data());
    report.received.assign(values.begin(), values.end());
  }
  /// The task that brings what the parts have recorded in a pass to the result.
  StencilTask record_task(std::int64_t step, std::int64_t steps) const {
    StencilTask task{};
    task.work = Work::record;
    task.row_begin = spec_.points->times(step) - first_time_;
    task.row_end = spec_.points->times(step + steps) - first_time_;
    task.traces = traces_->data();
    add_piece(task.targets[0], 0, times_, *received_);
    return task;
  }

  std::int64_t bytes_of(std::int64_t rows) const {
    return rows * spec_.width() * static_cast<std::int64_t>(sizeof(T));
  }
  /// Memory for rows of each field.
  Memories memories(std::int64_t rows) const {
    Memories list;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      list.push_back(std::make_unique<GuardedMemory>(context_, bytes_of(rows)));
    }
    return list;
  }
  Memories tiles_of(const std::vector<T>& values, std::int64_t height) const {
    Memories tiles;
    for (std::int64_t row = 0; row < axis_.rows && cut_.slabs() > 0; row += height) {
      const std::int64_t rows = std::min<std::int64_t>(height, axis_.rows - row);
      tiles.push_back(std::make_unique<GuardedMemory>(context_, bytes_of(rows)));
      tiles.back()->put(values.data() + row * spec_.width());
    }
    return tiles;
  }

  static void add_piece(Rows& rows, std::int64_t begin, std::int64_t count, const GuardedMemory& memory) {
    if (count == 0) return;
    if (rows.pieces == Rows::most_pieces) throw std::logic_error("too many pieces of rows");
    rows.begin[rows.pieces] = begin;
    rows.data[rows.pieces] = memory.data();
    ++rows.pieces;
    rows.end = begin + count;
  }
  /// Changes of rows, in memory that has one value for each row of the grid.
  static void add_changes(Rows& changes, RowRange rows, const GuardedMemory& memory) {
    changes.pieces = 1;
    changes.begin[0] = rows.begin;
    changes.end = rows.end;
    changes.data[0] = static_cast<double*>(memory.data()) + rows.begin;
  }
  /// The tiles of that height that hold rows, whole ones. On a periodic axis rows may be outside the grid.
  Rows tiles_with(const Memories& tiles, std::int64_t height, RowRange range) const {
    Rows rows{};
    for (std::int64_t row = range.begin; row < range.end; row = rows.end) {
      const std::int64_t inside = (row % axis_.rows + axis_.rows) % axis_.rows, tile = inside / height;
      const std::int64_t count = std::min<std::int64_t>(height, axis_.rows - tile * height);
      add_piece(rows, row - inside % height, count, *tiles[static_cast<std::size_t>(tile)]);
    }
    return rows;
  }

  void add_saves(std::vector<StencilTask>& tasks, std::int64_t steps) const {
    for (std::int64_t part = 0; part < cut_.parts() && cut_.has_rims(); ++part) {
      add_save(tasks, cut_.rim_above(part, steps), above_[static_cast<std::size_t>(part)]);
      add_save(tasks, cut_.rim_below(part, steps), below_[static_cast<std::size_t>(part)]);
    }
  }
  void add_save(std::vector<StencilTask>& tasks, RowRange rim, const Memories& targets) const {
    if (rim.count() == 0) return;
    StencilTask task{};
    task.work = Work::save;
    task.row_begin = rim.begin;
    task.row_end = rim.end;
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      task.fields[f] = tiles_with(fields_[f], spec_.tile_rows(), rim);
      add_piece(task.targets[f], rim.begin, rim.count(), *targets[f]);
    }
    tasks.push_back(task);
  }

  StencilTask slab_task(std::int64_t number, std::int64_t step, std::int64_t steps,
                        const GuardedMemory* changes) const {
    const Slab slab = cut_.slab(number, steps);
    const auto part = static_cast<std::size_t>(slab.part);
    StencilTask task = cut_.task_of(slab, step, steps);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (!cut_.streams()) {
        Rows& rows = task.fields[f];
        add_piece(rows, slab.above.begin, slab.above.count(), *above_[part][f]);
        for (std::int64_t tile = slab.rows.begin / spec_.tile_rows(); tile * spec_.tile_rows() < slab.rows.end;
             ++tile)
          add_piece(rows, cut_.tile(tile).begin, cut_.tile(tile).count(),
                    *fields_[f][static_cast<std::size_t>(tile)]);
        add_piece(rows, slab.below.begin, slab.below.count(), *below_[part][f]);
        continue;
      }
      task.fields[f] = tiles_with(fields_[f], spec_.tile_rows(), cut_.taken_rows(slab, steps));
      if (slab.leads) add_piece(task.targets[f], slab.rows.begin, slab.rows.count(), *rooms_[part][f]);
      else task.targets[f] = tiles_with(made_[f], spec_.tile_rows(), slab.rows);
      task.carry[f] = carries_[part][f]->data();
    }
    for (std::size_t a = 0; a < arrays_.size(); ++a) {
      task.arrays[a] = tiles_with(arrays_[a], cut_.array_tile_rows(), cut_.array_rows(slab, steps));
    }
    if (traces_) {
      task.traces = static_cast<T*>(traces_->data()) +
                    slab.part * (spec_.points->times(step + steps) - spec_.points->times(step)) * receivers();
    }
    if (changes != nullptr) {
      task.measures = 1;
      const RowRange rows = cut_.result_rows(slab);
      add_changes(task.changes, rows, *changes);
    }
    return task;
  }

  /// @param counts true: the cells that are not finite after the pass are counted
  void run_pass(std::int64_t step, std::int64_t steps, const GuardedMemory* changes, bool counts, RunReport& report) {
    std::vector<StencilTask> tasks;
    add_saves(tasks, steps);
    for (std::int64_t slab = 0; slab < cut_.blocks(); ++slab) {
      tasks.push_back(slab_task(slab, step, steps, changes));
      tasks.back().counts = counts ? 1 : 0;
    }
    if (traces_) tasks.push_back(record_task(step, steps));
    if (changes != nullptr) {
      StencilTask task{};
      task.work = Work::total;
      task.row_end = axis_.rows;
      add_changes(task.changes, {0, axis_.rows}, *changes);
      tasks.push_back(task);
    }
    const std::vector<StencilResult> results = launch(tasks, report.seconds);
    if (changes != nullptr) report.total = results.back().total;
    for (const StencilResult& result : results) report.not_finite.add(result.not_finite);
    if (cut_.streams()) std::swap(fields_, made_);
  }

  /// Runs blocks in one launch. @return their results
  std::vector<StencilResult> launch(const std::vector<StencilTask>& tasks, double& seconds) {
    constexpr std::size_t words_bytes = 4096;
    const std::size_t count = tasks.size(), task_bytes = count * sizeof(StencilTask);
    const std::size_t bytes = words_bytes + task_bytes + count * sizeof(StencilResult);
    const device::Memory memory(context_, bytes, device::In::host);
    std::memset(memory.data(), 0, bytes);
    std::memcpy(memory.as() + words_bytes, tasks.data(), task_bytes);
    auto* words = memory.as<device::u64>();
    device::Port port{};
    device::u64** const names[] = {&port.ready, &port.stop, &port.abort, &port.done, &port.failed, &port.skipped};
    for (std::size_t i = 0; i < 6; ++i) *names[i] = words + i;
    port.descriptors = memory.as() + words_bytes;
    port.results = memory.as() + words_bytes + task_bytes;
    port.ring = port.count = count;
    port.descriptor_bytes = sizeof(StencilTask);
    port.result_bytes = sizeof(StencilResult);
    *port.ready = count;
    const auto begin = std::chrono::steady_clock::now();
    run_and_wait(port);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::vector<StencilResult> results(count);
    std::memcpy(results.data(), port.results, count * sizeof(StencilResult));
    if (*port.done != count) throw std::runtime_error("the launch left blocks undone");
    return results;
  }
  void run_and_wait(const device::Port& port) {
    kernel_.run(port);
    if (context_.shares_host_memory()) return;
    const auto begin = std::chrono::steady_clock::now();
    const auto end = context_.record(device::Queue::compute);
    while (!end->done()) {
      if (std::chrono::steady_clock::now() - begin > std::chrono::seconds(60)) {
        __atomic_store_n(port.abort, 1, __ATOMIC_RELEASE);
      }
      // A simulated device needs the processor; looks at a real one belong to the time that is measured.
      if (test::is_simulated(context_)) std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    end->wait();
  }

  StencilSpec spec_;
  Cut cut_;
  Axis axis_;
  device::Context& context_;
  device::BlockKernel& kernel_;
  std::vector<Memories> fields_, made_, arrays_;           // tiles of each; made_: those that slabs of streams leave
  std::vector<Memories> carries_, rooms_, above_, below_;  // of each part, by field
  std::int64_t first_time_ = 0, times_ = 0;                // recorded times before a run, and in it
  std::unique_ptr<GuardedMemory> traces_, received_;
};

/// Makes `steps` steps of a grid with a kernel made for the spec.
template <class T>
RunReport run_stencil(const StencilSpec& spec, device::Context& context, device::BlockKernel& kernel, Grids<T>& grids,
                      std::int64_t step, std::int64_t steps, const RunOptions& options = {}) {
  StencilDriver<T> driver(spec, context, kernel, grids);
  const RunReport report = driver.run(step, steps, options);
  driver.get(grids);
  return report;
}

}  // namespace terrace::stencil::testing
