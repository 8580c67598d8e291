#include "stages/wavefront/types.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/description.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/units.hpp"
#include "stages/wavefront/plan.hpp"

namespace terrace::stages {
namespace {

using wavefront::SweepSpec;

/// The types of grids that can be summed, for people.
constexpr const char* summed_types = "u8, i8, u16, i16, u32, i32, i64, f32 or f64";

constexpr std::int64_t most_stored_bytes = std::int64_t{1} << 53;  // of stored arrays

std::int64_t largest_integer(ElementType type) {
  return dispatch(type, [](auto value) -> std::int64_t {
    using T = decltype(value);
    if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<std::int64_t>::max();
    else if constexpr (sizeof(T) == 8) return std::numeric_limits<std::int64_t>::max();
    else
      return std::is_signed_v<T> ? -static_cast<std::int64_t>(std::numeric_limits<T>::min())
                                 : static_cast<std::int64_t>(std::numeric_limits<T>::max());
  });
}

bool is_sum_type(ElementType type) {
  return is_floating(type) || type == ElementType::i32 || type == ElementType::i64;
}

ElementType narrowest_score(const Request& request, const SweepSpec& spec) {
  try {
    return wavefront::narrowest_value(*wavefront::description_of(spec), spec.rows, spec.columns);
  } catch (const ComputeError& error) {
    refuse(request.stage, "match", error.what());
  }
}

/// Refuses more kept rows and columns than any file system holds.
void check_kept_size(const Request& request, const SweepSpec& spec) {
  const auto cells = [&](std::int64_t across, std::int64_t along) {
    return wavefront::bounded_product(spec.kept->count(across, across), along);
  };
  const std::int64_t planes = wavefront::description_of(spec)->row_planes,
                     size = static_cast<std::int64_t>(size_of(spec.kept->type));
  const std::int64_t all = wavefront::bounded_sum(cells(spec.rows, spec.columns), cells(spec.columns, spec.rows));
  if (all > most_stored_bytes / (planes * size)) {
    refuse(request.stage, "every",
           "so many rows and columns are too large to be kept: together they have at most " +
               format_size(static_cast<double>(most_stored_bytes)) + "; say a larger `every`");
  }
}

}  // namespace

void check_size(const Request& request, const SweepSpec& spec, const char* parameter) {
  constexpr std::int64_t longest_side = std::int64_t{1} << 50;
  const std::string table =
      "a table of " + std::to_string(spec.rows) + " x " + std::to_string(spec.columns) + " cells";
  const std::int64_t cells = wavefront::bounded_product(spec.rows, spec.columns);
  if (std::max(spec.rows, spec.columns) > longest_side || cells == wavefront::unbounded) {
    refuse(request.stage, parameter,
           table + " is too large for any run: sides have at most 2^50 cells, and a table fewer than 2^63");
  }
  if (spec.kept) check_kept_size(request, spec);
  const std::int64_t all = wavefront::bounded_product(cells, spec.layers);
  if (spec.table && all > most_stored_bytes / static_cast<std::int64_t>(size_of(*spec.table))) {
    refuse(request.stage, parameter,
           table + (spec.layers > 1 ? " in " + std::to_string(spec.layers) + " layers" : "") +
               " is too large to be kept: a stored table has at most " +
               format_size(static_cast<double>(most_stored_bytes)));
  }
}

wavefront::KeptLines kept_lines(const SweepSpec& spec, ElementType type) {
  const std::int64_t longest = std::max<std::int64_t>({1, spec.rows, spec.columns});
  return {std::min(spec.settings.get<std::int64_t>("every"), longest), type};
}

void choose_score_types(const Request& request, SweepSpec& spec) {
  ElementType narrowest = narrowest_score(request, spec);
  // On CUDA cells of 16 bits are kept in 32.
  if (request.resources.cuda && narrowest == ElementType::i16) narrowest = ElementType::i32;
  spec.value = narrowest;
  spec.border = narrowest == ElementType::i64 ? ElementType::i64 : ElementType::i32;
  const std::string& type = request.stage.settings.text("type");
  const bool decimals = wavefront::description_of(spec)->scale != 1;
  const ElementType stored = type != "auto" ? *element_type_from(type) : decimals ? ElementType::f64 : spec.border;
  if (decimals && !is_floating(stored)) {
    refuse(request.stage, "type",
           "the scores have decimals, which " + type + " does not hold: say `type: f64`, or leave it out");
  }
  const bool borders = request.stage.settings.text("keep") == "borders";
  if (!borders && request.stage.settings.text("keep") != "table") return check_size(request, spec, "rows");
  if (size_of(stored) < size_of(spec.border)) {
    refuse(request.stage, "type", "scores of this table may leave " + type + ": say `type: i64`, or leave it out");
  }
  if (borders) spec.kept = kept_lines(spec, stored);
  else spec.table = stored;
  check_size(request, spec, "rows");
}

void choose_count_types(const Request& request, SweepSpec& spec) {
  const Settings& settings = request.stage.settings;
  const std::string grid(name_of(spec.grid)), &type = settings.text("type");
  if (!settings.has("range") && !wavefront::default_range(spec.grid)) {
    refuse(request.stage, "range",
           "a histogram of a grid of " + grid + " needs `range: [low, high]`, the ends of its bins");
  }
  const std::vector<double> edges = wavefront::bin_edges(settings, spec.grid);
  if (std::adjacent_find(edges.begin(), edges.end(), std::greater_equal<>()) != edges.end()) {
    refuse(request.stage, "range",
           "the range is too narrow for that many bins: two neighbouring edges are the same number of " + grid +
               "; take fewer bins or a wider range");
  }
  const bool narrow = wavefront::bounded_product(spec.rows, spec.columns) <= std::numeric_limits<std::int32_t>::max();
  spec.value = narrow ? ElementType::i32 : ElementType::i64;
  if (type == "i32" && !narrow) {
    refuse(request.stage, "type", "i32 cannot count that many cells: say `type: i64`, or leave it out");
  }
  if (type == "i64") spec.value = ElementType::i64;
  spec.table = spec.border = spec.value;
  spec.layers = settings.integer("bins");
  check_size(request, spec, "grid");
}

void choose_sum_types(const Request& request, SweepSpec& spec) {
  const std::string& type = request.stage.settings.text("type");
  const bool floating = is_floating(spec.grid);
  if (spec.grid == ElementType::u64) {
    refuse(request.stage, "grid",
           "'" + request.stage.settings.text("grid") + "' is a grid of u64; sums are of " + summed_types +
               ": convert it to i64 where its values fit, else to f64");
  }
  if (type == "input") {
    spec.value = spec.grid;
    if (!is_sum_type(spec.grid)) {
      refuse(request.stage, "type",
             "sums are i32, i64, f32 or f64, and the grid is of " + std::string(name_of(spec.grid)) +
                 ": leave `type` out, or say one of these");
    }
  } else if (type != "auto") {
    spec.value = *element_type_from(type);
  } else if (floating) {
    spec.value = ElementType::f64;
  } else {
    const std::int64_t bound =
        wavefront::description_of(spec)->sum_bound(largest_integer(spec.grid), spec.rows, spec.columns);
    const bool narrow = bound <= std::numeric_limits<std::int32_t>::max() && size_of(spec.grid) <= 4;
    spec.value = narrow ? ElementType::i32 : ElementType::i64;
  }
  const bool wraps = spec.settings.text("overflow") == "wrap";
  if (floating && !is_floating(spec.value)) {
    refuse(request.stage, "type", "sums of a grid of " + std::string(name_of(spec.grid)) + " are f32 or f64");
  }
  if (size_of(spec.value) < size_of(spec.grid)) {
    refuse(request.stage, "type",
           "a grid of " + std::string(name_of(spec.grid)) + " cannot be summed in " +
               std::string(name_of(spec.value)) + ": take a type at least as wide");
  }
  spec.table = spec.value;
  spec.border = spec.value;
  // Running sums of rows are differences of sums: they may need a bit more than the sums.
  if (!is_floating(spec.value) && !wraps) spec.border = ElementType::i64;
  check_size(request, spec, "grid");
}

}  // namespace terrace::stages
