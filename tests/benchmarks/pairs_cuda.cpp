// usage: benchmark_pairs_cuda [SHARE [WORD]]: rates of pairs on the first CUDA device, kernels alone, in cells of the
// pairs' tables a second. SHARE of the pairs (1), for a run that soon ends; only jobs with WORD in their
// descriptions, such as proteins, global or dtw. Some scores are compared with those of the CPU.
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/pairs/methods.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/benchmarks/pairs_samples.hpp"

namespace terrace::pairs {
namespace {

using benchmarks::Joined, benchmarks::one_with_one;
using device::Backend;

struct Job {
  std::string what, problem;
  std::map<std::string, double> numbers;
  std::map<std::string, std::string> words;
  double at_most = -1;  // less than 0: none
};

/// Jobs without it in their descriptions are left out.
std::string word;

template <class Score>
PairsSpec spec_of(const Job& job, i64 longest_row, i64 longest_column, const PairsTask& task) {
  PairsSpec spec;
  spec.problem = job.problem;
  for (const auto& [name, value] : job.numbers) spec.settings.set(name, value);
  for (const auto& [name, value] : job.words) spec.settings.set(name, value);
  spec.value = element_type_of<Score>();
  if (job.at_most >= 0) spec.at_most = job.at_most;
  spec.longest_row = longest_row;
  spec.longest_column = longest_column;
  spec.most_pairs = task.count;
  spec.rectangle = task.pairs == nullptr;
  return spec;
}

/// Launches a kernel on one block. @return seconds
double launch(device::Context& context, device::BlockKernel& kernel, const PairsTask& task) {
  struct Words {
    device::u64 ready, stop, abort, done, failed, skipped;
    PairsTask task;
    PairsResult result;
  };
  const device::Memory memory(context, sizeof(Words), device::In::host);
  auto* words = memory.as<Words>();
  *words = {1, 0, 0, 0, 0, 0, task, {}};
  const auto begin = std::chrono::steady_clock::now();
  kernel.run({&words->ready, &words->stop, &words->abort, &words->done, &words->failed, &words->skipped, &words->task,
              &words->result, 1, sizeof(PairsTask), sizeof(PairsResult), 0, 1});
  context.record(device::Queue::compute)->wait();
  if (words->done != 1) throw DeviceError("pairs", "the block is not done");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A copy of values in memory of the device.
template <class T>
class OnDevice {
 public:
  OnDevice(device::Context& context, const std::vector<T>& values)
      : memory_(context, std::max<std::size_t>(1, values.size()) * sizeof(T)) {
    const device::Memory host(context, memory_.bytes(), device::In::host);
    std::memcpy(host.data(), values.data(), values.size() * sizeof(T));
    context.copy(device::Queue::up, memory_.data(), host.data(), memory_.bytes());
    context.record(device::Queue::up)->wait();
  }
  T* data() const { return memory_.as<T>(); }

 private:
  device::Memory memory_;
};

/// Some of the scores as the CPU computes them.
template <class Score>
void check(const Job& job, const PairsTask& task, const PairsSpec& spec, const std::vector<Score>& scores) {
  device::CpuContext context(0);
  std::vector<Pair> some;
  std::vector<i64> numbers;
  for (i64 n = 0; n < task.count; n += std::max<i64>(1, task.count / 500)) {
    some.push_back(pair_of(task, n));
    numbers.push_back(n);
  }
  std::vector<Score> expected(some.size());
  PairsTask own = task;
  own.pairs = some.data();
  own.count = std::ssize(some);
  own.scores = expected.data();
  PairsSpec listed = spec;
  listed.rectangle = false;
  const PairsMethod& method = choose_pairs_method(listed, Backend::cpu, context.limits());
  launch(context, *method.make(listed, context, nullptr), own);
  for (std::size_t n = 0; n < some.size(); ++n) {
    const Score found = scores[static_cast<std::size_t>(numbers[n])];
    if (std::memcmp(&found, &expected[n], sizeof found) == 0) continue;
    fmt::print("{}: pair {} is WRONG: {} and not {}\n", job.what, numbers[n], found, expected[n]);
    return;
  }
}

template <class Score, class Item>
void measure(device::Context& context, const Job& job, const std::vector<std::vector<Item>>& a,
             const std::vector<std::vector<Item>>& b, const std::vector<Pair>* pairs) {
  if (job.what.find(word) == std::string::npos) return;
  const Joined<Item> rows(a), columns(b);
  PairsTask task{rows.elements.data(),
                 rows.begin.data(),
                 columns.elements.data(),
                 columns.begin.data(),
                 std::ssize(a),
                 std::ssize(b),
                 pairs == nullptr ? nullptr : pairs->data(),
                 pairs == nullptr ? std::ssize(a) * std::ssize(b) : std::ssize(*pairs),
                 nullptr,
                 nullptr};
  const PairsSpec spec = spec_of<Score>(job, rows.longest, columns.longest, task);
  double cells = 0;
  for (i64 n = 0; n < task.count; ++n) {
    const auto [row, column] = pair_of(task, n);
    cells += static_cast<double>(a[static_cast<std::size_t>(row)].size()) *
             static_cast<double>(b[static_cast<std::size_t>(column)].size());
  }
  const OnDevice<Item> row_items(context, rows.elements), column_items(context, columns.elements);
  const OnDevice<i64> row_begin(context, rows.begin), column_begin(context, columns.begin);
  const OnDevice<Pair> listed(context, pairs == nullptr ? std::vector<Pair>() : *pairs);
  std::vector<Score> scores(static_cast<std::size_t>(task.count));
  const device::Memory found(context, scores.size() * sizeof(Score)),
      copied(context, found.bytes(), device::In::host);
  PairsTask there = task;
  there.rows = row_items.data();
  there.row_begin = row_begin.data();
  there.columns = column_items.data();
  there.column_begin = column_begin.data();
  there.pairs = pairs == nullptr ? nullptr : listed.data();
  there.scores = found.data();
  const PairsMethod& method = choose_pairs_method(spec, Backend::cuda, context.limits());
  const device::Memory workspace(context, method.workspace(spec, context.limits()));
  const auto kernel = method.make(spec, context, workspace.data());
  double best = 1e300;
  for (int i = 0; i < 3; ++i) best = std::min(best, launch(context, *kernel, there));
  context.copy(device::Queue::down, copied.data(), found.data(), found.bytes());
  context.record(device::Queue::down)->wait();
  std::memcpy(scores.data(), copied.data(), found.bytes());
  fmt::print("{:<48} {:9} pairs {:9.3f} ms {:8.3f} T cells/s\n", job.what, task.count, best * 1e3,
             cells / best / 1e12);
  std::fflush(stdout);
  check(job, task, spec, scores);
}

void run(device::Context& context, double share) {
  const auto scaled = [&](double count) { return std::max<i64>(4, static_cast<i64>(count * share)); };
  using benchmarks::dna, benchmarks::series;
  std::mt19937_64 random(3);
  std::vector<benchmarks::Sequence> database;
  for (i64 n = 0; n < scaled(500000); ++n) database.push_back(benchmarks::protein(512, random));
  measure<i32>(context,
               {"20 proteins, 500,000 of 512, blosum62 11/1, local",
                "smith_waterman",
                {{"gap_open", 11}, {"gap_extend", 1}},
                {{"matrix", "blosum62"}}},
               benchmarks::query_proteins(1), database, nullptr);
  database.clear();
  const std::map<std::string, double> linear{{"match", 1}, {"mismatch", -1}, {"gap", 1}};
  const auto reads = dna(static_cast<std::size_t>(scaled(200000)), 150, 0.05, 4);
  const auto read_pairs = one_with_one(scaled(1000000), std::ssize(reads));
  const auto others = dna(reads.size(), 150, 0.05, 5);
  measure<i32>(context, {"10^6 of 150 letters, global, linear", "needleman_wunsch", linear, {}}, reads, others,
               &read_pairs);
  measure<i32>(context, {"10^6 of 150 letters, edit distance", "edit_distance", {}, {}}, reads, others, &read_pairs);
  const auto middle = dna(static_cast<std::size_t>(scaled(2000)), 5000, 0.05, 6),
             beside = dna(middle.size(), 5000, 0.05, 7);
  const auto middle_pairs = one_with_one(scaled(100000), std::ssize(middle));
  measure<i32>(context, {"10^5 of 5,000 letters, global, linear", "needleman_wunsch", linear, {}}, middle, beside,
               &middle_pairs);
  measure<i32>(context, {"10^5 of 5,000 letters, local, linear", "smith_waterman", linear, {}}, middle, beside,
               &middle_pairs);
  const auto longer = dna(static_cast<std::size_t>(scaled(2000)), 10000, 0.06, 8);
  const std::vector<benchmarks::Sequence> first(longer.begin(), longer.begin() + std::ssize(longer) / 2);
  const std::vector<benchmarks::Sequence> second(longer.begin() + (std::ssize(longer) + 1) / 2, longer.end());
  const auto long_pairs = one_with_one(scaled(100000), std::ssize(first));
  measure<i32>(context, {"10^5 of 10,000 letters, edit distance, at most 600", "edit_distance", {}, {}, 600}, first,
               second, &long_pairs);
  const auto values = series<float>(static_cast<std::size_t>(scaled(20000)), 1024, 9);
  const auto value_pairs = one_with_one(scaled(100000), std::ssize(values));
  const auto shifted = series<float>(values.size(), 1024, 10);
  measure<float>(context, {"10^5 series of 1,024, dtw", "dtw", {}, {{"cost", "absolute"}, {"steps", "symmetric1"}}},
                 values, shifted, &value_pairs);
}

}  // namespace
}  // namespace terrace::pairs

int main(int count, char** arguments) {
  return terrace::cuda_benchmark_main([&](terrace::device::Context& context) {
    if (count > 2) terrace::pairs::word = arguments[2];
    terrace::pairs::run(context, count > 1 ? std::atof(arguments[1]) : 1);
  });
}
