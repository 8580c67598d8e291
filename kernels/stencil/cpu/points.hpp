// The points of a stencil on the CPU: each line of cells that a tile makes is looked at when it is made.
#pragma once

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "kernels/stencil/cpu/rows.hpp"
#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/points.hpp"

namespace terrace::stencil {

/// The place of a line of cells: its indices along axes 0 and 1 in the grid. In one dimension all cells are line 0,
/// 0.
struct LinePlace {
  i64 row, middle;
  auto operator<=>(const LinePlace&) const = default;
};

template <class T>
class CpuPoints {
 public:
  explicit CpuPoints(const StencilSpec& spec)
      : every_(spec.points->every), values_(spec.points->values.begin(), spec.points->values.end()) {
    const std::size_t axis = spec.rank == 1 ? 0 : 2;
    extent_ = spec.extents[axis];
    wraps_ = spec.faces[axis].low == Face::periodic;
    const Cut cut(spec);
    const auto place_of = [&](const Points::Cell& cell, int field, i64 first) {
      const i64 part = cut.part_of_row(cell[0]);
      return spec.rank == 1 ? Place{{0, 0}, cell[0], field, first, part}
                            : Place{{cell[0], cell[1]}, cell[2], field, first, part};
    };
    for (const Points::Source& source : sources_by_cell(spec)) {
      sources_.push_back(place_of(source.cell, source.field, source.first));
    }
    for (const Points::Cell& cell : spec.points->receivers) {
      receivers_.push_back(place_of(cell, spec.points->receiver_field, std::ssize(receivers_)));
    }
    parts_.resize(receivers_.size());
    for (const Place& receiver : receivers_) parts_[static_cast<std::size_t>(receiver.first)] = receiver.part;
    std::ranges::stable_sort(receivers_, {}, &Place::line);
    for (const Place& place : sources_) has_[bit_of(place.line)] = true;
    for (const Place& place : receivers_) has_[bit_of(place.line)] = true;
  }

  /// False if the line has no points.
  bool may_be_at(LinePlace line) const { return has_[bit_of(line)]; }

  /// Adds the values of sources to cells of a line. @param step made before @param values(field) the line's value at
  /// index 0, from which `cells` are counted, along a periodic axis beyond its ends too
  template <class Values, class IsMasked>
  void add(LinePlace line, RowRange cells, i64 step, const Values& values, const IsMasked& is_masked) const {
    for (const Place& source : at(sources_, line)) {
      for (i64 x = first_image(source.cell, cells); x < cells.end; x += extent_) {
        if (is_masked(x)) continue;
        T& value = values(source.field)[x];
        value = plus(value, values_[static_cast<std::size_t>(source.first + step)]);
      }
    }
  }

  /// Records the receivers of cells of a line. @param step made; pass_step made before the pass
  template <class Values>
  void record(LinePlace line, RowRange cells, i64 step, i64 pass_step, const Values& values, void* traces) const {
    if (step % every_ != 0) return;
    T* row = static_cast<T*>(traces) + (step / every_ - pass_step / every_ - 1) * std::ssize(receivers_);
    for (const Place& receiver : at(receivers_, line)) {
      if (receiver.cell < cells.begin || receiver.cell >= cells.end) continue;
      row[receiver.first] = values(receiver.field)[receiver.cell];
    }
  }

  /// Brings the values of all parts to the rows of a result (Work::record).
  void bring(const StencilTask& task) const {
    const i64 count = std::ssize(receivers_), times = task.row_end - task.row_begin;
    for (i64 time = task.row_begin; time < task.row_end; ++time) {
      T* to = task.targets[0].row<T>(time, count);
      for (i64 receiver = 0; receiver < count; ++receiver) {
        const i64 part = parts_[static_cast<std::size_t>(receiver)];
        to[receiver] = static_cast<const T*>(task.traces)[(part * times + time - task.row_begin) * count + receiver];
      }
    }
  }

  static std::size_t bytes(const StencilSpec& spec) {
    if (!spec.points) return 0;
    const Points& points = *spec.points;
    return (points.sources.size() + points.receivers.size()) * (sizeof(Place) + sizeof(i64)) +
           points.values.size() * sizeof(T);
  }

 private:
  struct Place {
    LinePlace line;
    i64 cell;
    int field;
    i64 first;  // of a source: place of the value of step 0; of a receiver: its number
    i64 part;
  };

  static std::size_t bit_of(LinePlace line) {
    return static_cast<std::size_t>(line.row * 61 + line.middle) % std::tuple_size_v<decltype(has_)>;
  }
  static std::span<const Place> at(const std::vector<Place>& places, LinePlace line) {
    const auto range = std::ranges::equal_range(places, line, {}, &Place::line);
    return {range.begin(), range.end()};
  }
  i64 first_image(i64 cell, RowRange cells) const {
    if (!wraps_) return cell >= cells.begin && cell < cells.end ? cell : cells.end;
    return cells.begin + wrapped_index(cell - cells.begin, extent_);
  }

  i64 every_, extent_ = 0;
  bool wraps_ = false;
  std::vector<T> values_;
  std::vector<Place> sources_, receivers_;  // by line
  std::vector<i64> parts_;                  // of receivers, by number
  std::array<bool, 4096> has_{};            // by bit_of(): a line is looked up only if there may be points
};

}  // namespace terrace::stencil
