// Makes the blocks of stencils of one type of values on CUDA. Included by the sources that the build makes from
// cuda/common/blocks.cu.in.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/common/blocks.hpp"
#include "kernels/stencil/cuda/common/change_kernel.cuh"
#include "kernels/stencil/cuda/points/record_kernel.cuh"
#include "kernels/stencil/cuda/points/room.hpp"
#include "kernels/stencil/cut.hpp"

namespace terrace::stencil {

/// The points of a stencil as PointLists has them.
template <class T>
struct PlacedPoints {
  std::vector<PointPlace> sources, receivers;
  std::vector<T> values;

  explicit PlacedPoints(const StencilSpec& spec) {
    if (!spec.points) return;
    const Cut cut(spec);
    const auto place_of = [](const Points::Cell& cell, i64 first, int field) {
      return PointPlace{{cell[0], cell[1], cell[2]}, first, field};
    };
    for (const Points::Source& source : sources_by_cell(spec)) {
      sources.push_back(place_of(source.cell, source.first, source.field));
    }
    for (const Points::Cell& cell : spec.points->receivers) {
      receivers.push_back(place_of(cell, cut.part_of_row(cell[0]), spec.points->receiver_field));
    }
    values.assign(spec.points->values.begin(), spec.points->values.end());
  }
};

/// The shape of a launch over so many values, which the threads take in turn.
inline device::LaunchShape shape_of_values(i64 count, cudaStream_t stream) {
  const unsigned threads = threads_for(count);
  const i64 blocks = std::clamp<i64>((count + threads - 1) / threads, 1, most_value_blocks);
  return {.blocks = static_cast<unsigned>(blocks), .threads = threads, .shared_bytes = 0, .stream = stream};
}

/// Loads code now, and not while blocks are computed.
template <class T>
void load_value_kernels() {
  const auto load = [](const auto& kernel) { device::resident_blocks(kernel, value_threads, 0); };
  load(device::make_kernel(begin_block_kernel<T>, "begin_block_kernel"));
  load(device::make_kernel(report_block_kernel<T>, "report_block_kernel"));
  load(device::make_kernel(copy_values_kernel<T>, "copy_values_kernel"));
  load(device::make_kernel(count_values_kernel<T>, "count_values_kernel"));
  load(device::make_kernel(find_changes_kernel<T>, "find_changes_kernel"));
  load(device::make_kernel(find_single_changes_kernel<T>, "find_single_changes_kernel"));
  load(device::make_kernel(add_groups_kernel<T>, "add_groups_kernel"));
  load(device::make_kernel(add_sums_kernel<T>, "add_sums_kernel"));
  load(device::make_kernel(record_kernel<T>, "record_kernel"));
}

template <class T>
StencilBlocks<T>::StencilBlocks(const StencilSpec& spec, device::Context& context, void* workspace, int fields)
    : Blocks("stencil", context),
      spec_(spec),
      axis_(spec.axis()),
      fields_(static_cast<std::size_t>(fields)),
      plan_(plan_stencil(spec)),
      workspace_(workspace) {
  const Operands<T> operands(spec);
  const auto bring = [&]<class U>(std::size_t offset, const std::vector<U>& values) {
    if (values.empty()) return;
    TERRACE_CUDA_CHECK(
        cudaMemcpyAsync(at<U>(offset), values.data(), values.size() * sizeof(U), cudaMemcpyHostToDevice, stream()));
  };
  bring(plan_.terms_at, operands.terms);
  bring(plan_.drive_at, operands.drive);
  const PlacedPoints<T> points(spec);
  bring(plan_.sources_at, points.sources);
  bring(plan_.receivers_at, points.receivers);
  bring(plan_.values_at, points.values);
  TERRACE_CUDA_CHECK(cudaStreamSynchronize(stream()));
  load_value_kernels<T>();
}

template <class T>
void StencilBlocks<T>::clear_levels() const {
  const std::size_t begin = plan_.fields_at[0];
  TERRACE_CUDA_CHECK(cudaMemsetAsync(at<unsigned char>(begin), 0, plan_.bytes - begin, stream()));
}

template <class T>
bool StencilBlocks<T>::submit(const device::Port& port, u64 block, const StencilTask& task) {
  abort_ = port.abort;
  device::launch(device::make_kernel(begin_block_kernel<T>, "begin_block_kernel"), Blocks::shape(1, 32), port,
                 state(), block);
  compute(task);
  device::launch(device::make_kernel(report_block_kernel<T>, "report_block_kernel"), Blocks::shape(1, 1), port,
                 state(), block);
  return true;
}

template <class T>
void StencilBlocks<T>::compute(const StencilTask& task) {
  if (task.work == Work::save) save(task);
  else if (task.work == Work::record) record(task);
  else if (task.work == Work::total) add_up(task);
  else if (task.work == Work::count) count_rows(task);
  else if (spec_.width() > 0) advance(task);
}

template <class T>
void StencilBlocks<T>::advance(const StencilTask& task) {
  const SlabLaunches all(counts_of(task), axis_.radius, !is_alone(task));
  if (task.first != 0 && task.last == 0) clear_carry(task);
  if (!all.launches.empty() && all.launches.front().in_workspace) {
    // Levels are made from one memory into the other, and the last ones have to end in the fields.
    for (std::size_t f = 0; f < fields_; ++f) {
      const RowRange rows = own_rows(task, 0);
      Lines<T> from{}, to{};
      add_own(from, task, f, 0, rows, false);
      add_own(to, task, f, 0, rows, true);
      copy_rows(from, to);
    }
  }
  for (std::size_t number = 0; number < all.launches.size(); ++number) {
    const SlabLaunch& launch = all.launches[number];
    const Levels<T> levels = levels_of(task, all, number);
    if (levels.output.count() > 0) {
      make_levels(task, levels);
      if (spec_.points) make_points(levels);
      const bool last = launch.level + launch.count == task.steps;
      if (last && task.measures != 0) find_changes(task, levels);
      else if (last && task.counts != 0) count_lines(levels.to, levels.output);
    }
    if (task.last == 0 && launch.is_copied()) hand_on(task, all, launch, levels);
  }
}

template <class T>
std::vector<i64> StencilBlocks<T>::counts_of(const StencilTask& task) const {
  i64 most = most_levels(task);
  if (spec_.points) most = std::min<i64>(most, most_patch_levels(spec_));
  return steps_of_launches(task.steps, most, std::min(levels_unit(), most), task.measures != 0);
}

template <class T>
Levels<T> StencilBlocks<T>::levels_of(const StencilTask& task, const SlabLaunches& all, std::size_t number) const {
  const SlabLaunch& launch = all.launches[number];
  Levels<T> levels{};
  levels.step = task.step + launch.level;
  levels.count = launch.count;
  levels.whole = task.whole != 0;
  levels.input = input_rows(axis_, task, launch.level, launch.count);
  levels.output = own_rows(task, launch.level + launch.count);
  const RowRange read = levels.whole ? levels.output : levels.input;
  for (std::size_t f = 0; f < fields_; ++f) {
    add_level(levels.from[f], task, f, all, launch, read);
    if (number + 1 == all.launches.size()) add_own(levels.to[f], task, f, task.steps, levels.output, false);
    else add_level(levels.to[f], task, f, all, all.launches[number + 1], levels.output);
  }
  return levels;
}

/// Adds the level that a launch makes levels from: `rows` of it, perhaps some of the slab above and then its own.
template <class T>
void StencilBlocks<T>::add_level(Lines<T>& lines, const StencilTask& task, std::size_t field, const SlabLaunches& all,
                                 const SlabLaunch& launch, RowRange rows) const {
  if (!launch.uses_carry()) return add_own(lines, task, field, launch.level, rows, launch.in_workspace);
  const RowRange own = own_rows(task, launch.level);
  RowRange given{own.end, own.end};
  if (launch.is_written() && task.last == 0) given = handed_on(task, launch);
  const RowRange above = carried_rows(axis_, task, launch.level, launch.count);
  add_carried(lines, task, field, all, launch, task.turn - 1, above.begin, common_rows(above, rows));
  add_own(lines, task, field, launch.level, common_rows({own.begin, given.begin}, rows), launch.in_workspace);
  add_carried(lines, task, field, all, launch, task.turn, handed_on_begin(task, launch), common_rows(given, rows));
}

/// The rows that a slab holds of a level, without those of the slab above.
template <class T>
RowRange StencilBlocks<T>::own_rows(const StencilTask& task, i64 level) const {
  return task.whole != 0 ? RowRange{0, axis_.rows} : level_rows(axis_, task, level);
}

/// Adds rows of a level of a field that are where rows come in or leave, or in the workspace, which has the level
/// from its first row on.
template <class T>
void StencilBlocks<T>::add_own(Lines<T>& lines, const StencilTask& task, std::size_t field, i64 level, RowRange rows,
                               bool in_workspace) const {
  if (in_workspace) return lines.add(rows, at<T>(plan_.fields_at[field]));
  if (is_alone(task) || level == 0) return lines.add(task.fields[field], rows, spec_.width());
  lines.add(lowered(task.targets[field], (task.steps - level) * axis_.radius), rows, spec_.width());
}

template <class T>
void StencilBlocks<T>::find_changes(const StencilTask& task, const Levels<T>& levels) {
  ChangeTask<T> change{};
  change.fields = static_cast<i32>(fields_);
  change.norm = spec_.norm;
  for (std::size_t f = 0; f < fields_; ++f) {
    change.before[f] = levels.from[f];
    change.after[f] = levels.to[f];
  }
  change.rows = levels.output;
  change.width = spec_.width();
  change.extent = axis_.rows;
  change.changes = task.changes;
  const i64 rows = change.rows.count();
  if (rows == 0) return;
  if (change.width == 1) {
    device::launch(device::make_kernel(find_single_changes_kernel<T>, "find_single_changes_kernel"),
                   shape_of_values(rows, stream()), state(), change);
  } else {
    device::launch(device::make_kernel(find_changes_kernel<T>, "find_changes_kernel"),
                   shape_of_values(rows * 32, stream()), state(), change);
  }
}

/// The last rows of the level that a launch begins with, which the next slab needs.
template <class T>
RowRange StencilBlocks<T>::handed_on(const StencilTask& task, const SlabLaunch& launch) const {
  return common_rows(handed_on_rows(axis_, task, launch.level, launch.count), own_rows(task, launch.level));
}
/// The first of their places, where a row may be beyond the stream's ends.
template <class T>
i64 StencilBlocks<T>::handed_on_begin(const StencilTask& task, const SlabLaunch& launch) const {
  return handed_on_rows(axis_, task, launch.level, launch.count).begin;
}

/// Adds rows of the level that a launch begins with, of those that the slab of that number has handed on: they are in
/// the carry. @param begin row of the first of their places
template <class T>
void StencilBlocks<T>::add_carried(Lines<T>& lines, const StencilTask& task, std::size_t field,
                                   const SlabLaunches& all, const SlabLaunch& launch, i64 turn, i64 begin,
                                   RowRange rows) const {
  if (rows.count() == 0) return;
  const i64 length = carry_rows(axis_.radius, spec_.pass_steps, spec_.at_once);
  const i64 place = all.place_of(launch, turn, rows.begin - begin, length);
  const i64 middle = std::min(rows.end, rows.begin + length - place);
  T* carry = static_cast<T*>(task.carry[field]);
  lines.add({rows.begin, middle}, carry + place * spec_.width());
  lines.add({middle, rows.end}, carry);
}

/// Before the first slab of a stream: the carry moves as a whole, and slabs need not write all of it.
template <class T>
void StencilBlocks<T>::clear_carry(const StencilTask& task) {
  const i64 values = carry_rows(axis_.radius, spec_.pass_steps, spec_.at_once) * spec_.width();
  for (std::size_t f = 0; f < fields_; ++f) {
    TERRACE_CUDA_CHECK(cudaMemsetAsync(task.carry[f], 0, static_cast<std::size_t>(values) * sizeof(T), stream()));
  }
}

/// Copies the last rows of the level that a launch begins with into the carry.
template <class T>
void StencilBlocks<T>::hand_on(const StencilTask& task, const SlabLaunches& all, const SlabLaunch& launch,
                               const Levels<T>& levels) {
  for (std::size_t f = 0; f < fields_; ++f) {
    Lines<T> carry{};
    add_carried(carry, task, f, all, launch, task.turn, handed_on_begin(task, launch), handed_on(task, launch));
    copy_rows(levels.from[f], carry);
  }
}

template <class T>
void StencilBlocks<T>::save(const StencilTask& task) {
  for (std::size_t f = 0; f < fields_; ++f) {
    const RowRange rows{task.row_begin, task.row_end};
    Lines<T> from{}, to{};
    from.add(task.fields[f], rows, spec_.width());
    to.add(task.targets[f], rows, spec_.width());
    copy_rows(from, to);
  }
}

template <class T>
PointLists<T> StencilBlocks<T>::points() const {
  PointLists<T> lists{};
  if (!spec_.points) return lists;
  lists.sources = at<PointPlace>(plan_.sources_at);
  lists.receivers = at<PointPlace>(plan_.receivers_at);
  lists.values = at<T>(plan_.values_at);
  lists.source_count = std::ssize(sources_by_cell(spec_));
  lists.receiver_count = std::ssize(spec_.points->receivers);
  lists.every = spec_.points->every;
  lists.patches = at<T>(plan_.bytes);
  return lists;
}

template <class T>
void StencilBlocks<T>::record(const StencilTask& task) {
  const PointLists<T> lists = points();
  Lines<T> to{};
  to.add(task.targets[0], {task.row_begin, task.row_end}, lists.receiver_count);
  const i64 values = (task.row_end - task.row_begin) * lists.receiver_count;
  if (values == 0) return;
  device::launch(device::make_kernel(record_kernel<T>, "record_kernel"), shape_of_values(values, stream()), state(),
                 RecordTask<T>{to, {task.row_begin, task.row_end}, lists});
}

template <class T>
void StencilBlocks<T>::count_rows(const StencilTask& task) {
  const RowRange rows{task.row_begin, task.row_end};
  Lines<T> lines[most_fields]{};
  for (std::size_t f = 0; f < fields_; ++f) lines[f].add(task.fields[f], rows, spec_.width());
  count_lines(lines, rows);
}

/// Counts the cells of rows that are not finite, if their changes are not looked at anyway, in a kernel of its own:
/// those that make levels stay as they are. It reads the rows of each field once. The fastest sums (star2d of radius
/// 1 in f32, 4.2 T cells/s on an H100) make some five steps in that time, so a check after at least 512 steps costs
/// them one hundredth, and others less.
template <class T>
void StencilBlocks<T>::count_lines(const Lines<T> (&lines)[most_fields], RowRange rows) {
  const i64 width = spec_.width();
  for (std::size_t f = 0; f < fields_; ++f) {
    for (i32 piece = 0; piece < lines[f].pieces; ++piece) {
      const RowRange held = lines[f].rows_of(piece);
      const RowRange common{std::max(held.begin, rows.begin), std::min(held.end, rows.end)};
      const i64 count = common.count() * width;
      if (count == 0) continue;
      device::launch(device::make_kernel(count_values_kernel<T>, "count_values_kernel"),
                     shape_of_values(count, stream()), state(),
                     lines[f].data[piece] + (common.begin - held.begin) * width, count,
                     (static_cast<i64>(f) * axis_.rows + common.begin) * width);
    }
  }
}

template <class T>
void StencilBlocks<T>::add_up(const StencilTask& task) {
  const i64 count = task.row_end - task.row_begin, groups = (count + change_group - 1) / change_group;
  if (count <= 0) return;
  auto* sums = at<double>(plan_.sums_at);
  device::launch(device::make_kernel(add_groups_kernel<T>, "add_groups_kernel"),
                 shape_of_values(groups * 32, stream()), state(),
                 task.changes.template row<double>(task.row_begin, 1), count, spec_.norm, sums);
  device::launch(device::make_kernel(add_sums_kernel<T>, "add_sums_kernel"),
                 {.blocks = 1, .threads = 32, .shared_bytes = 0, .stream = stream()}, state(), sums, groups,
                 spec_.norm);
}

template <class T>
void StencilBlocks<T>::copy_rows(const Lines<T>& from, const Lines<T>& to) {
  const i64 width = spec_.width();
  for (i32 i = 0; i < from.pieces; ++i) {
    for (i32 j = 0; j < to.pieces; ++j) {
      const RowRange a = from.rows_of(i), b = to.rows_of(j);
      const RowRange common{std::max(a.begin, b.begin), std::min(a.end, b.end)};
      if (common.count() == 0) continue;
      copy_values(from.data[i] + (common.begin - a.begin) * width, to.data[j] + (common.begin - b.begin) * width,
                  common.count() * width);
    }
  }
}

template <class T>
void StencilBlocks<T>::copy_values(const T* from, T* to, i64 count) {
  if (count == 0) return;
  device::launch(device::make_kernel(copy_values_kernel<T>, "copy_values_kernel"), shape_of_values(count, stream()),
                 state(), from, to, count);
}

}  // namespace terrace::stencil
