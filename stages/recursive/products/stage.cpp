#include "stages/recursive/products/stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/recursive/problems.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/recursive/blas_choice.hpp"
#include "stages/recursive/measured.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/products/blocks.hpp"
#include "stages/recursive/products/tally.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/stated_weights.hpp"
#include "stages/recursive/tiles.hpp"
#include "stages/recursive/weights.hpp"
#include "stages/refuse.hpp"
#include "stages/rounded_inputs.hpp"

namespace terrace::stages {
namespace {

bool packs_factors(const ProductCut& cut) { return recursive::has_bit_factors(cut.spec.table); }
bool packs_product(const ProductCut& cut) { return recursive::has_bits(cut.spec.table); }

/// Bytes of an element of the factors, and of the product.
struct ElementBytes {
  double factor, product;
};
ElementBytes memory_bytes(const ProductCut& cut) {
  const auto value = static_cast<double>(size_of(cut.spec.value));
  return {packs_factors(cut) ? 0.125 : value, packs_product(cut) ? 0.125 : value};
}
/// The same in files: bits are read, and given out, as bytes.
ElementBytes file_bytes(const ProductCut& cut) {
  const auto value = static_cast<double>(size_of(cut.spec.value));
  return {packs_factors(cut) ? 1 : value, packs_product(cut) ? 1 : value};
}

ProductTiles tiles_of(const ProductCut& cut) {
  const auto along = [&](std::int64_t extent) {
    return std::max<std::int64_t>(1, (extent + cut.tile - 1) / cut.tile);
  };
  return {along(cut.rows), along(cut.columns), along(cut.depth)};
}

TileRoom room_of(const ProductCut& cut, const Resources& resources) {
  const std::int64_t cells = cut.tile * cut.tile;
  const std::int64_t tile =
      whole_pages(static_cast<std::int64_t>(static_cast<double>(cells) * memory_bytes(cut).product));
  const std::int64_t output = packs_product(cut) ? whole_pages(cells) : 0;
  const auto tiles = [&](std::size_t budget, std::int64_t beside) {
    return std::max<std::int64_t>(0, static_cast<std::int64_t>(budget) - beside - output) / tile;
  };
  const std::int64_t workspace = workspace_bytes(cut.spec, cut.tile, resources);
  if (!resources.cuda) return {tiles(resources.host_budget, workspace), 0};
  return {tiles(resources.host_budget, 0), tiles(resources.device_budget, workspace)};
}

class ProductStage : public run::Stage {
 public:
  /// @param stated  by which the plan's elements are read @param largest magnitude of a result of whole numbers; 0:
  /// there are others
  ProductStage(const Request& request, std::unique_ptr<ProductPlan> plan, std::vector<StatedWeights> stated,
               double largest)
      : name_(request.stage.name),
        semiring_(request.stage.settings.text("semiring")),
        type_place_(place_of(request.stage, "type")),
        resources_(request.resources),
        plan_(std::move(plan)),
        tally_(*plan_),
        stated_(std::move(stated)),
        largest_(largest) {}

  const run::Plan& plan() const override { return *plan_; }
  run::Tally& tally() override { return tally_; }
  io::DatasetSpec dataset(int) const override {
    return {"/" + name_ + "/product",
            {},
            {},
            {"row", "column"},
            "",
            "product of two matrices in " + semiring_,
            no_value()};
  }
  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    const ProductCut& cut = plan_->cut();
    const auto rows = static_cast<double>(cut.rows), columns = static_cast<double>(cut.columns);
    const auto depth = static_cast<double>(cut.depth);
    const ElementBytes in_memory = memory_bytes(cut), in_files = file_bytes(cut);
    run::Prediction p;
    p.blocks = plan_->updates();
    p.operations = rows * columns * depth;
    p.unit = "multiplication";
    const double product = rows * columns * in_files.product;
    const ProductTraffic passes =
        keeps_product(cut.ways) ? traffic_of(tiles_of(cut), room_of(cut, resources_), cut.ways)
                                : ProductTraffic{halved(resources_.host_budget), halved(resources_.device_budget)};
    const auto moved = [&](const ProductPasses& of, double factor) {
      const double again = rows * columns * in_memory.product * (of.product - 1);
      return Traffic{(rows * depth * of.left + depth * columns * of.right) * factor + again, again + product};
    };
    const double added = plan_->accumulates() ? product : 0;
    const Traffic disk = moved(passes.host, in_files.factor);
    const double inspected = plan_->inspects() ? (rows + columns) * depth * in_memory.factor + added : 0;
    p.bytes_read = disk.in + added + inspected_again(cut.spec.value, inspected, resources_.host_budget);
    p.bytes_written = disk.out;
    if (resources_.cuda) {
      const Traffic link = moved(passes.device, in_memory.factor);
      p.bytes_up = link.in + added + inspected_again(cut.spec.value, inspected, resources_.device_budget);
      p.bytes_down = link.out;
    }
    set_product_rates(p, updates(), resources_);
    set_devices(p, plan_->lines(), resources_);
    set_blocks(p, cut.spec, cut.tile, resources_);
    return p;
  }

  recursive::UpdateSpec updates() const { return {plan_->cut().spec, recursive::Form::product, plan_->cut().tile}; }

  /// Squares of a third of the memory each: every other one of the factors is read again, and the product comes and
  /// goes with every part of the depth.
  ProductPasses halved(std::size_t budget) const {
    const ProductCut& cut = plan_->cut();
    const ProductTiles tiles = tiles_of(cut);
    const std::int64_t longest = std::max({cut.rows, cut.columns, cut.depth});
    const ElementBytes element = memory_bytes(cut);
    const auto square = static_cast<double>(longest) * static_cast<double>(longest) * element.product;
    std::vector<std::int64_t> ways;
    for (const Ways& level : cut.ways) ways.push_back(level.i);
    const double side = static_cast<double>(longest) /
                        parts_that_fit(square, budget, ways, std::max({tiles.rows, tiles.columns, tiles.depth}));
    const auto parts = [&](std::int64_t extent) { return std::max(1.0, static_cast<double>(extent) / side); };
    const auto rows = static_cast<double>(cut.rows), columns = static_cast<double>(cut.columns);
    const double bytes =
        (rows + columns) * static_cast<double>(cut.depth) * element.factor + rows * columns * element.product;
    const double missing = std::max(0.0, 1 - static_cast<double>(budget) / bytes);
    return {parts(cut.columns), parts(cut.rows),
            1 + measured::PassTraffic::written * (parts(cut.depth) - 1) * missing};
  }

  std::vector<std::string> warnings() const override {
    if (plan_->cut().spec.value != ElementType::f32) return {};
    const std::string warning = warning_of_f32_results(type_place_, name_, largest_);
    return warning.empty() ? std::vector<std::string>() : std::vector{warning};
  }

  std::vector<run::StageMethod> methods() const override { return methods_of(updates(), resources_); }

  nlohmann::json choices() const override {
    const ProductCut& cut = plan_->cut();
    nlohmann::json choices = {
        {"method", run::method_of(*this)}, {"tile", cut.tile}, {"value", name_of(cut.spec.value)}};
    for (const Ways& level : cut.ways) choices["ways"].push_back({level.i, level.j, level.k});
    for (const StatedWeights& of_matrix : stated_) choices["stated"].push_back(of_matrix.json());
    note_blas(choices, cut.spec, resources_);
    return choices;
  }

 private:
  /// The infinity of an integer type, for elements of the product to which no pair of elements contributes.
  std::optional<std::int64_t> no_value() const {
    const auto infinity = no_path_of(plan_->cut().spec.value);
    switch (recursive::semirings()[static_cast<std::size_t>(plan_->cut().spec.semiring)].nothing) {
      case recursive::Nothing::infinity:
        return infinity;
      case recursive::Nothing::minus_infinity:
        return infinity ? std::optional(-*infinity) : std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::string name_, semiring_;
  Place type_place_;  // place of the type in the job, else of the stage
  Resources resources_;
  std::unique_ptr<ProductPlan> plan_;
  ProductTally tally_;
  std::vector<StatedWeights> stated_;  // of each matrix, or empty
  double largest_;
};

std::shared_ptr<io::Source> open_matrix(const Request& request, const char* parameter) {
  const std::string& name = request.stage.settings.text(parameter);
  std::shared_ptr<io::Source> matrix = request.array(name);
  refuse_no_rows(request.stage, parameter, name, *matrix);
  if (matrix->shape().rank() != 2) {
    refuse(request.stage, parameter, "'" + name + "' is " + to_string(matrix->shape()) + "; give a matrix");
  }
  constexpr std::int64_t longest = std::int64_t{1} << 31;
  if (std::max(matrix->shape()[0], matrix->shape()[1]) > longest) {
    refuse(request.stage, parameter, "'" + name + "' has a side of more than 2^31 elements");
  }
  return matrix;
}

/// A type that holds the elements of both.
ElementType common_type(ElementType a, ElementType b) {
  a = distance_type(a);
  b = distance_type(b);
  if (is_floating(b)) std::swap(a, b);
  if (is_floating(a) && !is_floating(b)) return size_of(b) < 4 ? a : ElementType::f64;
  return size_of(a) < size_of(b) ? b : a;
}

ElementType choose_type(const Request& request, const std::vector<std::shared_ptr<io::Source>>& matrices) {
  const std::string &type = request.stage.settings.text("type"), &semiring = request.stage.settings.text("semiring");
  ElementType value = distance_type(matrices[0]->type());
  for (const auto& matrix : matrices) value = common_type(value, matrix->type());
  if (type != "input") value = *element_type_from(type);
  if (semiring == "or_and") {
    if (type != "input") refuse(request.stage, "type", "products in or_and are of 0 and 1, in u8: leave out `type`");
    return ElementType::u8;
  }
  if (semiring == "count") {
    if (type != "input" && value != ElementType::i32) {
      refuse(request.stage, "type", "products in count are numbers of pairs, in i32: leave out `type`");
    }
    return ElementType::i32;
  }
  if (semiring == "max_times" && !is_floating(value)) {
    if (type != "input") refuse(request.stage, "type", "products in max_times are f32 or f64");
    return ElementType::f64;
  }
  return value;
}

/// The largest magnitude that an element of the product may have; 0 if not all elements are whole numbers, or it
/// is one of them.
double largest_result(const std::vector<std::shared_ptr<io::Source>>& matrices, const std::string& semiring) {
  for (const auto& matrix : matrices) {
    if (is_floating(matrix->type())) return 0;
  }
  const double left = largest_magnitude(matrices[0]->type()), right = largest_magnitude(matrices[1]->type());
  if (semiring == "min_plus" || semiring == "max_plus") return left + right;
  if (semiring == "max_times") return left * right;
  if (semiring != "plus_times") return 0;
  const auto depth = static_cast<double>(matrices[0]->shape()[1]);
  return depth * left * right + (matrices.size() > 2 ? largest_magnitude(matrices[2]->type()) : 0);
}

/// Refuses a count that i32 may not hold: elements to which it is added are of magnitudes below 2^30.
void refuse_counts(const Request& request, const ProductCut& cut) {
  const bool added = request.stage.settings.has("accumulate");
  const std::int64_t most = added ? std::int64_t{1} << 30 : std::numeric_limits<std::int32_t>::max();
  if (cut.depth <= most) return;
  refuse(request.stage, "semiring",
         "i32 may not hold counts over " + std::to_string(cut.depth) + " columns of '" +
             request.stage.settings.text("left") + "'" + (added ? ", and what they are added to" : "") +
             "; the most are " + std::to_string(most));
}

ProductRanges ranges_of(const std::vector<StatedWeights>& stated) {
  ProductRanges ranges;
  for (std::size_t n = 0; n < stated.size(); ++n) ranges[n] = stated[n].range;
  return ranges;
}

/// The ranges that the matrices state of their elements, if these suffice to compute the product; else empty.
/// @param rules by which each matrix is read
std::vector<StatedWeights> stated_elements(const ProductCut& cut, const std::string& semiring,
                                           const std::vector<std::shared_ptr<io::Source>>& matrices,
                                           const std::vector<WeightRules>& rules) {
  if (!looks_at_range(semiring, cut.spec.value)) return {};
  std::vector<StatedWeights> all;
  for (std::size_t n = 0; n < matrices.size(); ++n) {
    auto stated = stated_weights(*matrices[n], rules[n]);
    if (!stated || !holds_weights(cut.spec.value, stated->range)) return {};
    all.push_back(*std::move(stated));
  }
  if (!holds_product(semiring, cut.spec.value, ranges_of(all), cut.depth)) return {};
  return all;
}

std::vector<StatedWeights> stated_before(const nlohmann::json& choices) {
  std::vector<StatedWeights> all;
  for (const nlohmann::json& stated : choices.value("stated", nlohmann::json::array())) {
    all.push_back(StatedWeights::from(stated));
  }
  return all;
}

}  // namespace

WeightRules factor_rules(const job::Stage& stage, const std::string& parameter) {
  const std::string& semiring = stage.settings.text("semiring");
  WeightRules rules;
  rules.label = label_of(stage, parameter);
  rules.zero_diagonal = false;
  rules.nothing = recursive::semirings()[static_cast<std::size_t>(recursive::find_semiring(semiring))].nothing;
  rules.any_infinity = semiring == "max_min";
  rules.not_negative = semiring == "max_times";
  if (semiring == "count") {
    rules.zero_or_one = parameter != "accumulate";
    rules.one_type = true;
    if (!rules.zero_or_one) rules.nothing = recursive::Nothing::zero;
  }
  return rules;
}

ElementType element_type(ElementType product, const WeightRules& rules) {
  return rules.nothing == recursive::Nothing::false_ ? ElementType::u8 : product;
}

std::unique_ptr<run::Stage> make_product(const Request& request) {
  const Settings& settings = request.stage.settings;
  const std::string& semiring = settings.text("semiring");
  std::vector<std::string> names = {"left", "right"};
  if (settings.has("accumulate")) names.emplace_back("accumulate");
  std::vector<std::shared_ptr<io::Source>> matrices;
  std::vector<WeightRules> rules;
  for (const std::string& name : names) {
    rules.push_back(factor_rules(request.stage, name));
    matrices.push_back(with_no_edge(open_matrix(request, name.c_str()), rules.back()));
  }
  ProductCut cut;
  cut.spec.semiring = recursive::find_semiring(semiring);
  cut.rows = matrices[0]->shape()[0];
  cut.depth = matrices[0]->shape()[1];
  cut.columns = matrices[1]->shape()[1];
  if (matrices[1]->shape()[0] != cut.depth) {
    refuse(request.stage, "right",
           "'" + settings.text("right") + "' is " + to_string(matrices[1]->shape()) + ", and '" +
               settings.text("left") + "' " + to_string(matrices[0]->shape()) +
               "; the right matrix has as many rows as the left one has columns");
  }
  if (matrices.size() == 3 && matrices[2]->shape() != Extents{cut.rows, cut.columns}) {
    refuse(request.stage, "accumulate",
           "'" + settings.text("accumulate") + "' is " + to_string(matrices[2]->shape()) + ", and the product " +
               to_string(Extents{cut.rows, cut.columns}));
  }
  if (semiring == "count") refuse_counts(request, cut);
  const ElementType type = choose_type(request, matrices);
  cut.spec.value = type;
  if (semiring == "or_and") cut.spec = {cut.spec.semiring, ElementType::u32, recursive::Table::bits};
  if (semiring == "count") cut.spec.table = recursive::Table::counts;
  choose_blas(cut.spec, request);
  if (request.choices != nullptr) {
    cut.tile = request.choices->at("tile");
    for (const nlohmann::json& level : request.choices->at("ways"))
      cut.ways.push_back({level.at(0), level.at(1), level.at(2)});
  } else {
    const std::int64_t longest = std::max({cut.rows, cut.columns, cut.depth});
    cut.tile = choose_tile(longest, cut.spec, request.resources);
    const std::string& schedule = settings.text("schedule");
    cut.ways = schedule == "auto"
                   ? kept_product_ways(tiles_of(cut), room_of(cut, request.resources))
                   : alike(choose_ways(schedule, (longest + cut.tile - 1) / cut.tile, cut.tile,
                                       static_cast<std::int64_t>(size_of(cut.spec.value)), request.resources));
  }
  std::vector<StatedWeights> stated =
      request.choices != nullptr ? stated_before(*request.choices) : stated_elements(cut, semiring, matrices, rules);
  if (!stated.empty()) cut.stated = ranges_of(stated);
  const auto factor = [&](std::size_t number) {
    if (!stated.empty()) rules[number].stated = stated.at(number);
    rules[number].rounded = rounded_of(request, names[number]);
    std::shared_ptr<io::Source> elements =
        weights(matrices[number], element_type(type, rules[number]), rules[number]);
    if (rules[number].nothing == recursive::Nothing::false_) elements = packed_words(std::move(elements));
    return Factor{std::move(elements), settings.text(names[number])};
  };
  std::optional<Factor> accumulate;
  if (matrices.size() == 3) accumulate = factor(2);
  return std::make_unique<ProductStage>(
      request, std::make_unique<ProductPlan>(cut, factor(0), factor(1), std::move(accumulate)), stated,
      largest_result(matrices, semiring));
}

}  // namespace terrace::stages
