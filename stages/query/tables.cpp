#include "stages/query/tables.hpp"

#include "io/packing.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

OpenTable open_table(const Request& request) {
  const std::string& name = request.stage.settings.text("matrix");
  std::shared_ptr<io::Source> matrix = request.array(name);
  if (!matrix->sources()) {
    if (const Extents& shape = matrix->shape(); shape.rank() == 2 && shape[0] > 0 && shape[0] < shape[1]) {
      refuse(request.stage, "matrix",
             "'" + name + "' is " + to_string(shape) +
                 "; give a square matrix, or a table that `floyd_warshall` wrote of its `sources`");
    }
    matrix = open_square_matrix(request);
  }
  WeightRules rules = distance_rules(request, *matrix, false);
  matrix = with_no_edge(std::move(matrix), rules);
  return {std::move(matrix), std::move(rules)};
}

std::string path_key(const Settings& settings) {
  return settings.has("next") ? "next" : settings.has("previous") ? "previous" : "";
}

PathTable open_paths(const Request& request, const io::Source& matrix) {
  const std::string key = path_key(request.stage.settings);
  if (key.empty()) return {};
  if (key == "next" && matrix.sources()) {
    refuse(request.stage, key,
           "a path by `next` needs the rows of all nodes, and '" + request.stage.settings.text("matrix") +
               "' has those of `sources`: give `previous` in its place");
  }
  const std::string& name = request.stage.settings.text(key);
  // The tables of stages have these names.
  for (const std::string other : {"next", "previous"}) {
    if (other != key && name.ends_with("/" + other)) {
      refuse(request.stage, key, "'" + name + "' is a table for `" + other + "`: give it in place of `" + key + "`");
    }
  }
  std::shared_ptr<io::Source> table = request.array(name);
  if (table->shape() != matrix.shape() || is_floating(table->type())) {
    refuse(request.stage, key,
           "'" + name + "' is " + to_string(table->shape()) + " of " + std::string(name_of(table->type())) +
               "; give whole numbers, " + to_string(matrix.shape()));
  }
  const auto of_distances = matrix.sources(), of_paths = table->sources();
  if (of_distances && of_paths && *of_distances != *of_paths) {
    refuse(request.stage, key,
           "'" + name + "' has other `sources` than '" + request.stage.settings.text("matrix") +
               "': give tables of one stage");
  }
  // -1: no path.
  return {key, name, io::with_no_value(std::move(table), {table->type(), -1})};
}

}  // namespace terrace::stages
