// Rates of wavefront sweeps on the CPU, computation only, each with its limit: for scores the rate of the band kernel
// alone on as many threads, for tables the rate of a copy.
//
//   benchmark_wavefront_cpu [--threads N] [--rows A.fa --columns B.fa] [--side N]
//
// Two random sequences without files; --side N: of N letters (16,569 and 16,499), series of 4 N values (32,768),
// grids of N x N (8192).

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/device/cpu_context.hpp"
#include "kernels/values/vectors.hpp"
#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/cpu/bits/sweeper.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/sweep.hpp"
#include "kernels/wavefront/visit.hpp"
#include "tests/benchmarks/benchmark_main.hpp"

namespace {

using namespace terrace;
using namespace terrace::wavefront;
using Letters = std::vector<std::uint8_t>;

/// Least seconds of a few runs.
template <class Work>
double best_seconds(Work&& work, int times = 3) {
  double best = 1e300;
  for (int i = 0; i < times; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

/// Letters of the first record as codes; letters other than A, C, G, T equal nothing on the other side.
Letters read_fasta(const std::string& path, std::uint8_t unknown) {
  std::ifstream file(path);
  Letters letters;
  std::string line;
  std::getline(file, line);
  while (std::getline(file, line) && line.rfind('>', 0) != 0) {
    for (char letter : line) {
      const auto at = std::string("ACGT").find(static_cast<char>(std::toupper(static_cast<unsigned char>(letter))));
      letters.push_back(at == std::string::npos ? unknown : static_cast<std::uint8_t>(at));
    }
  }
  return letters;
}

Letters random_letters(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Letters letters(count);
  for (auto& letter : letters) letter = static_cast<std::uint8_t>(random() % 4);
  return letters;
}

Settings settings_of(const std::map<std::string, double>& numbers) {
  Settings settings;
  for (const auto& [name, value] : numbers) settings.set(name, value);
  return settings;
}

/// One sweep of a whole table as one block.
class WholeTable {
 public:
  WholeTable(device::Context& context, SweepSpec spec) : spec_(std::move(spec)) {
    spec_.block_rows = std::max<std::int64_t>(1, spec_.rows);
    spec_.block_columns = std::max<std::int64_t>(1, spec_.columns);
    sweep_ = make_cpu_sweep(spec_, context);
    task_.row_end = spec_.rows;
    task_.column_end = spec_.columns;
    task_.grid_stride = task_.table_stride = spec_.columns;
  }

  BlockTask& task() { return task_; }

  BlockResult run() {
    device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
    BlockResult result{};
    sweep_->run(
        {&ready, &stop, &abort, &done, &failed, &skipped, &task_, &result, 1, sizeof task_, sizeof result, 0, 1});
    if (done != 1) throw ComputeError("the sweep did not complete");
    return result;
  }

 private:
  SweepSpec spec_;
  std::unique_ptr<device::BlockKernel> sweep_;
  BlockTask task_{};
};

SweepSpec letters_spec(const std::string& problem, const Settings& settings, const Letters& rows,
                       const Letters& columns) {
  SweepSpec spec;
  spec.problem = problem;
  spec.settings = settings;
  spec.rows = static_cast<std::int64_t>(rows.size());
  spec.columns = static_cast<std::int64_t>(columns.size());
  spec.value = narrowest_value(problem, settings, spec.rows, spec.columns);
  spec.border = ElementType::i64;
  return spec;
}

/// Cells a second of one thread that does nothing but the kernel, on a band in the first-level cache.
template <class P, class T>
double kernel_rate(device::InstructionSet set, const Settings& settings) {
  constexpr std::int64_t rows_per_lane = 24, steps = 64, launches = 1500;
  const std::int64_t lanes = vector_bytes(set) / static_cast<std::int64_t>(sizeof(T));
  const AdvanceBand<T> advance = [&] {
    const BandKernels kernels = kernels_for(set, Problems::index<P>());
    if constexpr (std::is_same_v<T, float>) return kernels.advance_f32;
    else if constexpr (std::is_same_v<T, double>) return kernels.advance_f64;
    else if constexpr (sizeof(T) == 2) return kernels.advance_i16;
    else return kernels.advance_i32;
  }();
  const auto constants = problem_constants<P>(settings);
  std::vector<T> rows(static_cast<std::size_t>(4 * rows_per_lane * lanes)), stream(10 * steps, T{1});
  T* at = rows.data();
  const std::int64_t size = rows_per_lane * lanes;
  BandState<T> state{};
  state.rows_per_lane = rows_per_lane;
  state.last_lane = lanes - 1;
  state.columns = std::int64_t{1} << 40;
  state.h = at;
  state.e = at + size;
  state.best = at + 2 * size;
  state.letters = at + 3 * size;
  T* s = stream.data();
  const double seconds = best_seconds([&] {
    for (std::int64_t i = 1; i <= launches; ++i) {
      advance(state,
              {i * steps, (i + 1) * steps, s, s + 2 * steps, s + 4 * steps, s + 6 * steps, s + 8 * steps, nullptr},
              &constants);
    }
  });
  return static_cast<double>(2 * steps * launches * size) / seconds;
}

/// The same of a bit-parallel kernel.
template <class P>
double bits_rate(device::InstructionSet set) {
  constexpr std::int64_t vectors = 4, launches = 4000;
  const std::int64_t words = vectors * vector_bytes(set) / 8;
  BitsScratch scratch(words);
  scratch.view.count = words;
  scratch.view.whole = true;
  const AdvanceBits advance = kernels_for(set, Problems::index<P>()).advance_bits;
  const double seconds = best_seconds([&] {
    for (std::int64_t i = 0; i < launches; ++i) advance(scratch.view, chunk_columns, BitLetters::four);
  });
  return static_cast<double>(64 * words * chunk_columns * launches) / seconds;
}

/// Cells a second of one thread that does nothing but the kernel that sweeps these scores.
template <class P>
double kernel_rate_of(device::InstructionSet set, const SweepSpec& spec) {
  if constexpr (requires { typename P::Bits; }) return bits_rate<P>(set);
  else if (spec.value == ElementType::i16) return kernel_rate<P, device::i16>(set, spec.settings);
  else return kernel_rate<P, device::i32>(set, spec.settings);
}

template <class P>
void score(device::CpuContext& context, const char* what, const Settings& settings, const Letters& rows,
           const Letters& columns) {
  const SweepSpec spec = letters_spec(P::name, settings, rows, columns);
  WholeTable table(context, spec);
  table.task().rows = rows.data();
  table.task().columns = columns.data();
  BlockResult result{};
  const double seconds = best_seconds([&] { result = table.run(); });
  const double rate = static_cast<double>(spec.rows * spec.columns) / seconds;
  const double limit = kernel_rate_of<P>(context.instruction_set(), spec) * context.limits().processors;
  fmt::print("{:<28} {:>4} {:8.2f} GCUPS, limit {:8.2f} ({:3.0f}%), score {} at ({}, {}), {:.4f} s\n", what,
             name_of(spec.value), rate / 1e9, limit / 1e9, 100 * rate / limit, result.score, result.row,
             result.column, seconds);
}

/// Time warping of two random series.
template <class P, class T>
void warping(device::CpuContext& context, const char* cost, const char* steps, std::int64_t size) {
  SweepSpec spec;
  spec.problem = P::name;
  spec.settings.set("cost", std::string(cost));
  spec.settings.set("steps", std::string(steps));
  spec.rows = spec.columns = size;
  spec.value = spec.border = element_type_of<T>();
  std::mt19937 random(5);
  std::vector<T> rows(static_cast<std::size_t>(size)), columns(rows.size());
  for (auto* series : {&rows, &columns}) {
    for (T& value : *series) value = static_cast<T>(random() % 100000) / T(7);
  }
  WholeTable table(context, spec);
  table.task().rows = rows.data();
  table.task().columns = columns.data();
  const double seconds = best_seconds([&] { table.run(); });
  const double rate = static_cast<double>(size * size) / seconds;
  const double limit = kernel_rate<P, T>(context.instruction_set(), spec.settings) * context.limits().processors;
  fmt::print("{:<28} {:>4} {:8.2f} GCUPS, limit {:8.2f} ({:3.0f}%), {:.4f} s\n",
             fmt::format("dtw {} {}", cost, steps), name_of(spec.value), rate / 1e9, limit / 1e9, 100 * rate / limit,
             seconds);
}

/// Bytes a second that a copy reads and writes on all threads.
double copy_rate(device::CpuContext& context, std::size_t bytes) {
  std::vector<std::byte> from(bytes, std::byte{1}), to(bytes);
  const auto threads = static_cast<std::size_t>(context.limits().processors);
  const double seconds = best_seconds([&] {
    context.pool().run_on_all([&](int thread) {
      const std::size_t part = bytes / threads, begin = static_cast<std::size_t>(thread) * part;
      std::memcpy(to.data() + begin, from.data() + begin, part);
    });
  });
  return 2.0 * static_cast<double>(bytes) / seconds;
}

void letters_table(device::CpuContext& context, const Letters& rows, const Letters& columns, double copied) {
  const std::size_t size = std::min<std::size_t>({8192, rows.size(), columns.size()});
  const Letters a(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(size));
  const Letters b(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(size));
  SweepSpec spec = letters_spec("lcs", {}, a, b);
  spec.table = ElementType::i32;
  WholeTable table(context, spec);
  std::vector<std::int32_t> cells(size * size);
  table.task().rows = a.data();
  table.task().columns = b.data();
  table.task().table = cells.data();
  const double seconds = best_seconds([&] { table.run(); });
  const double rate = static_cast<double>(cells.size() * sizeof(std::int32_t)) / seconds;
  fmt::print("{:<28} {:>4} {:8.2f} GB/s, limit {:8.2f} ({:3.0f}%), {:.2f} GCUPS\n", "lcs, table in i32", "i16",
             rate / 1e9, copied / 1e9, 100 * rate / copied, static_cast<double>(cells.size()) / seconds / 1e9);
}

template <class G, class T>
void summed_area(device::CpuContext& context, const char* what, std::int64_t size, double copied) {
  SweepSpec spec;
  spec.problem = "summed_area";
  spec.settings.set("overflow", std::string("error"));
  spec.rows = spec.columns = size;
  spec.grid = element_type_of<G>();
  spec.value = element_type_of<T>();
  spec.table = spec.value;
  spec.border = is_floating(spec.value) ? spec.value : ElementType::i64;
  std::vector<G> grid(static_cast<std::size_t>(size * size), G{1});
  std::vector<T> sums(grid.size());
  WholeTable table(context, spec);
  table.task().grid = grid.data();
  table.task().table = sums.data();
  const double seconds = best_seconds([&] { table.run(); });
  const double bytes = static_cast<double>(size * size) * (sizeof(G) + sizeof(T));
  fmt::print("{:<28}      {:8.2f} GB/s, limit {:8.2f} ({:3.0f}%), {:.4f} s\n", what, bytes / seconds / 1e9,
             copied / 1e9, 100 * bytes / seconds / copied, seconds);
}

/// One bin of an integral histogram: every further bin costs the same.
template <class G>
void histogram_layer(device::CpuContext& context, const char* what, std::int64_t size, double copied) {
  SweepSpec spec;
  spec.problem = "integral_histogram";
  spec.settings.set("bins", std::int64_t{1});
  spec.rows = spec.columns = size;
  spec.grid = element_type_of<G>();
  spec.value = spec.border = ElementType::i32;
  spec.table = spec.value;
  std::vector<G> grid(static_cast<std::size_t>(size * size));
  for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = static_cast<G>(i * 2654435761u >> 7 & 0xFF);
  std::vector<std::int32_t> counts(grid.size());
  WholeTable table(context, spec);
  table.task().grid = grid.data();
  table.task().table = counts.data();
  table.task().keys = bin_keys({64, 128}, 0, spec.grid);
  const double seconds = best_seconds([&] { table.run(); });
  const double bytes = static_cast<double>(size * size) * (sizeof(G) + sizeof(std::int32_t));
  fmt::print("{:<28}      {:8.2f} GB/s, limit {:8.2f} ({:3.0f}%), {:.4f} s\n", what, bytes / seconds / 1e9,
             copied / 1e9, 100 * bytes / seconds / copied, seconds);
}

/// @param series length of series @param side of grids
void run(int threads, const Letters& rows, const Letters& columns, std::int64_t series, std::int64_t side) {
  device::CpuContext context(threads);
  fmt::print("{}\n", context.limits().name);
  fmt::print("{} x {} letters\n", rows.size(), columns.size());
  score<SmithWatermanAffine>(context, "smith_waterman, affine",
                             settings_of({{"match", 1}, {"mismatch", -3}, {"gap_open", 3}, {"gap_extend", 2}}), rows,
                             columns);
  score<SmithWatermanAffine>(
      context, "smith_waterman, affine, x 10",
      settings_of({{"match", 1.1}, {"mismatch", -3.3}, {"gap_open", 3.3}, {"gap_extend", 2.2}}), rows, columns);
  score<SmithWatermanLinear>(context, "smith_waterman, linear",
                             settings_of({{"match", 1}, {"mismatch", -1}, {"gap", 2}}), rows, columns);
  score<EditDistance>(context, "edit_distance", {}, rows, columns);
  score<Lcs>(context, "lcs", {}, rows, columns);
  warping<DtwAbsolute1, float>(context, "absolute", "symmetric1", series);
  warping<DtwSquared1, float>(context, "squared", "symmetric1", series);
  warping<DtwAbsolute2, float>(context, "absolute", "symmetric2", series);
  warping<DtwSquared2, float>(context, "squared", "symmetric2", series);
  warping<DtwSquared1, double>(context, "squared", "symmetric1", series);
  const double copied = copy_rate(context, static_cast<std::size_t>(side * side) * sizeof(std::int32_t));
  letters_table(context, rows, columns, copied);
  summed_area<std::int32_t, std::int32_t>(context, "summed_area, i32 to i32", side, copied);
  summed_area<std::uint8_t, std::int32_t>(context, "summed_area, u8 to i32", side, copied);
  summed_area<std::int32_t, std::int64_t>(context, "summed_area, i32 to i64", side, copied);
  summed_area<float, float>(context, "summed_area, f32 to f32", side, copied);
  summed_area<double, double>(context, "summed_area, f64 to f64", side, copied);
  histogram_layer<std::uint8_t>(context, "integral_histogram, u8", side, copied);
  histogram_layer<float>(context, "integral_histogram, f32", side, copied);
}

}  // namespace

int main(int count, char** arguments) {
  return terrace::benchmark_main([&] {
    std::map<std::string, std::string> options;
    for (int i = 1; i + 1 < count; i += 2) options[arguments[i]] = arguments[i + 1];
    const int threads = options.count("--threads") ? std::atoi(options["--threads"].c_str()) : 0;
    const bool files = options.count("--rows") && options.count("--columns");
    const std::int64_t side = options.count("--side") ? std::atoll(options["--side"].c_str()) : 0;
    const auto length = [&](std::int64_t unless_said) {
      return static_cast<std::size_t>(side > 0 ? side : unless_said);
    };
    run(threads, files ? read_fasta(options["--rows"], 4) : random_letters(length(16569), 1),
        files ? read_fasta(options["--columns"], 5) : random_letters(length(16499), 2), side > 0 ? 4 * side : 32768,
        side > 0 ? side : 8192);
    return 0;
  });
}
