// usage: benchmark_pairs_cpu [SHARE [WORD]]: rates of pairs on the CPU, on one thread, in cells of the pairs' tables
// a second of the processor. SHARE of the pairs (1), for a run that soon ends; only jobs with WORD in their
// descriptions. Scores are summed, for comparison with other programs.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <map>
#include <numeric>
#include <string>

#include "kernels/device/cpu_context.hpp"
#include "kernels/pairs/methods.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/benchmarks/pairs_samples.hpp"

namespace terrace::pairs {
namespace {

using benchmarks::Joined, benchmarks::one_with_one, benchmarks::one_with_like;

/// Seconds that the process has computed, whatever else the machine does.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Jobs without it in their descriptions are left out.
std::string word;

struct Job {
  std::string what;
  std::string problem;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  bool ends = false;
  double at_most = -1;  // less than 0: none
};

template <class Score, class Item>
void measure(device::CpuContext& context, const Job& job, const std::vector<std::vector<Item>>& a,
             const std::vector<std::vector<Item>>& b, const std::vector<Pair>* pairs) {
  if (job.what.find(word) == std::string::npos) return;
  const Joined<Item> rows(a), columns(b);
  PairsSpec spec;
  spec.problem = job.problem;
  for (const auto& [name, value] : job.numbers) {
    if (name == "window") spec.settings.set(name, static_cast<std::int64_t>(value));
    else spec.settings.set(name, value);
  }
  for (const auto& [name, value] : job.words) spec.settings.set(name, value);
  spec.value = element_type_of<Score>();
  spec.ends = job.ends;
  if (job.at_most >= 0) spec.at_most = job.at_most;
  spec.longest_row = rows.longest;
  spec.longest_column = columns.longest;
  spec.rectangle = pairs == nullptr;
  const PairsMethod& method = choose_pairs_method(spec, device::Backend::cpu, context.limits());
  const auto kernel = method.make(spec, context, nullptr);
  PairsTask task{rows.elements.data(),
                 rows.begin.data(),
                 columns.elements.data(),
                 columns.begin.data(),
                 std::ssize(a),
                 std::ssize(b),
                 nullptr,
                 std::ssize(a) * std::ssize(b),
                 nullptr,
                 nullptr};
  if (pairs != nullptr) task.pairs = pairs->data(), task.count = std::ssize(*pairs);
  double cells = 0;
  for (i64 n = 0; n < task.count; ++n) {
    const auto [row, column] = pair_of(task, n);
    cells += static_cast<double>(a[static_cast<std::size_t>(row)].size()) *
             static_cast<double>(b[static_cast<std::size_t>(column)].size());
  }
  std::vector<Score> scores(static_cast<std::size_t>(task.count));
  std::vector<End> ends(job.ends ? scores.size() : 0);
  task.scores = scores.data();
  if (job.ends) task.ends = ends.data();
  PairsResult result{};
  double best = 1e300;
  for (int i = 0; i < 3; ++i) {
    device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
    const double begin = processor_seconds();
    kernel->run(
        {&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
    best = std::min(best, processor_seconds() - begin);
  }
  fmt::print("{:<44} {:>6} {:8} pairs {:8.3f} s {:8.2f} G cells/s, sum {}, again {}\n", job.what, method.name,
             task.count, best, cells / best / 1e9, std::accumulate(scores.begin(), scores.end(), 0.0), result.again);
}

void run(double share) {
  device::CpuContext context(1);
  fmt::print("{}\n", context.limits().name);
  const auto scaled = [&](double count) { return std::max<std::size_t>(3, static_cast<std::size_t>(count * share)); };
  using benchmarks::dna, benchmarks::proteins, benchmarks::series;
  const std::map<std::string, double> affine{{"gap_open", 11}, {"gap_extend", 1}};
  const std::map<std::string, std::string> blosum{{"matrix", "blosum62"}};
  auto queries = benchmarks::query_proteins(1), others = benchmarks::query_proteins(2);
  others.push_back(others[9]);
  if (share < 1) queries.resize(scaled(20)), others.resize(scaled(21));
  const auto set = proteins(scaled(317), 3);
  measure<i32>(context, {"420 pairs of proteins, local, blosum62 11/1", "smith_waterman", affine, blosum}, queries,
               others, nullptr);
  measure<i32>(context, {"proteins, all against all, local", "smith_waterman", affine, blosum}, set, set, nullptr);
  measure<i32>(context, {"the same, and ends", "smith_waterman", affine, blosum, true}, set, set, nullptr);
  measure<i32>(context, {"the same, global", "needleman_wunsch", affine, blosum}, set, set, nullptr);
  const auto one = proteins(scaled(20000), 4), other = proteins(scaled(20000), 5);
  const auto same = one_with_one(std::ssize(one), std::ssize(one));
  measure<i32>(context, {"proteins, i with i, local", "smith_waterman", affine, blosum}, one, other, &same);
  const std::map<std::string, double> linear{{"match", 2}, {"mismatch", -3}, {"gap", 5}},
      gaps{{"match", 2}, {"mismatch", -3}, {"gap_open", 5}, {"gap_extend", 2}};
  const auto reads = dna(scaled(400), 150, 0.05, 6);
  measure<i32>(context, {"reads of 150, all against all, local, affine", "smith_waterman", gaps, {}}, reads, reads,
               nullptr);
  measure<i32>(context, {"the same, and ends", "smith_waterman", gaps, {}, true}, reads, reads, nullptr);
  measure<i32>(context, {"the same, linear", "smith_waterman", linear, {}}, reads, reads, nullptr);
  measure<i32>(context, {"the same, global, linear", "needleman_wunsch", linear, {}}, reads, reads, nullptr);
  measure<i32>(context, {"the same, global, affine", "needleman_wunsch", gaps, {}}, reads, reads, nullptr);
  measure<i32>(context, {"the same, both ends free", "needleman_wunsch", gaps, {{"free_ends", "both"}}, true}, reads,
               reads, nullptr);
  measure<i32>(context, {"the same, edit_distance", "edit_distance", {}, {}}, reads, reads, nullptr);
  measure<i32>(context, {"the same, lcs", "lcs", {}, {}}, reads, reads, nullptr);
  const auto many = dna(scaled(200000), 150, 0.05, 7);
  const auto like = one_with_like(std::ssize(many));
  measure<i32>(context, {"reads of 150 with 5% changed, local, affine", "smith_waterman", gaps, {}}, many, many,
               &like);
  measure<i32>(context, {"the same, global, linear", "needleman_wunsch", linear, {}}, many, many, &like);
  measure<i32>(context, {"the same, edit_distance", "edit_distance", {}, {}}, many, many, &like);
  const auto longer = dna(scaled(400), 10000, 0.06, 8);
  const auto long_pairs = one_with_like(std::ssize(longer));
  measure<i32>(context, {"10,000 letters with 6% changed, edit_distance", "edit_distance", {}, {}}, longer, longer,
               &long_pairs);
  measure<i32>(context, {"the same, at most 600", "edit_distance", {}, {}, false, 600}, longer, longer, &long_pairs);
  const std::map<std::string, std::string> absolute{{"cost", "absolute"}, {"steps", "symmetric1"}},
      squared{{"cost", "squared"}, {"steps", "symmetric2"}};
  const auto narrow = series<float>(scaled(60), 1024, 9);
  const auto wide = series<double>(scaled(40), 1024, 9);
  measure<float>(context, {"series of 1,024, dtw, f32", "dtw", {}, absolute}, narrow, narrow, nullptr);
  measure<float>(context, {"the same, squared, symmetric2", "dtw", {}, squared}, narrow, narrow, nullptr);
  measure<float>(context, {"the same, window 50", "dtw", {{"window", 50}}, absolute}, narrow, narrow, nullptr);
  measure<double>(context, {"series of 1,024, dtw, f64", "dtw", {}, absolute}, wide, wide, nullptr);
}

}  // namespace
}  // namespace terrace::pairs

int main(int count, char** arguments) {
  return terrace::benchmark_main([&] {
    if (count > 2) terrace::pairs::word = arguments[2];
    terrace::pairs::run(count > 1 ? std::atof(arguments[1]) : 1);
    return 0;
  });
}
