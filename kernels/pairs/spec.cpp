#include "kernels/pairs/spec.hpp"

#include <cmath>
#include <limits>

namespace terrace::pairs {

using wavefront::Items;

std::shared_ptr<const Description> description_of(const PairsSpec& spec) {
  return spec.description ? spec.description : wavefront::describe(spec.problem, spec.settings);
}

ElementType score_type(const Description& problem, std::int64_t longest_row, std::int64_t longest_column) {
  const bool fits = problem.bound(longest_row, longest_column) <= std::numeric_limits<std::int32_t>::max();
  return fits ? ElementType::i32 : ElementType::i64;
}

double missed_distance(const PairsSpec& spec) {
  return is_floating(spec.value) ? std::numeric_limits<double>::infinity() : std::floor(*spec.at_most) + 1;
}

std::string fault_of(const PairsSpec& spec) {
  const auto problem = description_of(spec);
  const bool letters = problem->items == Items::letters;
  if (problem->items == Items::grid) return "pairs are of letters or values";
  if (letters ? spec.value != ElementType::i32 && spec.value != ElementType::i64 : !is_floating(spec.value)) {
    return "scores of letters are i32 or i64, those of values f32 or f64";
  }
  if (spec.at_most && problem->name != "edit_distance" && problem->name != "dtw") {
    return "only distances have a limit";
  }
  return "";
}

}  // namespace terrace::pairs
