#include "kernels/in_place/cpu/slab.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/launch/cpu_backoff.hpp"

namespace terrace::in_place {

using device::i64;

template <class T>
InPlaceSlab<T>::InPlaceSlab(const InPlacePlan<T>& plan, const InPlaceTask& task, std::vector<AlignedArray<T>>& states,
                            std::function<bool()> leave)
    : plan_(plan),
      task_(task),
      states_(states),
      leave_(std::move(leave)),
      is_last_(task.row_end == plan.rows),
      first_band_{0} {
  for (i64 group = 0; group < plan_.groups(task_.sweeps); ++group) {
    const i64 passes = end_row(group) - begin_row(group);
    first_band_.push_back(first_band_.back() + (passes + band_passes - 1) / band_passes);
  }
  progress_ = std::make_unique<InPlaceProgress>(bands());
}

/// The first row of lane 0 of a group: the next one after its last row in the slab above.
template <class T>
i64 InPlaceSlab<T>::begin_row(i64 group) const {
  return task_.row_begin == 0 ? 0 : task_.row_begin - 1 - group * plan_.lanes;
}

/// One past the last row of lane 0: in the last slab, all lanes reach the last row.
template <class T>
i64 InPlaceSlab<T>::end_row(i64 group) const {
  return is_last_ ? plan_.rows + lanes_of(group) - 1 : task_.row_end - 1 - group * plan_.lanes;
}

template <class T>
i64 InPlaceSlab<T>::lanes_of(i64 group) const {
  return std::min(plan_.lanes, task_.sweeps - group * plan_.lanes);
}

template <class T>
typename InPlaceSlab<T>::Band InPlaceSlab<T>::band(i64 number) const {
  const auto next = std::upper_bound(first_band_.begin(), first_band_.end(), number);
  const i64 group = next - first_band_.begin() - 1;
  Band band{};
  band.number = number;
  band.group = group;
  band.first_row = begin_row(group) + (number - *(next - 1)) * band_passes;
  band.live = std::min<i64>(band_passes, end_row(group) - band.first_row);
  band.lanes = lanes_of(group);
  band.first = number == *(next - 1);
  band.last = number + 1 == *next;
  return band;
}

template <class T>
T* InPlaceSlab<T>::state(const Band& band, i64 step) const {
  return states_[static_cast<std::size_t>(band.group)].data() + (plan_.margin() + step) * plan_.lanes;
}

/// A row of this slab or of the slab above, which every group of sweeps reads and writes in place.
template <class T>
T* InPlaceSlab<T>::row_of(i64 row) const {
  if (row < task_.row_begin) return static_cast<T*>(task_.above) + (row - task_.above_begin) * task_.stride;
  return static_cast<T*>(task_.rows) + (row - task_.row_begin) * task_.stride;
}

template <class T>
bool InPlaceSlab<T>::wait(i64 band, i64 steps) const {
  steps = std::min(steps, plan_.steps());
  return device::wait_until([&] { return progress_->steps(band) >= steps; }, leave_);
}

/// Waits for the state that iterations up to `end` read, and for the rows that the group before makes.
template <class T>
bool InPlaceSlab<T>::wait_for_others(const Band& band, i64 end) const {
  if (!band.first && !wait(band.number - 1, end + plan_.lag)) return false;
  if (band.group == 0) return !leave_();
  const i64 row = std::min(band.first_row + band.live, plan_.rows - 1);
  const auto before = static_cast<std::size_t>(band.group - 1);
  const i64 maker = first_band_[before] + (row + plan_.lanes - 1 - begin_row(band.group - 1)) / band_passes;
  return wait(maker, end + plan_.lag + 1 + plan_.lag * (plan_.lanes - 1));
}

/// Loads the rows of the slab above as the state of a band before the first.
template <class T>
void InPlaceSlab<T>::load_state(const Band& band, i64 begin, i64 end) const {
  for (i64 lane = 0; lane < band.lanes; ++lane) {
    const T* row = row_of(band.first_row - 1 - lane);
    const i64 shift = plan_.lag * lane;
    T* to = state(band, 0) + lane;
    for (i64 step = std::max(begin, shift); step < std::min(end, plan_.columns + shift); ++step) {
      to[step * plan_.lanes] = row[step - shift];
    }
  }
}

/// Stores the state after the group's last band into rows, for the slab below.
template <class T>
void InPlaceSlab<T>::leave_state(const Band& band, i64 begin, i64 end) const {
  for (i64 lane = 0; lane < band.lanes; ++lane) {
    T* row = row_of(task_.row_end - 2 - band.group * plan_.lanes - lane);
    const i64 shift = plan_.lag * lane;
    const T* from = state(band, 0) + lane;
    for (i64 step = std::max(begin, shift); step < std::min(end, plan_.columns + shift); ++step) {
      row[step - shift] = from[step * plan_.lanes];
    }
  }
}

/// Loads rows as the groups before left them. Beyond the last row it loads any: no cell depends on it.
template <class T>
void InPlaceSlab<T>::load_rows(const Band& band, const InPlaceStrip<T>& strip, InPlaceScratch<T>& scratch) const {
  for (i64 u = 0; u <= band.live; ++u) {
    const i64 first = strip.begin - plan_.lag * u + 1;
    const i64 begin = std::max<i64>(0, first),
              end = std::min(plan_.columns, strip.end + 2 * plan_.lag - plan_.lag * u);
    if (begin >= end) continue;
    std::memcpy(scratch.in.data() + u * scratch.in_width + begin - first,
                row_of(std::min(band.first_row + u, plan_.rows - 1)) + begin,
                static_cast<std::size_t>(end - begin) * sizeof(T));
  }
}

/// Stores the rows that have been through all sweeps of the group.
template <class T>
void InPlaceSlab<T>::store_rows(const Band& band, const InPlaceStrip<T>& strip) const {
  const i64 lane = band.lanes - 1, length = strip.end - strip.begin;
  for (i64 u = 0; u < band.live; ++u) {
    const i64 row = band.first_row + u - lane;
    if (row < 0 || row >= plan_.rows) continue;
    const i64 shift = plan_.lag * (u + lane);
    const T* from = strip.out + (u * length - strip.begin) * plan_.lanes + lane;
    T* to = row_of(row);
    for (i64 t = std::max(strip.begin, shift); t < std::min(strip.end, plan_.columns + shift); ++t) {
      to[t - shift] = from[t * plan_.lanes];
    }
  }
}

template <class T>
bool InPlaceSlab<T>::sweep(i64 number, InPlaceScratch<T>& scratch) {
  const Band band = this->band(number);
  const i64 behind = plan_.lag * (band_passes - 1);
  const bool takes_over = band.first && task_.row_begin > 0, leaves = band.last && !is_last_;
  InPlaceStrip<T> strip{};
  strip.rows = plan_.rows;
  strip.columns = plan_.columns;
  strip.first_row = band.first_row;
  strip.live = band.live;
  strip.state = state(band, 0);
  strip.out = scratch.out.data();
  strip.registers = scratch.registers.data();
  const i64 end = plan_.steps() + behind;
  for (strip.begin = -plan_.lag; strip.begin < end; strip.begin = strip.end) {
    strip.end = std::min(end, strip.begin + in_place_chunk);
    if (!wait_for_others(band, strip.end)) return false;
    if (takes_over) load_state(band, strip.begin, strip.end + plan_.lag);
    load_rows(band, strip, scratch);
    for (i64 u = 0; u <= band_passes; ++u) {
      strip.in[u] = scratch.in.data() + u * scratch.in_width - (strip.begin - plan_.lag * u + 1);
    }
    plan_.advance(strip, plan_.constants.data());
    store_rows(band, strip);
    if (leaves) leave_state(band, strip.begin - behind, strip.end - behind);
    progress_->publish(number, strip.end - behind);
  }
  return true;
}

template class InPlaceSlab<float>;
template class InPlaceSlab<double>;

}  // namespace terrace::in_place
