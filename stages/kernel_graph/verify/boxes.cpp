#include "stages/kernel_graph/verify/boxes.hpp"

#include <algorithm>

namespace terrace::stages {
namespace {

constexpr std::int64_t largest_side = 256;
/// The work of all boxes, of that of the whole array.
constexpr double most_repeated = 4;

/// The range of so many elements in the middle of others.
graph::Range middle(std::int64_t extent, std::int64_t count) {
  const std::int64_t begin = (extent - std::min(extent, count)) / 2;
  return {begin, begin + std::min(extent, count)};
}

}  // namespace

GraphBoxes::GraphBoxes(const graph::Graph& graph, int value) {
  const graph::Shape shape = graph.shape(value);
  const auto work = [&](std::int64_t side) {
    return graph::work_of_cells(graph, value,
                                graph::Cells::of({middle(shape.rows, side), middle(shape.columns, side)}));
  };
  const std::int64_t rows = shape.rows, columns = shape.columns;
  const auto take = [&](std::int64_t tile) {
    grid_.emplace(Extents{rows, columns}, Extents{std::min(tile, rows), std::min(tile, columns)});
  };
  side_ = std::max(rows, columns);
  const graph::WindowLimits whole = work(side_);
  if (whole.operations <= GraphVerifyLimits::whole_operations && whole.values <= GraphVerifyLimits::values) {
    take(side_);
    return;
  }
  for (side_ = largest_side; side_ > 0; side_ /= 2) {
    const graph::WindowLimits box = work(side_);
    if (box.operations > GraphVerifyLimits::operations || box.values > GraphVerifyLimits::values) continue;
    take(side_);
    for (std::int64_t tile = side_;
         box.operations * static_cast<double>(count()) > most_repeated * whole.operations;) {
      if (count() == 1) break;
      take(tile *= 2);
      is_apart_ = true;
    }
    return;
  }
}

Box GraphBoxes::box(const Sampler& sampler, const std::string& dataset, std::int64_t number) const {
  Box box = grid_->box(number);
  for (int axis = 0; is_apart_ && axis < 2; ++axis) {
    const std::int64_t places = box.end[axis] - box.begin[axis] - side_ + 1;
    const std::string name = dataset + (axis == 0 ? " row" : " column");
    box.begin[axis] += sampler.place(name, number, std::max<std::int64_t>(1, places));
    box.end[axis] = std::min(box.end[axis], box.begin[axis] + side_);
  }
  return box;
}

std::string GraphBoxes::name() const {
  const std::string side = std::to_string(side_);
  return is_apart_ ? "boxes of " + side + " x " + side + " cells" : "tiles";
}

}  // namespace terrace::stages
