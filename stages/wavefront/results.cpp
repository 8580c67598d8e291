#include "stages/wavefront/results.hpp"

#include <algorithm>

#include "kernels/wavefront/bins.hpp"
#include "stages/wavefront/series.hpp"

namespace terrace::stages {
namespace {

using wavefront::SweepSpec;

/// True if the end of an alignment is a result.
bool finds_end(const SweepSpec& spec, wavefront::Report report) {
  return report == wavefront::Report::best ||
         (report == wavefront::Report::ends && spec.settings.text("free_ends") != "none");
}

/// The total cost, and its share of a value if steps weigh alike.
void add_totals(std::vector<io::SmallDataset>& results, const std::string& path, const SweepSpec& spec,
                const wavefront::Description& problem, std::int64_t score) {
  const double total = total_of(spec, score);
  results.push_back(io::small_scalar<double>(path + "score", total, "", long_name(problem, "score")));
  // With free ends so many columns are warped as the path says.
  if (spec.settings.text("steps") != "symmetric2" || problem.ends.last_row) return;
  const double normalized = total / static_cast<double>(spec.rows + spec.columns);
  results.push_back(io::small_scalar<double>(path + "normalized", normalized, "", "score / (rows + columns)"));
}

}  // namespace

std::string long_name(const wavefront::Description& problem, const std::string& what) {
  return what + " of " + problem.name + ": " + problem.help;
}

std::vector<io::SmallDataset> score_results(const std::string& stage, const SweepSpec& spec,
                                            const wavefront::Description& problem, const WavefrontScore& score) {
  std::vector<io::SmallDataset> results;
  const std::int64_t scale = problem.scale;
  const std::string path = "/" + stage + "/";
  const bool values = problem.items == wavefront::Items::values;
  if (values) {
    add_totals(results, path, spec, problem, score.score);
  } else if (scale == 1) {
    results.push_back(io::small_scalar<std::int64_t>(path + "score", score.score, "", long_name(problem, "score")));
  } else {
    results.push_back(io::small_scalar<double>(path + "score",
                                               static_cast<double>(score.score) / static_cast<double>(scale), "",
                                               long_name(problem, "score")));
  }
  if (finds_end(spec, problem.report)) {
    const std::int64_t end[2] = {score.row, score.column};
    results.push_back(io::small_dataset<std::int64_t>(path + "end", {2}, {"side"}, end, "",
                                                      values
                                                          ? "values of rows and columns up to the end of the best "
                                                            "warping"
                                                          : "letters of rows and columns up to the end of the best "
                                                            "alignment"));
  }
  const std::int64_t lengths[2] = {spec.rows, spec.columns};
  results.push_back(
      io::small_dataset<std::int64_t>(path + "lengths", {2}, {"side"}, lengths, "",
                                      std::string(values ? "values" : "letters") + " of rows and columns"));
  return results;
}

io::DatasetSpec kept_dataset(const std::string& stage, const wavefront::Description& problem,
                             const std::string& array) {
  const bool rows = array.starts_with("border_row"), gaps = array.ends_with("_gaps");
  const std::vector<std::string> dimensions =
      rows ? std::vector<std::string>{"border_row", "column"} : std::vector<std::string>{"border_column", "row"};
  const std::string meaning = gaps ? std::string("scores with which gaps enter the ") +
                                         (rows ? "row after each kept row" : "column after each kept column")
                                   : std::string("kept ") + (rows ? "rows of the table" : "columns of the table");
  return {"/" + stage + "/" + array, {}, {}, dimensions, "", long_name(problem, meaning)};
}

void add_kept_lines(std::vector<io::SmallDataset>& results, const std::string& stage, const SweepSpec& spec) {
  const auto add = [&](const std::string& side, std::int64_t extent) {
    std::vector<std::int64_t> lines(static_cast<std::size_t>(spec.kept->count(extent, extent)));
    for (std::int64_t at = 0; std::int64_t & line : lines) {
      at = std::min(extent, at + spec.kept->every);
      line = at - 1;
    }
    results.push_back(io::small_dataset<std::int64_t>("/" + stage + "/border_" + side + "_index",
                                                      {static_cast<std::int64_t>(lines.size())}, {"border_" + side},
                                                      lines, "", "which " + side + "s of the table are kept"));
  };
  add("row", spec.rows);
  add("column", spec.columns);
}

io::SmallDataset edge_results(const std::string& stage, const SweepSpec& spec) {
  const std::vector<double> edges = wavefront::bin_edges(spec.settings, spec.grid);
  return io::small_dataset<double>("/" + stage + "/edges", {static_cast<std::int64_t>(edges.size())}, {"edge"}, edges,
                                   "", "bin b holds values from edges[b] to below edges[b + 1], the last both ends");
}

std::vector<io::SmallDataset> alignment_results(const std::string& stage, const SweepSpec& spec,
                                                const wavefront::Description& problem, const WavefrontScore& score,
                                                const Alignment& alignment) {
  std::vector<io::SmallDataset> results;
  const std::string path = "/" + stage + "/";
  if (problem.items == wavefront::Items::values) {
    const std::vector<std::int64_t> cells = alignment.path.cells(score.row, score.column);
    results.push_back(
        io::small_dataset<std::int64_t>(path + "path", {alignment.path.length(), 2}, {"step", "side"}, cells, "",
                                        "row and column of each pair of values, from the first pair to the last"));
    if (finds_end(spec, problem.report)) {
      // A path may come to its first pair from above: its place before that has consumed the pair's column.
      const std::int64_t start[2] = {cells[0], cells[1]};
      results.push_back(io::small_dataset<std::int64_t>(path + "start", {2}, {"side"}, start, "",
                                                        "values of rows and columns before the warping"));
    }
    return results;
  }
  const std::int64_t start[2] = {alignment.row, alignment.column}, end[2] = {score.row, score.column};
  results.push_back(io::small_dataset<std::int64_t>(path + "start", {2}, {"side"}, start, "",
                                                    "letters of rows and columns before the alignment"));
  if (!finds_end(spec, problem.report)) {
    results.push_back(io::small_dataset<std::int64_t>(path + "end", {2}, {"side"}, end, "",
                                                      "letters of rows and columns up to the end of the alignment"));
  }
  const std::int64_t length = alignment.path.length(), matches = alignment.path.count('=');
  results.push_back(io::small_scalar<double>(
      path + "identity", length == 0 ? 0 : static_cast<double>(matches) / static_cast<double>(length), "",
      "equal letters over columns of the alignment; 0 where it is empty"));
  results.push_back(io::small_text(path + "cigar", alignment.path.cigar(),
                                   "the alignment: = and X consume both sides, I rows, D columns"));
  return results;
}

}  // namespace terrace::stages
