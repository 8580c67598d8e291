// One slab of an in-place pass on the CPU: its bands, their rows, and their dependences.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/in_place/cpu/strip.hpp"
#include "kernels/in_place/sweep.hpp"
#include "kernels/in_place/task.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::in_place {

using values::AlignedArray;

/// The data that all slabs of a sweep share: the kernel, and the layout of a pass over lanes.
template <class T>
struct InPlacePlan {
  device::i64 rows, columns, lanes, lag;
  AdvanceInPlace<T> advance;
  std::vector<std::byte> constants;

  /// Groups of a pass: `lanes` sweeps each, the last one fewer.
  device::i64 groups(device::i64 sweeps) const { return (sweeps + lanes - 1) / lanes; }
  /// Steps of a pass over the columns, and the further steps before and after them that a state has room for.
  device::i64 steps() const { return columns + lag * (lanes - 1); }
  device::i64 margin() const { return lag * (band_passes + 1); }
  device::i64 state_size() const { return (steps() + 2 * margin()) * lanes; }
};

/// Memory of one thread: input rows, results of lanes, registers between strips.
template <class T>
struct InPlaceScratch {
  explicit InPlaceScratch(device::i64 lanes)
      : in((band_passes + 1) * in_width),
        out(band_passes * in_place_chunk * lanes),
        registers(device::i64{in_place_registers} * band_passes * lanes) {}

  /// Columns of a strip and those around it that its steps read.
  static constexpr device::i64 in_width = in_place_chunk + device::i64{2} * (band_passes + 3);

  AlignedArray<T> in, out, registers;
};

/// The progress of the bands of a slab: steps that all passes of a band have made.
class InPlaceProgress {
 public:
  explicit InPlaceProgress(device::i64 bands) : steps_(static_cast<std::size_t>(bands)) {}
  void publish(device::i64 band, device::i64 steps) {
    steps_[static_cast<std::size_t>(band)].value.store(steps, std::memory_order_release);
  }
  device::i64 steps(device::i64 band) const {
    return steps_[static_cast<std::size_t>(band)].value.load(std::memory_order_acquire);
  }

 private:
  struct alignas(64) Steps {
    std::atomic<device::i64> value{0};
  };
  std::vector<Steps> steps_;
};

/// Bands are numbered group by group, in a group from top to bottom; a band needs only bands with smaller numbers.
template <class T>
class InPlaceSlab {
 public:
  /// @param states of each group, plan.state_size() values: for this slab alone while it is swept
  /// @param leave true if a waiting thread must give up
  InPlaceSlab(const InPlacePlan<T>& plan, const InPlaceTask& task, std::vector<AlignedArray<T>>& states,
              std::function<bool()> leave);

  device::i64 bands() const { return first_band_.back(); }
  /// Sweeps a band once the bands that it needs are far enough. @return false if it left early
  bool sweep(device::i64 band, InPlaceScratch<T>& scratch);

 private:
  struct Band {
    device::i64 number, group;
    device::i64 first_row, live;  // row at lane 0 in the first pass; passes
    device::i64 lanes;            // that make sweeps
    bool first, last;             // of the group
  };

  device::i64 begin_row(device::i64 group) const;
  device::i64 end_row(device::i64 group) const;
  device::i64 lanes_of(device::i64 group) const;
  Band band(device::i64 number) const;
  T* state(const Band& band, device::i64 step) const;
  T* row_of(device::i64 row) const;
  bool wait(device::i64 band, device::i64 steps) const;
  bool wait_for_others(const Band& band, device::i64 end) const;
  void load_state(const Band& band, device::i64 begin, device::i64 end) const;
  void leave_state(const Band& band, device::i64 begin, device::i64 end) const;
  void load_rows(const Band& band, const InPlaceStrip<T>& strip, InPlaceScratch<T>& scratch) const;
  void store_rows(const Band& band, const InPlaceStrip<T>& strip) const;

  const InPlacePlan<T>& plan_;
  InPlaceTask task_;
  std::vector<AlignedArray<T>>& states_;
  std::function<bool()> leave_;
  bool is_last_;
  std::vector<device::i64> first_band_;  // of each group, and one past the last
  std::unique_ptr<InPlaceProgress> progress_;
};

extern template class InPlaceSlab<float>;
extern template class InPlaceSlab<double>;

}  // namespace terrace::in_place
