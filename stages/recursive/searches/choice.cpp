#include "stages/recursive/searches/choice.hpp"

#include "io/inputs/graph.hpp"
#include "pipeline/base/error.hpp"
#include "stages/recursive/searches/compressed.hpp"
#include "stages/recursive/searches/expected.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

/// The searches of all nodes; nullopt if a weight is wrong, which updates of tiles find, too.
std::optional<recursive::SearchSpec> all_searches(const Request& request, const io::Source& matrix,
                                                  const WeightRules& rules, ElementType value) {
  recursive::SearchSpec spec;
  spec.value = value;
  if (request.stage.settings.flag("paths")) spec.beside = recursive::Beside::next;
  try {
    spec.graph = compress(matrix, value, rules).graph;
  } catch (const Error&) {
    return std::nullopt;
  }
  return spec;
}

}  // namespace

bool is_searched(const Request& request, const io::Source& matrix, const WeightRules& rules, ElementType value,
                 const device::Limits& cpu) {
  const std::string& schedule = request.stage.settings.text("schedule");
  const Settings& settings = request.stage.settings;
  const bool from_some = settings.has("sources"), reduces = settings.text("keep") == "reductions";
  if (schedule == "searches" || from_some || reduces) {
    if (io::is_graph(matrix)) return true;
    const std::string asked = from_some ? "sources" : reduces ? "keep" : "schedule";
    const std::string said = asked == "schedule" ? "schedule: searches" : asked;
    refuse(
        request.stage, asked,
        "`" + said + "` follows the edges of a graph, and '" + rules.label.array +
            "' is a matrix: read a list of edges, or a matrix in the format of Matrix Market, by `graph: FILE`, or "
            "leave `" +
            asked + "` out");
  }
  if (schedule != "auto" || is_floating(value) || !io::is_graph(matrix)) return false;
  const auto spec = all_searches(request, matrix, rules, value);
  if (!spec) return false;
  const ExpectedSeconds expected = expected_seconds(*spec, cpu, request.resources);
  return expected.searches < expected.updates;
}

}  // namespace terrace::stages
