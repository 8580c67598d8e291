#include "kernels/stencil/cpu/slab.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>

#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/measured.hpp"

namespace terrace::stencil {

template <class T>
std::int64_t CpuSlabs<T>::workspace_rows(const StencilSpec& spec) {
  return Cut(spec).most_level_rows(spec.pass_steps);
}

template <class T>
std::int64_t CpuSlabs<T>::thread_values(const StencilSpec& spec, const TileSizes& sizes) {
  if (spec.rank == 1) return LineWorker<T>::values(spec, sizes);
  return TileWorker<T>::values_of_rings(spec, sizes) + 4 * sizes.pitch(spec.radius);
}

template <class T>
CpuSlabs<T>::CpuSlabs(const CpuPlan<T>& plan, device::CpuContext& context)
    : plan_(plan), pool_(context.pool()), width_(plan.spec.width()) {
  const std::size_t bytes = static_cast<std::size_t>(workspace_rows(plan.spec) * width_) * sizeof(T);
  for (int f = 0; f < plan.fields; ++f) workspaces_.push_back(std::make_unique<device::Memory>(context, bytes));
  for (int thread = 0; thread < pool_.size(); ++thread) {
    if (plan.spec.rank == 1) lines_.emplace_back(plan);
    else workers_.emplace_back(plan);
  }
}

template <class T>
Rows CpuSlabs<T>::workspace(const StencilTask& task, int field, i64 level) {
  const RowRange held = task.whole != 0 ? RowRange{0, plan_.axis.rows} : level_rows(plan_.axis, task, level);
  Rows rows{};
  rows.pieces = 1;
  rows.begin[0] = held.begin;
  rows.end = held.end;
  rows.data[0] = workspaces_[static_cast<std::size_t>(field)]->data();
  return rows;
}

/// The rows of a level where rows come in or leave.
template <class T>
Rows CpuSlabs<T>::rows_of(const StencilTask& task, int field, i64 level) const {
  if (is_alone(task) || level == 0) return task.fields[field];
  return lowered(task.targets[field], (task.steps - level) * plan_.radius);
}

/// @param from true: `level` is in the workspace @param to the same of the level that is made
template <class T>
SubPass CpuSlabs<T>::sub_pass(const StencilTask& task, i64 level, i64 depth, bool from, bool to) {
  SubPass pass{};
  pass.depth = depth;
  pass.step = task.step + level;
  pass.pass_step = task.step;
  pass.part = {task.part_begin, task.part_end};
  pass.traces = task.traces;
  pass.arrays = task.arrays;
  pass.modulo = task.whole != 0 && plan_.axis.wraps ? plan_.axis.rows : 0;
  pass.rows = task.whole != 0 ? RowRange{0, plan_.axis.rows} : level_rows(plan_.axis, task, level + depth);
  pass.counts = task.counts != 0 && level + depth == task.steps;
  const RowRange carried = carried_rows(plan_.axis, task, level, depth);
  for (int f = 0; f < plan_.fields; ++f) {
    InputRows& input = pass.input[f];
    input.own = from ? workspace(task, f, level) : rows_of(task, f, level);
    pass.output[f] = to ? workspace(task, f, level + depth) : rows_of(task, f, level + depth);
    input.modulo = pass.modulo;
    input.own_begin = task.first != 0 ? std::numeric_limits<i64>::min() : carried.end;
    input.carried_begin = carried.begin;
    input.carried = static_cast<const T*>(task.carry[f]) + 2 * plan_.radius * level * width_;
  }
  return pass;
}

/// Calls work(row) for rows on all threads.
template <class T>
template <class Work>
void CpuSlabs<T>::for_rows(RowRange rows, const Work& work) {
  if (rows.count() == 0) return;
  const i64 step = std::max<i64>(1, (64 << 10) / (width_ * static_cast<i64>(sizeof(T))));
  std::atomic<i64> next{rows.begin};
  pool_.run_on_all([&](int) {
    for (i64 begin = next.fetch_add(step); begin < rows.end; begin = next.fetch_add(step)) {
      for (i64 row = begin; row < std::min(rows.end, begin + step); ++row) work(row);
    }
  });
}

template <class T>
std::vector<TileRange> CpuSlabs<T>::tiles_of(const SubPass& pass) const {
  const TileSizes& sizes = plan_.sizes;
  const std::array<i64, most_rank> extents{plan_.spec.extents[0], plan_.spec.extents[1], plan_.spec.extents[2]};
  const i64 across = (extents[2] + sizes.width - 1) / sizes.width;
  const i64 down = (extents[1] + sizes.height - 1) / sizes.height;
  const i64 wanted = 4 * pool_.size(), least_rows = measured::CpuTiles::band_halos * pass.depth * plan_.radius;
  i64 bands = across * down < wanted ? (wanted + across * down - 1) / (across * down) : 1;
  bands = std::max<i64>(1, std::min(bands, pass.rows.count() / least_rows));
  std::vector<TileRange> tiles;
  for (i64 band = 0; band < bands; ++band) {
    const i64 rows = pass.rows.count();
    for (i64 m = 0; m < down; ++m) {
      for (i64 a = 0; a < across; ++a) {
        // Tiles begin at multiples of 16 cells.
        const auto edge = [&](i64 tile) {
          return tile == across ? extents[2] : tile * extents[2] / across / 16 * 16;
        };
        tiles.push_back({{pass.rows.begin + band * rows / bands, pass.rows.begin + (band + 1) * rows / bands},
                         {m * extents[1] / down, (m + 1) * extents[1] / down},
                         {edge(a), edge(a + 1)}});
      }
    }
  }
  return tiles;
}

template <class T>
bool CpuSlabs<T>::make(const SubPass& pass, const std::function<bool()>& leave) {
  if (pass.rows.count() == 0) return true;
  std::atomic<i64> next{0};
  std::atomic<bool> left{false};
  const auto run = [&](i64 count, const auto& make_item) {
    pool_.run_on_all([&](int thread) {
      for (i64 item = next++; item < count && !left; item = next++) {
        if (!make_item(static_cast<std::size_t>(thread), item)) left = true;
      }
    });
  };
  if (plan_.spec.rank == 1) {
    const i64 size = plan_.sizes.width;
    run((pass.rows.count() + size - 1) / size, [&](std::size_t thread, i64 item) {
      const i64 begin = pass.rows.begin + item * size;
      return lines_[thread].make(pass, {begin, std::min(pass.rows.end, begin + size)}, leave);
    });
  } else {
    const std::vector<TileRange> tiles = tiles_of(pass);
    run(static_cast<i64>(tiles.size()), [&](std::size_t thread, i64 item) {
      return workers_[thread].make(pass, tiles[static_cast<std::size_t>(item)], leave);
    });
  }
  return !left;
}

/// Keeps the last rows of a level for the slab below.
template <class T>
void CpuSlabs<T>::hand_on(const StencilTask& task, const SubPass& pass, i64 level) {
  if (task.last != 0) return;
  const RowRange places = handed_on_rows(plan_.axis, task, level, pass.depth);
  const auto bytes = static_cast<std::size_t>(width_) * sizeof(T);
  for_rows(common_rows(places, level_rows(plan_.axis, task, level)), [&](i64 row) {
    for (int f = 0; f < plan_.fields; ++f) {
      T* to = static_cast<T*>(task.carry[f]) + (2 * plan_.radius * level + row - places.begin) * width_;
      std::memcpy(to, pass.input[f].row<T>(row, width_), bytes);
    }
  });
}

template <class T>
void CpuSlabs<T>::report_changes(const StencilTask& task, const SubPass& pass) {
  const Norm norm = plan_.spec.norm;
  for_rows(pass.rows, [&](i64 row) {
    double change = 0;
    for (int f = 0; f < plan_.fields; ++f) {
      const T* before = pass.input[f].row<T>(row, width_);
      const T* after = pass.output[f].row<T>(row, width_);
      change = joined(change, plan_.kernels.change(before, after, width_, norm), norm);
    }
    *task.changes.row<double>(row, 1) = change;
  });
}

/// Copies rows from the workspace to where they belong.
template <class T>
void CpuSlabs<T>::copy_back(const StencilTask& task, RowRange rows) {
  for_rows(rows, [&](i64 row) {
    for (int f = 0; f < plan_.fields; ++f) {
      std::memcpy(task.fields[f].row<T>(row, width_), workspace(task, f, task.steps).template row<T>(row, width_),
                  static_cast<std::size_t>(width_) * sizeof(T));
    }
  });
}

template <class T>
bool CpuSlabs<T>::advance(const StencilTask& task, const std::function<bool()>& leave) {
  const bool changes = task.measures != 0, alone = is_alone(task);
  const std::vector<i64> depths = sub_passes(task.steps, plan_.sizes.depth, changes);
  i64 level = 0;
  // Levels are in turns in the workspace and where they leave; if the slab is alone, they also come in there.
  bool from = false;
  for (std::size_t number = 0; number < depths.size(); ++number) {
    const i64 depth = depths[number];
    const bool to = alone ? !from : (depths.size() - number) % 2 == 0;
    const SubPass pass = sub_pass(task, level, depth, from, to);
    if (!make(pass, leave)) return false;
    if (changes && level + depth == task.steps) report_changes(task, pass);
    hand_on(task, pass, level);  // last: it overwrites the rows that the slab above handed on
    level += depth;
    from = to;
    if (level == task.steps && from) copy_back(task, pass.rows);
  }
  return true;
}

template <class T>
NotFinite CpuSlabs<T>::not_finite(const StencilTask& task) {
  NotFinite found;
  for (TileWorker<T>& worker : workers_) found.add(worker.take_not_finite());
  for (LineWorker<T>& worker : lines_) found.add(worker.take_not_finite());
  if (task.work != Work::count) return found;
  for (int field = 0; field < plan_.fields; ++field) {
    for (i64 row = task.row_begin; row < task.row_end; ++row) {
      plan_.kernels.count(task.fields[field].row<T>(row, width_), width_, (field * plan_.axis.rows + row) * width_,
                          found);
    }
  }
  return found;
}

template class CpuSlabs<float>;
template class CpuSlabs<double>;

}  // namespace terrace::stencil
