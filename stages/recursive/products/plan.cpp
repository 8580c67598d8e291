#include "stages/recursive/products/program.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>

#include "kernels/recursive/problems.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {

using recursive::Function;
using recursive::TileResult;
using recursive::TileTask;
using run::ArraySpec;
using run::Mode;
using run::Role;

namespace {

constexpr const char* inspect = "inspect";
constexpr const char* clamp = "clamp";  // of updates: sums that elements of the other sign took off infinity

std::int64_t tiles_along(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

RecursiveOrder order_of(const ProductPlan& plan) {
  // A product over nothing is still begun.
  return RecursiveOrder::product(tiles_along(plan.rows, plan.tile), tiles_along(plan.columns, plan.tile),
                                 std::max<std::int64_t>(1, tiles_along(plan.depth, plan.tile)), plan.ways);
}

/// Whether integers are looked at first: max_min and or_and never leave their range.
bool has_range(const std::string& semiring) {
  return semiring == "plus_times" || semiring == "min_plus" || semiring == "max_plus";
}

/// Whether some elements take others off infinity: negative ones in min_plus, positive ones in max_plus.
bool meets_infinity(const std::string& semiring, const std::array<WeightRange, 3>& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const WeightRange& range) {
    return range.any && (semiring == "min_plus" ? range.least < 0 : semiring == "max_plus" && range.most > 0);
  });
}

double largest(ElementType type) {
  return dispatch(type, [](auto value) { return static_cast<double>(std::numeric_limits<decltype(value)>::max()); });
}

}  // namespace

bool holds_product(const std::string& semiring, ElementType type, const std::array<WeightRange, 3>& ranges,
                   std::int64_t depth) {
  const auto magnitude = [&](int matrix) {
    return static_cast<double>(ranges[static_cast<std::size_t>(matrix)].magnitude());
  };
  const double left = magnitude(0), right = magnitude(1), added = magnitude(2);
  if (semiring == "plus_times") {
    // Rounded, it may be less than it is by the last of 53 bits.
    const double sum = static_cast<double>(depth) * left * right + added;
    return sum * (sum > 0x1p52 ? 1 + 0x1p-40 : 1) <= largest(type);
  }
  if (!has_range(semiring)) return true;
  const double infinity = std::floor(largest(type) / 2);
  if (meets_infinity(semiring, ranges)) return 4 * std::max({left, right, added}) < infinity;
  return left + right < infinity && added < infinity;
}

ProductProgram::ProductProgram(ProductPlan plan, Factor left, Factor right, std::optional<Factor> accumulate)
    : plan_(std::move(plan)),
      semiring_(recursive::semirings()[static_cast<std::size_t>(plan_.spec.semiring)].name),
      order_(order_of(plan_)),
      inspects_(!is_floating(plan_.spec.value) && has_range(semiring_)) {
  const auto add = [&](const std::string& name, Role role, std::int64_t rows, std::int64_t columns, Factor factor) {
    ArraySpec spec;
    spec.name = name;
    spec.role = role;
    spec.type = plan_.spec.value;
    spec.shape = {rows, columns};
    spec.tile = {std::clamp<std::int64_t>(rows, 1, plan_.tile), std::clamp<std::int64_t>(columns, 1, plan_.tile)};
    spec.source = std::move(factor.source);
    names_.push_back(factor.name);
    grids_.emplace_back(spec.shape, spec.tile);
    arrays_.push_back(std::move(spec));
  };
  add("left", Role::input, plan_.rows, plan_.depth, std::move(left));
  add("right", Role::input, plan_.depth, plan_.columns, std::move(right));
  if (accumulate) add("accumulate", Role::input, plan_.rows, plan_.columns, std::move(*accumulate));
  inputs_ = static_cast<int>(arrays_.size());
  add("product", Role::result, plan_.rows, plan_.columns, {});
  arrays_.back().generations = std::max<std::int64_t>(1, tiles_along(plan_.depth, plan_.tile));
  arrays_.back().kept = 1;
}

ProductProgram::~ProductProgram() = default;

std::int64_t ProductProgram::input_tiles() const {
  std::int64_t count = 0;
  for (int array = 0; array < inputs_; ++array) count += grids_[static_cast<std::size_t>(array)].count();
  return count;
}

ProductProgram::InputTile ProductProgram::input_tile(std::int64_t number) const {
  int array = 0;
  while (number >= grids_[static_cast<std::size_t>(array)].count()) {
    number -= grids_[static_cast<std::size_t>(array++)].count();
  }
  return {array, grids_[static_cast<std::size_t>(array)].box(number)};
}

std::optional<run::Phase> ProductProgram::phase(std::int64_t number) {
  run::Phase phase;
  if (inspects_ && number == 0) {
    phase.count = input_tiles();
    phase.data = inspect;
    return phase;
  }
  if (number != (inspects_ ? 1 : 0)) return std::nullopt;
  phase.count = order_.count();
  if (!inspects_) return phase;
  phase.after_results = true;
  if (meets_infinity(semiring_, ranges_)) phase.data = clamp;
  if (holds_product(semiring_, plan_.spec.value, ranges_, plan_.depth)) return phase;
  std::string wider = "f64";
  for (const ElementType type : {ElementType::i64, ElementType::i32}) {
    if (holds_product(semiring_, type, ranges_, plan_.depth)) wider = name_of(type);
  }
  throw ComputeError("the product of '" + names_[0] + "' and '" + names_[1] + "' may leave " +
                     std::string(name_of(plan_.spec.value)) + ": say `type: " + wider + "`");
}

run::Block ProductProgram::block(const run::Phase& phase, std::int64_t, std::int64_t index) const {
  if (phase.data == inspect) {
    const InputTile tile = input_tile(index);
    return {{{tile.array, 0, tile.box, Mode::read}}, 0};
  }
  const Update at = order_.at(index);
  const auto tile = [&](int array, std::int64_t i, std::int64_t j) {
    const TileGrid& grid = grids_[static_cast<std::size_t>(array)];
    return grid.box(i * grid.counts()[1] + j);
  };
  const Box x = tile(inputs_, at.i, at.j);
  run::Block block;
  block.accesses.push_back({inputs_, at.k == 0 ? 1 : at.k, x, at.k == 0 ? Mode::write : Mode::update});
  if (at.k == 0 && inputs_ == 3) block.accesses.push_back({2, 0, x, Mode::read});
  if (plan_.depth == 0) return block;
  const Box u = tile(0, at.i, at.k);
  block.accesses.push_back({0, 0, u, Mode::read});
  block.accesses.push_back({1, 0, tile(1, at.k, at.j), Mode::read});
  block.operations = static_cast<double>(x.volume()) * static_cast<double>(u.shape()[1]);
  return block;
}

std::size_t ProductProgram::descriptor_bytes() const { return sizeof(TileTask); }
std::size_t ProductProgram::result_bytes() const { return sizeof(TileResult); }

void ProductProgram::describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  TileTask task{};
  const run::TileView& first = view.accesses[0].tiles[0];
  task.rows = first.box.shape()[0];
  task.columns = first.box.shape()[1];
  task.function = phase.data == inspect ? Function::inspect : Function::d;
  if (phase.data == inspect) {
    task.input = first.data;
    task.input_stride = first.strides[0];
    std::memcpy(descriptor, &task, sizeof task);
    return;
  }
  const Update at = order_.at(view.index);
  task.last = at.k + 1 == arrays_.back().generations;
  task.clamped = phase.data == clamp;
  task.empty = at.k == 0 && inputs_ == 2;
  task.x = first.data;
  task.x_stride = first.strides[0];
  std::size_t next = 1;
  const auto take = [&](const void*& data, device::i64& stride) {
    const run::TileView& tile = view.accesses[next++].tiles[0];
    data = tile.data;
    stride = tile.strides[0];
    return tile.box.shape();
  };
  if (at.k == 0 && inputs_ == 3) take(task.input, task.input_stride);
  if (plan_.depth > 0) {
    task.depth = take(task.u, task.u_stride)[1];
    take(task.v, task.v_stride);
  }
  std::memcpy(descriptor, &task, sizeof task);
}

void ProductProgram::open(device::Context& context, int) {
  opened_.push_back(std::make_unique<OpenedTiles>(plan_.spec, plan_.tile, context));
}

void ProductProgram::run(const run::Phase&, std::int64_t, const device::Port& port, int, device::Context&,
                         int device) {
  opened_[static_cast<std::size_t>(device)]->run(port);
}

void ProductProgram::failed(const run::Phase&, std::int64_t, std::int64_t index, int) {
  throw ComputeError("block " + std::to_string(index) + " of a product failed, which no block does");
}

void ProductProgram::fold(const run::Phase& phase, std::int64_t, std::int64_t index, const void* folded) {
  if (phase.data != inspect) return;
  TileResult result;
  std::memcpy(&result, folded, sizeof result);
  if ((result.found & 1) == 0) return;
  ranges_[static_cast<std::size_t>(input_tile(index).array)].add(result.least.whole, result.most.whole);
}

std::string ProductProgram::save() const {
  nlohmann::json state = nlohmann::json::array();
  for (const WeightRange& range : ranges_) state.push_back({range.any, range.least, range.most});
  return state.dump();
}

void ProductProgram::load(const std::string& text) {
  const nlohmann::json state = nlohmann::json::parse(text);
  for (std::size_t n = 0; n < ranges_.size(); ++n)
    ranges_[n] = {state.at(n).at(0), state.at(n).at(1), state.at(n).at(2)};
}

}  // namespace terrace::stages
