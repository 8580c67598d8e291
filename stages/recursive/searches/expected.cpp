#include "stages/recursive/searches/expected.hpp"

#include <fmt/format.h>

#include "kernels/recursive/problems.hpp"
#include "pipeline/base/units.hpp"
#include "stages/recursive/dealt_lines.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/rates.hpp"

namespace terrace::stages {

ExpectedSeconds expected_seconds(const recursive::SearchSpec& spec, const device::Limits& cpu,
                                 const Resources& resources) {
  const auto nodes = static_cast<double>(spec.graph->nodes), edges = static_cast<double>(spec.graph->edges());
  ExpectedSeconds expected;
  expected.searches = static_cast<double>(spec.rows()) * edges * search_method(spec, cpu).cost(spec, cpu).seconds;
  if (spec.sources) return expected;
  recursive::UpdateSpec updates;
  updates.form = recursive::Form::shortest_paths;
  updates.tiles.semiring = recursive::find_problem("floyd_warshall")->semiring;
  updates.tiles.value = spec.value;
  if (spec.beside == recursive::Beside::next) {
    updates.tiles.table = recursive::paths_table(spec.value, spec.graph->nodes);
  }
  expected.updates = nodes * nodes * nodes * cost_of(updates, resources).seconds;
  // All tiles of a row are a device's.
  if (resources.devices > 1) expected.updates /= resources.devices;
  return expected;
}

std::string in_words(const ExpectedSeconds& expected, const recursive::SearchGraph& graph) {
  std::string text =
      fmt::format("{} and {}: searches from each node are expected to compute for {}",
                  format_count(static_cast<double>(graph.nodes), "node"),
                  format_count(static_cast<double>(graph.edges()), "edge"), format_duration(expected.searches));
  if (expected.updates > 0) text += ", updates of all pairs for " + format_duration(expected.updates);
  return text;
}

}  // namespace terrace::stages
