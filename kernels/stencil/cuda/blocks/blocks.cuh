// Makes the blocks of stencils of one type of values on CUDA. Included by the sources that the build makes from
// cuda/blocks/blocks.cu.in.
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/launch/launch.cuh"
#include "kernels/stencil/cuda/blocks/blocks.hpp"
#include "kernels/stencil/cuda/blocks/change_kernel.cuh"

namespace terrace::stencil {

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
  load(device::make_kernel(find_changes_kernel<T>, "find_changes_kernel"));
  load(device::make_kernel(find_single_changes_kernel<T>, "find_single_changes_kernel"));
  load(device::make_kernel(add_groups_kernel<T>, "add_groups_kernel"));
  load(device::make_kernel(add_sums_kernel<T>, "add_sums_kernel"));
}

template <class T>
StencilBlocks<T>::StencilBlocks(const StencilSpec& spec, device::Context& context, void* workspace, int fields)
    : spec_(spec),
      axis_(spec.axis()),
      fields_(static_cast<std::size_t>(fields)),
      plan_(plan_stencil(spec)),
      context_(context),
      workspace_(workspace),
      stream_(device::compute_stream(context)) {
  const Operands<T> operands(spec);
  const auto bring = [&]<class U>(std::size_t offset, const std::vector<U>& values) {
    if (values.empty()) return;
    TERRACE_CUDA_CHECK(
        cudaMemcpyAsync(at<U>(offset), values.data(), values.size() * sizeof(U), cudaMemcpyHostToDevice, stream_));
  };
  bring(plan_.terms_at, operands.terms);
  bring(plan_.drive_at, operands.drive);
  TERRACE_CUDA_CHECK(cudaStreamSynchronize(stream_));
  load_value_kernels<T>();
}

template <class T>
void StencilBlocks<T>::run(const device::Port& port) {
  if (port.descriptor_bytes < sizeof(StencilTask) || port.result_bytes < sizeof(StencilResult)) {
    throw DeviceError("stencil", "the port's descriptors or results are those of something else");
  }
  stream_ = device::compute_stream(context_);
  abort_ = port.abort;
  const device::LaunchShape one_thread{.blocks = 1, .threads = 1, .shared_bytes = 0, .stream = stream_};
  const device::LaunchShape one_warp{.blocks = 1, .threads = 32, .shared_bytes = 0, .stream = stream_};
  for (u64 block = port.first; block < port.first + port.count; ++block) {
    StencilTask task;
    std::memcpy(&task, static_cast<const char*>(port.descriptors) + block % port.ring * port.descriptor_bytes,
                sizeof task);
    device::launch(device::make_kernel(begin_block_kernel<T>, "begin_block_kernel"), one_warp, port, state(), block);
    compute(task);
    device::launch(device::make_kernel(report_block_kernel<T>, "report_block_kernel"), one_thread, port, state(),
                   block);
  }
}

template <class T>
void StencilBlocks<T>::compute(const StencilTask& task) {
  if (task.work == Work::save) save(task);
  else if (task.work == Work::total) add_up(task);
  else if (spec_.width() > 0) advance(task);
}

template <class T>
void StencilBlocks<T>::advance(const StencilTask& task) {
  const std::vector<i64> depths = depths_of(task);
  bool from_fields = true;
  if (depths.size() % 2 == 1) {
    // Levels are made from one memory into the other, and the last ones have to end in the fields.
    for (std::size_t f = 0; f < fields_; ++f) {
      const RowRange rows = task.whole != 0 ? RowRange{0, axis_.rows} : level_rows(axis_, task, 0);
      copy_rows(own_rows(task, f, rows, true), own_rows(task, f, rows, false));
    }
    from_fields = false;
  }
  i64 level = 0;
  for (const i64 count : depths) {
    const Levels<T> levels = levels_of(task, level, count, from_fields);
    make_levels(task, levels);
    if (task.measures != 0 && level + count == task.steps) find_changes(task, levels);
    if (task.last == 0) hand_on(task, level, levels);
    level += count;
    from_fields = !from_fields;
  }
}

/// The steps that are made at once, one number after another: an even number of times if that can be. The last step
/// is made by itself if its changes are asked for.
template <class T>
std::vector<i64> StencilBlocks<T>::depths_of(const StencilTask& task) const {
  const i64 alone = task.measures != 0 && task.steps > 0 ? 1 : 0, steps = task.steps - alone;
  const i64 most = most_levels(task);
  i64 times = (steps + most - 1) / most;
  if ((times + alone) % 2 == 1 && times > 0 && times < steps) ++times;
  std::vector<i64> depths;
  i64 left = steps;
  for (; times > 0; --times) {
    const i64 unit = left >= levels_unit() * times ? levels_unit() : 1, units = (left + unit - 1) / unit;
    depths.push_back(std::min({(units + times - 1) / times * unit, left, most}));
    left -= depths.back();
  }
  if (alone != 0) depths.push_back(1);
  return depths;
}

template <class T>
Levels<T> StencilBlocks<T>::levels_of(const StencilTask& task, i64 level, i64 count, bool from_fields) const {
  Levels<T> levels{};
  levels.step = task.step + level;
  levels.count = count;
  levels.whole = task.whole != 0;
  const RowRange all{0, axis_.rows};
  RowRange carried = carried_rows(axis_, task, level, count);
  levels.input = input_rows(axis_, task, level, count);
  levels.output = levels.whole ? all : level_rows(axis_, task, level + count);
  const i64 carry_begin = carried.begin;
  if (!axis_.wraps) {
    // A slab next to the first one: rows above the grid do not exist.
    carried.begin = std::max<i64>(carried.begin, 0);
    levels.input.begin = std::max<i64>(levels.input.begin, 0);
  }
  const RowRange own = levels.whole ? all : level_rows(axis_, task, level);
  for (std::size_t f = 0; f < fields_; ++f) {
    if (!levels.whole && carried.count() > 0) {
      T* carry = static_cast<T*>(task.carry[f]) + 2 * axis_.radius * level * spec_.width();
      levels.from[f].add(carried, carry + (carried.begin - carry_begin) * spec_.width());
    }
    const Lines<T> rows = own_rows(task, f, own, from_fields);
    for (i32 piece = 0; piece < rows.pieces; ++piece) levels.from[f].add(rows.rows_of(piece), rows.data[piece]);
    levels.to[f] = own_rows(task, f, levels.output, !from_fields);
  }
  return levels;
}

/// Rows of a field: in the tiles, or in the workspace, which has the rows of one level.
template <class T>
Lines<T> StencilBlocks<T>::own_rows(const StencilTask& task, std::size_t field, RowRange rows, bool in_fields) const {
  Lines<T> lines{};
  if (in_fields) {
    lines.add(task.fields[field], rows, spec_.width());
    return lines;
  }
  lines.add(rows, at<T>(plan_.fields_at[field]));
  return lines;
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
  change.changes = task.changes;
  const i64 rows = change.rows.count();
  if (rows == 0) return;
  if (change.width == 1) {
    device::launch(device::make_kernel(find_single_changes_kernel<T>, "find_single_changes_kernel"),
                   shape_of_values(rows, stream_), state(), change);
  } else {
    device::launch(device::make_kernel(find_changes_kernel<T>, "find_changes_kernel"),
                   shape_of_values(rows * 32, stream_), state(), change);
  }
}

/// Hands the last rows of a level on to the next slab.
template <class T>
void StencilBlocks<T>::hand_on(const StencilTask& task, i64 level, const Levels<T>& levels) {
  const i64 radius = axis_.radius, end = level_rows(axis_, task, level).end;
  RowRange kept{end - 2 * radius * levels.count, end};
  const i64 first = kept.begin;
  kept.begin = std::max(kept.begin, level_rows(axis_, task, level).begin);
  for (std::size_t f = 0; f < fields_; ++f) {
    if (task.carry[f] == nullptr) continue;
    Lines<T> carry{};
    carry.add(kept, static_cast<T*>(task.carry[f]) + (2 * radius * level + kept.begin - first) * spec_.width());
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
void StencilBlocks<T>::add_up(const StencilTask& task) {
  const i64 count = task.row_end - task.row_begin, groups = (count + change_group - 1) / change_group;
  if (count <= 0) return;
  auto* sums = at<double>(plan_.sums_at);
  device::launch(device::make_kernel(add_groups_kernel<T>, "add_groups_kernel"),
                 shape_of_values(groups * 32, stream_), state(), task.changes.template row<double>(task.row_begin, 1),
                 count, spec_.norm, sums);
  device::launch(device::make_kernel(add_sums_kernel<T>, "add_sums_kernel"),
                 {.blocks = 1, .threads = 32, .shared_bytes = 0, .stream = stream_}, state(), sums, groups,
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
  device::launch(device::make_kernel(copy_values_kernel<T>, "copy_values_kernel"), shape_of_values(count, stream_),
                 state(), from, to, count);
}

}  // namespace terrace::stencil
