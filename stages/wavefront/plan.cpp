#include "stages/wavefront/plan.hpp"

#include <algorithm>

#include "kernels/wavefront/window.hpp"

namespace terrace::stages {

using run::ArraySpec;
using run::Mode;
using run::Role;

BorderPlanes border_planes(const wavefront::SweepSpec& spec) {
  BorderPlanes planes;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    planes = {P::row_planes, P::column_planes};
  });
  return planes;
}

std::int64_t half_width(const wavefront::SweepSpec& spec) {
  std::int64_t window = wavefront::no_window;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    window = wavefront::window_of<P, wavefront::i64>(wavefront::problem_constants<P>(spec.settings));
  });
  return window;
}

WavefrontPlan::WavefrontPlan(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem,
                             const WavefrontInputs& inputs)
    : spec_(std::move(spec)),
      problem_(problem),
      down_((spec_.rows + spec_.block_rows - 1) / spec_.block_rows),
      across_((spec_.columns + spec_.block_columns - 1) / spec_.block_columns),
      planes_(border_planes(spec_)),
      window_(half_width(spec_)),
      watch_(inputs.watch) {
  const auto input = [&](const char* name, const std::shared_ptr<io::Source>& source, Extents tile) {
    ArraySpec array;
    array.name = name;
    array.role = Role::input;
    array.type = source->type();
    array.shape = source->shape();
    array.tile = tile;
    array.source = source;
    return add(std::move(array));
  };
  if (inputs.grid) {
    grid_ = input("grid", inputs.grid, {spec_.block_rows, spec_.block_columns});
  } else {
    rows_ = input("rows", inputs.rows, {spec_.block_rows});
    columns_ = input("columns", inputs.columns, {spec_.block_columns});
  }
}

int WavefrontPlan::add(ArraySpec spec) {
  arrays_.push_back(std::move(spec));
  return static_cast<int>(arrays_.size()) - 1;
}

Box WavefrontPlan::cells_of(std::int64_t index) const {
  const auto [i, layer, j] = place_of(index);
  return {{i * spec_.block_rows, j * spec_.block_columns},
          {std::min(spec_.rows, (i + 1) * spec_.block_rows), std::min(spec_.columns, (j + 1) * spec_.block_columns)}};
}

void WavefrontPlan::read_inputs(const Box& cells, std::vector<run::Access>& accesses) const {
  if (grid_ >= 0) {
    accesses.push_back({WavefrontSlot::grid, grid_, 0, cells, Mode::read});
  } else {
    accesses.push_back({WavefrontSlot::rows, rows_, 0, {{cells.begin[0]}, {cells.end[0]}}, Mode::read});
    accesses.push_back({WavefrontSlot::columns, columns_, 0, {{cells.begin[1]}, {cells.end[1]}}, Mode::read});
  }
}

}  // namespace terrace::stages
