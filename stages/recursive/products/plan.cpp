#include "stages/recursive/products/plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/recursive/problems.hpp"
#include "pipeline/base/error.hpp"
#include "stages/recursive/products/tally.hpp"
#include "stages/recursive/tile_plan.hpp"

namespace terrace::stages {

using recursive::Function;
using recursive::TileTask;
using run::Mode;

namespace {

std::int64_t tiles_along(std::int64_t extent, std::int64_t tile) { return (extent + tile - 1) / tile; }

RecursiveOrder order_of(const ProductCut& cut) {
  // A product over nothing is still begun.
  return RecursiveOrder::product(tiles_along(cut.rows, cut.tile), tiles_along(cut.columns, cut.tile),
                                 std::max<std::int64_t>(1, tiles_along(cut.depth, cut.tile)), cut.ways);
}

bool has_range(const std::string& semiring) {
  return semiring == "plus_times" || semiring == "min_plus" || semiring == "max_plus";
}

/// True if some elements turn infinity into a finite value: negative ones in min_plus, positive ones in max_plus.
bool meets_infinity(const std::string& semiring, const ProductRanges& ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const WeightRange& range) {
    return range.any && (semiring == "min_plus" ? range.least < 0 : semiring == "max_plus" && range.most > 0);
  });
}

double largest(ElementType type) {
  return dispatch(type, [](auto value) { return static_cast<double>(std::numeric_limits<decltype(value)>::max()); });
}

}  // namespace

bool looks_at_range(const std::string& semiring, ElementType type) {
  return !is_floating(type) && has_range(semiring);
}

bool holds_product(const std::string& semiring, ElementType type, const ProductRanges& ranges, std::int64_t depth) {
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

ProductPlan::ProductPlan(ProductCut cut, Factor left, Factor right, std::optional<Factor> accumulate)
    : cut_(std::move(cut)),
      semiring_(recursive::semirings()[static_cast<std::size_t>(cut_.spec.semiring)].name),
      order_(order_of(cut_)),
      inspects_(looks_at_range(semiring_, cut_.spec.value) && !cut_.stated),
      names_{left.name, right.name},
      arrays_(cut_.tile) {
  const std::int64_t cells = recursive::has_bit_factors(cut_.spec.table) ? cells_of_word : 1;
  arrays_.add_input("left", {cut_.rows, cut_.depth, cells}, std::move(left.source));
  arrays_.add_input("right", {cut_.depth, cut_.columns, cells}, std::move(right.source));
  if (accumulate) {
    const std::int64_t added_cells = recursive::has_bits(cut_.spec.table) ? cells_of_word : 1;
    arrays_.add_input("accumulate", {cut_.rows, cut_.columns, added_cells}, std::move(accumulate->source));
    inputs_ = 3;
  }
  const UpdatedArrays product =
      arrays_.add_updated("product", "bits", cut_.spec, cut_.rows, cut_.columns, tiles_along(cut_.depth, cut_.tile));
  product_ = product.table;
  output_ = product.output;
}

std::int64_t ProductPlan::input_tiles() const {
  std::int64_t count = 0;
  for (int array = 0; array < inputs_; ++array) count += arrays_.grid(array).count();
  return count;
}

ProductPlan::InputTile ProductPlan::input_tile(std::int64_t number) const {
  int array = 0;
  while (number >= arrays_.grid(array).count()) {
    number -= arrays_.grid(array++).count();
  }
  return {array, arrays_.grid(array).box(number)};
}

std::optional<run::Phase> ProductPlan::phase(std::int64_t number, const run::Tally& tally) const {
  if (inspects_ && number == 0)
    return run::Phase{number, input_tiles(), run::Order::any, TilePhase{.inspects = 1, .clamps = 0}};
  if (number != (inspects_ ? 1 : 0)) return std::nullopt;
  TilePhase value{};
  if (cut_.stated) value.clamps = meets_infinity(semiring_, *cut_.stated) ? 1 : 0;
  if (inspects_) {
    const ProductRanges& ranges = static_cast<const ProductTally&>(tally).ranges();
    check_range(ranges);
    value.clamps = meets_infinity(semiring_, ranges) ? 1 : 0;
  }
  return run::Phase{number, order_.count(), run::Order::in_turn, value};
}

void ProductPlan::check_range(const ProductRanges& ranges) const {
  if (holds_product(semiring_, cut_.spec.value, ranges, cut_.depth)) return;
  std::string wider = "f64";
  for (const ElementType type : {ElementType::i64, ElementType::i32}) {
    if (holds_product(semiring_, type, ranges, cut_.depth)) wider = name_of(type);
  }
  throw ComputeError("the product of '" + names_[0] + "' and '" + names_[1] + "' may leave " +
                     std::string(name_of(cut_.spec.value)) + ": say `type: " + wider + "`");
}

run::Block ProductPlan::block(const run::Phase& phase, std::int64_t index) const {
  if (phase.value.as<TilePhase>().inspects == 0) return update(order_.at(index));
  const InputTile tile = input_tile(index);
  return {{{TileSlot::input, tile.array, 0, tile.box, Mode::read}}, 0};
}

int ProductPlan::device(const run::Phase& phase, std::int64_t index, int devices) const {
  if (phase.value.as<TilePhase>().inspects != 0) return lines().device(index, devices);
  const Update at = order_.at(index);
  return lines().device(deals_rows() ? at.i : at.j, devices);
}

run::Block ProductPlan::update(const Update& at) const {
  const Box x = arrays_.tile(product_, at.i, at.j);
  const bool first = at.k == 0;
  run::Block block;
  block.accesses.push_back({TileSlot::x, product_, first ? 1 : at.k, x, first ? Mode::write : Mode::update});
  if (first && accumulates()) block.accesses.push_back({TileSlot::input, 2, 0, x, Mode::read});
  if (output_ >= 0 && at.k + 1 == steps())
    block.accesses.push_back({TileSlot::output, output_, 1, arrays_.tile(output_, at.i, at.j), Mode::write});
  if (cut_.depth == 0) return block;
  const Box v = arrays_.tile(1, at.k, at.j);
  block.accesses.push_back({TileSlot::u, 0, 0, arrays_.tile(0, at.i, at.k), Mode::read});
  block.accesses.push_back({TileSlot::v, 1, 0, v, Mode::read});
  const Box cells = output_ >= 0 ? arrays_.tile(output_, at.i, at.j) : x;
  block.operations = static_cast<double>(cells.volume()) * static_cast<double>(v.shape()[0]);
  return block;
}

TileTask ProductPlan::task(const run::Phase& phase, const run::BlockView& view) const {
  const auto value = phase.value.as<TilePhase>();
  TileTask task{};
  Box x;
  if (value.inspects != 0) {
    task.function = Function::inspect;
    x = input_tile(view.index).box;
  } else {
    const Update at = order_.at(view.index);
    x = arrays_.tile(product_, at.i, at.j);
    task.function = Function::d;
    task.depth = std::min(cut_.tile, cut_.depth - at.k * cut_.tile);
    task.last = at.k + 1 == steps();
    task.clamped = value.clamps != 0;
    task.empty = at.k == 0 && !accumulates();
    if (output_ >= 0) task.output_columns = arrays_.tile(output_, at.i, at.j).shape()[1];
  }
  task.rows = x.shape()[0];
  task.columns = x.shape()[1];
  run::bind_slots(tile_slots, view, task);
  return task;
}

std::unique_ptr<run::Worker> ProductPlan::make_worker(device::Context& context) const {
  return make_tile_worker(*this, cut_.spec, cut_.tile, context);
}

}  // namespace terrace::stages
