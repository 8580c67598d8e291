#include "stages/wavefront/plan.hpp"

#include <algorithm>

namespace terrace::stages {

using run::ArraySpec;
using run::Mode;
using run::Role;

namespace {

wavefront::SweepSpec described(wavefront::SweepSpec spec) {
  spec.description = wavefront::description_of(spec);
  return spec;
}

}  // namespace

WavefrontPlan::WavefrontPlan(wavefront::SweepSpec spec, const WavefrontInputs& inputs)
    : spec_(described(std::move(spec))),
      down_((spec_.rows + spec_.block_rows - 1) / spec_.block_rows),
      across_((spec_.columns + spec_.block_columns - 1) / spec_.block_columns),
      planes_{problem().row_planes, problem().column_planes},
      window_(problem().window),
      dealing_(inputs.dealing),
      seed_limits_(inputs.seed_limits),
      watch_(inputs.watch),
      letters_(inputs.letters) {
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

int WavefrontPlan::devices(int available) const {
  return static_cast<int>(std::min<std::int64_t>(available, dealing_.devices));
}

/// Strips are dealt in turn; what is not swept by strips is computed by one device.
int WavefrontPlan::device(const run::Phase&, std::int64_t index, int devices) const {
  return spec_.by_strips ? static_cast<int>(place_of(index).j % devices) : 0;
}

std::string WavefrontPlan::dealt() const {
  return spec_.by_strips ? std::to_string(across_) + " strips of columns" : dealing_.why_not;
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
