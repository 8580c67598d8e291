#include "stages/wavefront/results.hpp"

#include "kernels/wavefront/problems.hpp"
#include "stages/wavefront/series.hpp"

namespace terrace::stages {
namespace {

using wavefront::SweepSpec;

/// What the recurrence's border says of a table without cells.
std::int64_t empty_score(const SweepSpec& spec) {
  std::int64_t score = 0;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (P::report == wavefront::Report::last && P::items == wavefront::Items::letters) {
      const auto constants = wavefront::problem_constants<P>(spec.settings);
      score = spec.rows == 0 ? P::template top<wavefront::i64>(constants, spec.columns - 1).h
                             : P::template left<wavefront::i64>(constants, spec.rows - 1).h;
    }
  });
  return score;
}

/// The total cost, and its share of a value where steps weigh alike.
void add_totals(std::vector<io::SmallDataset>& results, const std::string& path, const SweepSpec& spec,
                const wavefront::ProblemInfo& problem, std::int64_t score) {
  const double total = total_of(spec, score);
  results.push_back(io::small_scalar<double>(path + "score", total, "", long_name(problem, "score")));
  if (spec.settings.text("steps") != "symmetric2") return;
  const double normalized = total / static_cast<double>(spec.rows + spec.columns);
  results.push_back(io::small_scalar<double>(path + "normalized", normalized, "", "score / (rows + columns)"));
}

}  // namespace

std::string long_name(const wavefront::ProblemInfo& problem, const std::string& what) {
  return what + " of " + problem.name + ": " + problem.help;
}

std::vector<io::SmallDataset> score_results(const std::string& stage, const SweepSpec& spec,
                                            const wavefront::ProblemInfo& problem, const WavefrontScore& found) {
  std::vector<io::SmallDataset> results;
  const bool empty = spec.rows == 0 || spec.columns == 0;
  const WavefrontScore score = empty ? WavefrontScore{empty_score(spec), 0, 0} : found;
  const std::int64_t scale = wavefront::score_scale(problem.name, spec.settings);
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
  if (problem.report == wavefront::Report::best) {
    const std::int64_t end[2] = {score.row, score.column};
    results.push_back(io::small_dataset<std::int64_t>(path + "end", {2}, {"side"}, end, "",
                                                      "letters of rows and columns up to the end of the best "
                                                      "alignment"));
  }
  const std::int64_t lengths[2] = {spec.rows, spec.columns};
  results.push_back(
      io::small_dataset<std::int64_t>(path + "lengths", {2}, {"side"}, lengths, "",
                                      std::string(values ? "values" : "letters") + " of rows and columns"));
  return results;
}

}  // namespace terrace::stages
