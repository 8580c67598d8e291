// The declaration of the stage `query`.
#include <algorithm>

#include "stages/query/stage.hpp"
#include "stages/query/verify.hpp"
#include "stages/recursive/histogram.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {
namespace {

bool follows_paths(const Settings& settings) { return settings.has("next") || settings.has("previous"); }

std::vector<job::Finding> check_query(const std::string&, const Settings& settings) {
  if (settings.has("next") && settings.has("previous")) {
    return {{"previous", "`previous` is there in place of `next`; leave one of the two out"}};
  }
  return check_histogram(settings, asks_histogram(settings) ? "" : "ask for it by `reduce: [histogram]`");
}

}  // namespace

bool asks_histogram(const Settings& settings) {
  const auto asked = settings.find<std::vector<std::string>>("reduce");
  return asked && std::find(asked->begin(), asked->end(), "histogram") != asked->end();
}

StageKind query_stage() {
  StageKind kind;
  kind.declaration.name = "query";
  kind.declaration.help =
      "distances and paths of pairs of nodes, and what tables of distances come to, read block by block";
  kind.declaration.parameters = {
      {"matrix", ParameterKind::array,
       "the table of distances: what `floyd_warshall` wrote, of all nodes or of its `sources`, or a square input"},
      {"next", ParameterKind::array, "the table of next nodes beside it, for the paths of `pairs`", ""},
      {"previous", ParameterKind::array,
       "in place of `next` the table of previous nodes, which `floyd_warshall` writes of its `sources`", ""},
      {"pairs", ParameterKind::node_pairs,
       "pairs of nodes by their names or ids, as a list or an input n x 2 (of names: a table with `names: true`); of "
       "a matrix that is made of no graph the numbers of rows, from 0",
       ""},
      {"reduce", ParameterKind::texts,
       "what to make of the distances over finite pairs of different nodes; of each node the largest one, of all the "
       "largest, the sum, the least, their number, their histogram",
       "", "eccentricity, diameter, sum, minimum, count, histogram"}};
  for (const Parameter& key : histogram_parameters) kind.declaration.parameters.push_back(key);
  kind.declaration.parameters.push_back(
      {"no_edge", ParameterKind::number,
       "the value that means no path; left out: infinity, in integers half the largest value of their type", ""});
  kind.declaration.outputs = {
      {"distance", "pairs", "of each pair; no path: infinity, in integers half the largest value", job::Ties::none,
       "pairs"},
      {"path", "all nodes", "the nodes of all paths by their names, one path after another; of no path none",
       job::Ties::none, "next or previous", follows_paths},
      {"path_begin", "pairs + 1", "where each path begins in `path`, and the end of the last one", job::Ties::none,
       "next or previous", follows_paths},
      {"eccentricity", "nodes, or sources",
       "the largest distance from each node; where none is finite that of no path", job::Ties::none,
       "reduce: eccentricity"},
      {"diameter", "one value", "the largest distance; where none is finite that of no path", job::Ties::none,
       "reduce: diameter"},
      {"sum", "one value", "of all distances", job::Ties::none, "reduce: sum"},
      {"minimum", "one value", "the least distance; where none is finite that of no path", job::Ties::none,
       "reduce: minimum"},
      {"count", "one value", "pairs of different nodes between which there is a path", job::Ties::none,
       "reduce: count"}};
  for (job::OutputDeclaration& output : histogram_outputs("reduce: histogram", asks_histogram)) {
    kind.declaration.outputs.push_back(std::move(output));
  }
  kind.declaration.check = check_query;
  kind.declaration.results = 2;  // the first took pairs for rows, of graphs too
  kind.declaration.example = {
      "distances: {values: [0, 3, 7, 3, 0, 4, 7, 4, 0], shape: [3, 3]}, "
      "steps: {values: [0, 1, 1, 0, 1, 2, 1, 1, 2], shape: [3, 3]}, "
      "before: {values: [0, 0, 1, 1, 1, 1, 1, 2, 2], shape: [3, 3]}, trips: {values: [0, 2, 2, 1]}",
      {"{matrix: distances, next: steps, pairs: trips, reduce: [diameter, sum]}", "no_edge: 1000",
       "{matrix: distances, previous: before, pairs: trips}",
       "{matrix: distances, reduce: [histogram], bins: 8, range: [0, 8]}"}};
  kind.make = make_query;
  kind.methods = [] { return query_method.all(); };
  kind.verify = verify_query;
  return kind;
}

}  // namespace terrace::stages
