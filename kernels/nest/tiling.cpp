#include "kernels/nest/tiling.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"

namespace terrace::nest {
namespace {

/// Bytes of so many values of each statement, padded as Values and Face are.
std::size_t bytes_of_values(const Nest& nest, i64 values) {
  std::size_t bytes = 0;
  for (const Statement& one : nest.statements) {
    const ElementType type = nest.arrays[static_cast<std::size_t>(one.array)].type;
    bytes += (static_cast<std::size_t>(values) * size_of(type) + 15) / 16 * 16;
  }
  return bytes;
}

}  // namespace

Tiling::Tiling(const NestSpec& spec, const int* sides, bool even) {
  const Sweep sweep(spec);
  i64 values = 1;
  for (std::size_t n = 0; n < sweep.rank(); ++n) {
    const i64 side = spec.tile[n] > 0 ? spec.tile[n] : sides[n];
    shape_.push_back({side, sweep.halo()[n], side + sweep.halo()[n], 0});
    if (even && n + 1 == sweep.rank()) shape_[n].extent += shape_[n].extent % 2;
    values *= shape_[n].extent;
  }
  value_bytes_ = bytes_of_values(*spec.nest, values);
  for (Axis& axis : shape_) axis.face_bytes = bytes_of_values(*spec.nest, values / axis.extent * axis.halo);
  for (const Input& one : spec.nest->inputs) input_axes_.push_back(one.shape.size());
  NestTask largest{};
  for (std::size_t n = 0; n < rank(); ++n) {
    const i64 cells = n < spec.block.size() ? spec.block[n] : sweep.space()[n].size();
    largest.end[n] = std::max<i64>(1, cells);
  }
  most_face_bytes_ = face_bytes(largest);
}

std::size_t Tiling::face_bytes(const NestTask& task) const {
  i64 all = 1;
  for (std::size_t n = 0; n < rank(); ++n) all *= std::max<i64>(0, tiles_along(n, task.end[n] - task.begin[n]));
  std::size_t bytes = 0;
  for (std::size_t n = 0; n < rank() && all > 0; ++n) {
    bytes += static_cast<std::size_t>(all / tiles_along(n, task.end[n] - task.begin[n])) * shape_[n].face_bytes;
  }
  return bytes;
}

double Tiling::needed_share(const NestSpec& spec) const {
  constexpr i64 most_along = 8;  // tiles that are looked at
  const Sweep sweep(spec);
  Ranges numbers;
  for (std::size_t n = 0; n < rank(); ++n)
    numbers.push_back({0, std::min(most_along, tiles_along(n, sweep.space()[n].size()))});
  if (is_empty(numbers)) return 1;
  double needed = 0, all = 0;
  Point number = first_point(numbers);
  do {
    Ranges tile;
    for (std::size_t n = 0; n < rank(); ++n) {
      // The middles of equal parts of the row of tiles.
      const i64 count = tiles_along(n, sweep.space()[n].size());
      const i64 begin = sweep.space()[n].begin + (2 * number[n] + 1) * count / (2 * numbers[n].size()) * side(n);
      tile.push_back({begin - halo(n), begin + side(n)});
    }
    bool is_needed = false;
    for (std::size_t s = 0; s < spec.nest->statements.size(); ++s)
      is_needed |= !is_empty(sweep.iterations(static_cast<int>(s), tile));
    needed += is_needed ? 1 : 0;
    all += 1;
  } while (step(numbers, numbers.size(), number));
  return std::max(needed, 1.0) / all;
}

TileWork Tiling::work(const NestTask& task, unsigned char* faces) const {
  for (std::size_t n = 0; n < input_axes_.size(); ++n) {
    const InputView& view = task.inputs[n];
    if (view.data != nullptr && view.stride[input_axes_[n] - 1] != 1)
      throw Error("an input of a nest is bound whose elements along the last axis do not follow one another");
  }
  TileWork work{};
  std::copy_n(task.inputs, most_views, work.inputs);
  i64 all = 1;
  for (std::size_t n = 0; n < rank(); ++n) {
    work.begin[n] = task.begin[n];
    work.end[n] = task.end[n];
    work.before[n] = task.before[n];
    work.after[n] = task.after[n];
    work.tiles[n] = std::max<i64>(0, tiles_along(n, task.end[n] - task.begin[n]));
    all *= work.tiles[n];
  }
  for (std::size_t n = 0; n < rank() && all > 0; ++n) {
    work.faces[n] = faces;
    faces += static_cast<std::size_t>(all / work.tiles[n]) * shape_[n].face_bytes;
  }
  return work;
}

}  // namespace terrace::nest
