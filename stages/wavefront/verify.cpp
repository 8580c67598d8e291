#include "stages/wavefront/verify.hpp"

#include "kernels/in_place/problems.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "stages/wavefront/matrix.hpp"
#include "stages/wavefront/pairs/sides.hpp"
#include "stages/wavefront/pairs/verify.hpp"
#include "stages/wavefront/series.hpp"
#include "stages/wavefront/stage.hpp"

namespace terrace::stages {
namespace {

VerifiedTable open_table(const Request& request, const Settings& settings,
                         std::shared_ptr<const wavefront::Description> problem) {
  VerifiedTable table;
  table.settings = settings;
  table.problem = std::move(problem);
  if (table.problem->items == wavefront::Items::values) {
    wavefront::SweepSpec spec;
    spec.settings = settings;
    spec.problem = request.stage.problem;
    const SeriesPair series = open_series(request, spec);
    table.value = spec.value;
    table.row_items = series.rows;
    table.column_items = series.columns;
  } else {
    table.row_items = open_sequence(request, "rows", Side::rows);
    table.column_items = open_sequence(request, "columns", Side::columns);
  }
  table.rows = table.row_items->shape()[0];
  table.columns = table.column_items->shape()[0];
  return table;
}

Checked check_normalized(const VerifyRequest& request, const VerifiedTable& table) {
  const double score = read_all<double>(request, "score").at(0);
  return check_texts(request, "normalized", {text_of(score / static_cast<double>(table.rows + table.columns))},
                     "compared with the score");
}

}  // namespace

std::vector<Checked> verify_wavefront(const VerifyRequest& request) {
  const job::Stage& stage = request.request.stage;
  if (in_place::find_in_place(stage.problem) != nullptr) {
    return {{"grid", "a cell after the sweeps depends on the whole grid; --all computes it again", "", false}};
  }
  if (reads_sets(request.request)) return verify_pairs(request);
  const Settings settings = settings_with_scores(request.request);
  const auto problem = wavefront::describe(stage.problem, settings);
  if (problem->items == wavefront::Items::grid) return verify_sums(request, *problem);
  const VerifiedTable table = open_table(request.request, settings, problem);
  std::vector<Checked> found;
  const std::string& keep = stage.settings.text("keep");
  if (keep == "table") found.push_back(verify_table(request, table));
  else if (keep == "borders") found.push_back(verify_borders(request, table));
  else if (keep == "alignment") found.push_back(verify_path(request, table));
  else {
    found.push_back({request.has("end") ? "score, end" : "score",
                     "a score depends on the whole table; --all computes it again", "", false});
  }
  if (request.has("normalized")) found.push_back(check_normalized(request, table));
  if (request.has("lengths")) {
    found.push_back(
        check_texts(request, "lengths", {text_of(table.rows), text_of(table.columns)}, "compared with the inputs"));
  }
  return found;
}

}  // namespace terrace::stages
