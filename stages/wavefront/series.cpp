#include "stages/wavefront/series.hpp"

#include <cmath>
#include <cstdlib>

#include "io/reals.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/rounded_inputs.hpp"
#include "stages/wavefront/types.hpp"

namespace terrace::stages {
namespace {

using wavefront::SweepSpec;

std::shared_ptr<io::Source> named(const Request& request, const std::string& parameter) {
  const std::string& name = request.stage.settings.text(parameter);
  std::shared_ptr<io::Source> source = request.array(name);
  refuse_letters(request, parameter, *source);
  if (source->shape().rank() != 1) {
    refuse(request.stage, parameter,
           "'" + name + "' has " + counted(source->shape().rank(), "dimension") +
               "; a series has one (of a table of numbers take a `row` or a `column`)");
  }
  return source;
}

/// Refuses a series without values.
void check_values(const Request& request, const std::string& parameter, const io::Source& series) {
  if (series.shape()[0] > 0) return;
  refuse(request.stage, parameter,
         "'" + request.stage.settings.text(parameter) + "' is empty: there is nothing to warp");
}

/// Refuses a window that holds no path from the first cell to the last.
void check_window(const Request& request, const SweepSpec& spec) {
  const std::int64_t apart = std::abs(spec.rows - spec.columns);
  const std::int64_t window = spec.settings.find<std::int64_t>("window").value_or(apart);
  if (window >= apart) return;
  refuse(request.stage, "window",
         "a window of " + std::to_string(window) + " holds no path between series of " + std::to_string(spec.rows) +
             " and " + std::to_string(spec.columns) + " values: it must be at least " + std::to_string(apart));
}

/// The largest magnitude of values whose costs, twice, are finite in the type.
double largest_value(const Settings& settings, ElementType value) {
  const int exponent = value == ElementType::f32 ? 128 : 1024;
  return std::ldexp(1.0, settings.text("cost") == "squared" ? exponent / 2 - 2 : exponent - 3);
}

std::shared_ptr<io::Source> converted(const Request& request, ElementType value, double largest,
                                      const std::string& parameter, std::shared_ptr<io::Source> source) {
  const bool narrow = value == ElementType::f32;
  return io::as_reals(std::move(source), value, largest, label_of(request.stage, parameter),
                      std::string("is too large for costs in ") +
                          (narrow ? "f32: say `type: f64`" : "f64: divide both series by a constant"),
                      rounded_of(request, parameter));
}

}  // namespace

SeriesPair open_values(const Request& request, const Settings& settings, ElementType& value) {
  SeriesPair series{named(request, "rows"), named(request, "columns")};
  const std::string& type = request.stage.settings.text("type");
  const bool narrow = series.rows->type() == ElementType::f32 && series.columns->type() == ElementType::f32;
  value = type != "auto" ? *element_type_from(type) : narrow ? ElementType::f32 : ElementType::f64;
  const double largest = largest_value(settings, value);
  return {converted(request, value, largest, "rows", series.rows),
          converted(request, value, largest, "columns", series.columns)};
}

SeriesPair open_series(const Request& request, SweepSpec& spec) {
  const SeriesPair series = open_values(request, spec.settings, spec.value);
  check_values(request, "rows", *series.rows);
  check_values(request, "columns", *series.columns);
  spec.rows = series.rows->shape()[0];
  spec.columns = series.columns->shape()[0];
  check_window(request, spec);
  spec.border = spec.value;
  const std::string& keep = request.stage.settings.text("keep");
  if (keep == "table") spec.table = spec.value;
  if (keep == "borders") spec.kept = kept_lines(spec, spec.value);
  check_size(request, spec, "rows");
  return series;
}

double total_of(const SweepSpec& spec, std::int64_t score) {
  const double total = wavefront::reported_cost(score);
  if (std::isfinite(total)) return total;
  throw ComputeError("the total cost has left type " + std::string(name_of(spec.value)) + ": " +
                     (spec.value == ElementType::f32 ? "say `type: f64`" : "divide both series by a constant"));
}

}  // namespace terrace::stages
