#include "stages/dp_table/definition.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "kernels/dp_table/bounded_task.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/dp_table/steps.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

using dp_table::Combine;
using dp_table::Order;
using dp_table::Schedule;
using dp_table::StepSet;

class Definer {
 public:
  explicit Definer(const Request& request) : request_(request), settings_(request.stage.settings) {}

  TableDefinition define() {
    dp_table::Table& table = found_.table;
    table.combine = combine_of(settings_.text("combine"));
    table.extents = extents();
    // Mistakes that do not follow from one another are reported together.
    const bool has_steps = is_right([&] { table.steps = define_steps(request_, table.extents); });
    const bool has_costs = is_right([&] { add_costs(has_steps); });
    if (has_steps) is_right([&] { each(); });
    const bool has_modulus = is_right([&] { modulus(); });
    is_right([&] { keep(); });
    is_right([&] { fill(); });
    is_right([&] { order(); });
    const bool by_costs = table.combine == Combine::min || table.combine == Combine::max;
    if (has_modulus && (!by_costs || (has_steps && has_costs))) {
      is_right([&] {
        type();
        if (by_costs && is_floating(table.type)) check_real_costs();
      });
    }
    if (!faults_.empty()) throw JobError(faults_);
    schedule();
    table.cut.rows = table.extents[0];
    return std::move(found_);
  }

 private:
  /// Calls read(), and keeps its errors.
  template <class Read>
  bool is_right(const Read& read) {
    try {
      read();
      return true;
    } catch (const JobError& error) {
      faults_.insert(faults_.end(), error.messages().begin(), error.messages().end());
      return false;
    }
  }
  [[noreturn]] void wrong(const char* parameter, const std::string& what) const {
    refuse(request_.stage, parameter, what);
  }

  static Combine combine_of(const std::string& word) {
    for (const Combine combine : {Combine::min, Combine::max, Combine::count}) {
      if (word == dp_table::name_of(combine)) return combine;
    }
    return Combine::any;
  }

  Extents extents() const {
    const auto& given = settings_.get<std::vector<std::int64_t>>("extents");
    if (given.empty() || given.size() > static_cast<std::size_t>(dp_table::most_dimensions)) {
      wrong("extents", "`extents` has " + std::to_string(given.size()) + " dimensions; a table has 1 to " +
                           std::to_string(dp_table::most_dimensions));
    }
    Extents extents;
    for (const std::int64_t extent : given) extents.push_back(extent);
    if (!dp_table::cells_of(extents)) {
      wrong("extents", "a table of " + to_string(extents) + " has more than 2^62 cells, which is the most");
    }
    return extents;
  }

  /// @param has_steps true if there are steps to which costs can belong
  void add_costs(bool has_steps) {
    StepSet& steps = found_.table.steps;
    const auto count = static_cast<std::size_t>(steps.count());
    const bool counts = found_.table.combine == Combine::count || found_.table.combine == Combine::any;
    if (counts && !settings_.place("cost").text.empty()) {
      wrong("cost",
            "`combine: " + std::string(dp_table::name_of(found_.table.combine)) + "` has no costs; leave `cost` out");
    }
    costs_ = define_costs(request_);
    const std::vector<std::string>& texts = costs_.texts;
    if (!has_steps) {
      for (std::size_t number = 0; number < texts.size(); ++number) real_of(texts[number]);
      return;
    }
    if (texts.size() != 1 && texts.size() != count) {
      wrong("cost", "`cost` has " + std::to_string(texts.size()) + " numbers for " + counted(count, "step") +
                        "; give one for each step, or one for all");
    }
    steps.whole_costs.clear();
    steps.real_costs.clear();
    for (std::size_t number = 0; number < count; ++number) {
      const std::string& text = texts[texts.size() == 1 ? 0 : number];
      const double real = real_of(text);
      steps.real_costs.push_back(real);
      if (const auto whole = whole_of(text, real)) steps.whole_costs.push_back(*whole);
    }
  }

  double real_of(const std::string& text) const {
    const std::optional<double> number = job::number_of_entry(text);
    if (!number || !std::isfinite(*number)) wrong("cost", "a cost of '" + text + "' is no finite number");
    return *number;
  }

  static std::optional<std::int64_t> whole_of(const std::string& text, double real) {
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), whole);
    if (error == std::errc() && end == text.data() + text.size()) return whole;
    if (std::floor(real) == real && std::abs(real) < 9.0e15) return static_cast<std::int64_t>(real);
    return std::nullopt;
  }

  /// True if the text is a whole number in digits, or its value is one, and `held` is another number.
  static bool is_changed_whole(std::string_view text, double held) {
    if (text.find_first_not_of("+-0123456789") != std::string_view::npos) {
      const double real = *job::number_of_entry(std::string(text));
      return std::floor(real) == real && std::abs(real) < 9.0e15 && held != real;
    }
    const bool negative = text.starts_with('-');
    text.remove_prefix(std::min(text.find_first_not_of("+-0"), text.size()));
    std::array<char, 512> digits{};
    const auto written =
        std::to_chars(digits.data(), digits.data() + digits.size(), std::abs(held), std::chars_format::fixed, 0);
    const std::string_view value(digits.data(), static_cast<std::size_t>(written.ptr - digits.data()));
    return negative != (held < 0) ? !text.empty() : value != (text.empty() ? "0" : text);
  }

  /// Refuses costs that the type of real numbers would change: whole numbers that it lacks, and numbers too close to
  /// 0 for it. Other decimals are rounded, as everybody expects.
  void check_real_costs() const {
    const bool single = found_.table.type == ElementType::f32;
    const std::string type(name_of(found_.table.type));
    const std::string remedy = fits(ElementType::i64) ? "`type: auto`, or i64"
                               : single               ? "`type: f64`"
                                                      : "a number that it holds";
    for (std::size_t number = 0; number < costs_.texts.size(); ++number) {
      const std::string& text = costs_.texts[number];
      const double real = real_of(text), held = single ? static_cast<float>(real) : real;
      const double least = single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
      if (is_changed_whole(text, held)) {
        costs_.refuse(request_, number,
                      "a cost of " + text + " is a whole number that " + type + " does not hold; give " + remedy);
      }
      if (real != 0 && std::abs(held) < least && held != real) {
        costs_.refuse(request_, number,
                      "a cost of " + text + " is closer to 0 than numbers of " + type + "; give " + remedy);
      }
    }
  }

  void fill() {
    found_.at_most = settings_.text("fill") == "at_most";
    if (!found_.at_most || found_.table.combine == Combine::max) return;
    const char* remedy = "";
    switch (found_.table.combine) {
      case Combine::min:
        remedy = "the least of all cells is the first one's 0, unless costs are negative";
        break;
      case Combine::any:
        remedy = "the first cell is always reached";
        break;
      default:
        remedy = "to count the ways to all cells, give `order: unordered` and a step of 1 in each dimension";
    }
    wrong("fill", "`fill: at_most` is of `combine: max`: " + std::string(remedy) + "; leave it out");
  }

  void order() {
    if (settings_.text("order") != "unordered") return;
    found_.table.order = Order::unordered;
    if (found_.table.combine != Combine::count) {
      wrong("order", "`order: unordered` is of `combine: count`: the value of `" +
                         std::string(dp_table::name_of(found_.table.combine)) +
                         "` does not depend on the order of steps; leave it out");
    }
    if (settings_.text("schedule") != "auto") {
      wrong("schedule", "`schedule` orders the cells of `order: ordered`; leave it out, or `order: unordered`");
    }
  }

  void each() {
    if (!settings_.has("each")) return;
    const int rank = found_.table.extents.rank();
    if (rank > dp_table::most_bounded_dimensions) {
      wrong("each", "`each` is of tables of up to " + std::to_string(dp_table::most_bounded_dimensions) +
                        " dimensions, and this one has " + std::to_string(rank) +
                        "; give each step a dimension of its own in place of `each`, whose extent is one more than "
                        "how often it may be taken");
    }
    if (settings_.text("schedule") != "auto")
      wrong("schedule", "`schedule` is of tables without `each`; leave it out");
    if (!settings_.place("partition_dimensions").text.empty()) {
      wrong("partition_dimensions", "`partition_dimensions` is of tables without `each`; leave it out");
    }
    if (found_.table.combine == Combine::count && settings_.text("order") != "unordered") {
      wrong("each", "`each` counts combinations of steps, not sequences; give `order: unordered`");
    }
    found_.table.steps.each = define_each(request_, found_.table.steps.count());
  }

  void modulus() {
    if (!settings_.has("modulus")) return;
    if (found_.table.combine != Combine::count) {
      wrong("modulus", "`modulus` is of `combine: count`; leave it out");
    }
    found_.table.modulus = settings_.integer("modulus");
  }

  void schedule() {
    const std::string& word = settings_.text("schedule");
    found_.table.schedule = word == "partitioned" ? Schedule::partitioned
                            : word == "levels"    ? Schedule::levels
                                                  : Schedule::automatic;
    found_.table.partition_dimensions = static_cast<int>(settings_.integer("partition_dimensions"));
  }

  void keep() {
    if (!settings_.has("keep")) return;
    const auto& words = settings_.get<std::vector<std::string>>("keep");
    const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    found_.keeps_table = has("table");
    found_.keeps_choice = has("choice");
    found_.keeps_solution = has("solution");
    if (found_.table.combine == Combine::count && (found_.keeps_choice || found_.keeps_solution)) {
      wrong("keep", "`combine: count` adds up all steps, so there is no best one: leave `choice` and `solution` out");
    }
    if (settings_.has("each") && found_.keeps_choice) {
      wrong("keep", "with `each` the best step of a cell depends on those taken before; keep `solution`");
    }
  }

  bool fits(ElementType type) const {
    const dp_table::Table& table = found_.table;
    return dp_table::fits(table.combine, type, table.extents, table.steps, table.modulus);
  }

  void type() {
    dp_table::Table& table = found_.table;
    const std::string& word = settings_.text("type");
    const ElementType narrowest = dp_table::narrowest_type(table.combine, table.extents, table.steps, table.modulus);
    table.type = word == "auto" ? narrowest : *element_type_from(word);
    if (fits(table.type)) return;
    const std::string given(name_of(table.type)), remedy = std::string(name_of(narrowest)) + " or auto";
    if (table.combine == Combine::any) wrong("type", "`combine: any` gives u8; give " + remedy);
    if (table.combine == Combine::count) {
      wrong("type", (table.modulus == 0 ? "ways without a `modulus` are counted in i64"
                                        : "`type: " + given + "` does not hold every number below the modulus") +
                        "; give " + remedy);
    }
    if (table.combine == Combine::max && !is_signed(table.type)) {
      wrong("type", "`max` needs a signed type; give " + remedy);
    }
    if (!is_floating(table.type) && !table.steps.has_whole_costs()) {
      wrong("type", "a cost is no whole number; give f64 or auto");
    }
    const std::string product = "the largest cost times the longest chain, which has at most " +
                                counted(dp_table::longest_chain(table.extents, table.steps), "step") + ",";
    if (is_floating(table.type)) {
      wrong("cost", product + " leaves " + given + "; give smaller costs" +
                        (table.type == ElementType::f32 ? ", or f64" : ""));
    }
    if (!fits(narrowest)) wrong("cost", product + " leaves i64; give smaller costs, or `type: f64`");
    wrong("type",
          "`type: " + given + "` is not sure to hold " + product.substr(0, product.size() - 1) + "; give " + remedy);
  }

  const Request& request_;
  const Settings& settings_;
  TableDefinition found_;
  StepCosts costs_;
  std::vector<std::string> faults_;
};

}  // namespace

TableDefinition define_table(const Request& request) { return Definer(request).define(); }

}  // namespace terrace::stages
