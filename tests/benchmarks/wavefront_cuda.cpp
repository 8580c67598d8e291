// Rates of wavefront sweeps on the first CUDA device, each with its limit, and checks of the results.
//
//   benchmark_wavefront_cuda [--only PART] [FOLDER [SIMILAR]]
//
// PART: chlamydia, similar, dtw, window, table, sums, histogram.
// FOLDER: CP000051.1.fasta and AE002160.2.fasta, two Chlamydia genomes (GenBank). SIMILAR: ref.fasta and
// mutated_99.fasta, mutated_97.fasta, mutated_94.fasta, a million letters and copies of them (edlib's test data).
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <random>

#include "kernels/wavefront/greedy_score.hpp"
#include "kernels/wavefront/problems.hpp"
#include "kernels/wavefront/window.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/support/cuda_table.hpp"

namespace terrace::wavefront {
namespace {

using testing::CudaTable;
using testing::TableInput;

/// One line of the report: median time of the runs, rate, limit, verdict.
struct Line {
  std::string what;
  double cells;
  double limit;  // cells a second
  std::string limit_kind;
  std::string verdict;  // of the check
};

std::string verdict(bool right) { return right ? "right" : "WRONG"; }

void print(const Line& line, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double median = seconds[seconds.size() / 2];
  const double rate = line.cells / median;
  std::cout << fmt::format("{:44} {:9.3f} ms (best {:9.3f})  {:9.1f} Gcell/s  {:5.1f}% of {:8.1f} ({})  {}\n",
                           line.what, 1e3 * median, 1e3 * seconds.front(), 1e-9 * rate, 100 * rate / line.limit,
                           1e-9 * line.limit, line.limit_kind, line.verdict)
            << std::flush;
}

std::vector<double> time_runs(CudaTable& table, int runs) {
  std::vector<double> seconds;
  for (int run = 0; run < runs; ++run) seconds.push_back(table.run());
  return seconds;
}

SweepSpec square(const std::string& problem, std::int64_t rows, std::int64_t columns) {
  SweepSpec spec;
  spec.problem = problem;
  spec.rows = rows;
  spec.columns = columns;
  spec.block_rows = std::max<std::int64_t>(1, rows);
  spec.block_columns = std::max<std::int64_t>(1, columns);
  spec.value = spec.border = ElementType::i32;
  return spec;
}

Settings affine_settings() {
  Settings settings;
  settings.set("match", 1.0);
  settings.set("mismatch", -3.0);
  settings.set("gap_open", 3.0);
  settings.set("gap_extend", 2.0);
  return settings;
}

Settings linear_settings() {
  Settings settings;
  settings.set("match", 1.0);
  settings.set("mismatch", -1.0);
  settings.set("gap", 1.0);
  return settings;
}

/// The letters of a FASTA file's one record as codes; letters other than A, C, G and T get `other`.
std::vector<std::uint8_t> read_fasta(const std::filesystem::path& path, std::uint8_t other) {
  std::ifstream file(path);
  if (!file) throw IoError(path.string(), "cannot be opened");
  std::vector<std::uint8_t> letters;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '>') continue;
    for (char letter : line) {
      const auto code = std::string("ACGT").find(letter);
      letters.push_back(code == std::string::npos ? other : static_cast<std::uint8_t>(code));
    }
  }
  return letters;
}

std::vector<std::uint8_t> random_letters(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::uint8_t> letters(static_cast<std::size_t>(count));
  for (auto& letter : letters) letter = static_cast<std::uint8_t>(random() % 4);
  return letters;
}

/// Least number of operations of a cell on the pipe of minima and maxima, and the limit that follows.
double operation_limit(const device::Limits& limits, double operations) {
  return limits.operations_per_second / operations;
}

void report_pair(device::Context& context, const std::string& name, SweepSpec spec, const TableInput& input,
                 double operations, const BlockResult& known, const CudaTrial& trial, std::int64_t strips) {
  spec.block_columns = (spec.columns + strips - 1) / strips;
  CudaTable table(spec, context, input, trial);
  const auto seconds = time_runs(table, 2);
  BlockResult best{-1, 0, 0};
  for (const BlockResult& result : table.results) {
    if (known.row < 0 || result.score > best.score) best = result;
  }
  const bool right =
      best.score == known.score && (known.row < 0 || (best.row == known.row && best.column == known.column));
  print({fmt::format("{}, {} rows a lane in {} bits, {} strips", name, trial.pairs ? 32 : trial.lane_rows,
                     trial.pairs ? 16 : 32, strips),
         static_cast<double>(spec.rows) * static_cast<double>(spec.columns),
         operation_limit(context.limits(), operations), "operations", verdict(right)},
        seconds);
  if (!right) std::cout << "  got " << best.score << " at " << best.row << ", " << best.column << "\n";
}

void report_chlamydia(device::Context& context, const std::filesystem::path& folder) {
  TableInput input{read_fasta(folder / "AE002160.2.fasta", 4), read_fasta(folder / "CP000051.1.fasta", 5), {}};
  const auto rows = static_cast<std::int64_t>(input.rows.size()),
             columns = static_cast<std::int64_t>(input.columns.size());
  auto affine = square("smith_waterman", rows, columns);
  affine.settings = affine_settings();
  auto linear = affine;
  linear.settings = linear_settings();
  // Two cells take 5 operations in pairs of 16 bits, 3 with linear gaps, the choice of their scores among them.
  report_pair(context, "affine Smith-Waterman", affine, input, 2.5, {88353, 1072950, 722725}, {.pairs = true}, 1);
  report_pair(context, "linear Smith-Waterman", linear, input, 1.5, {416358, 1072950, 722725}, {.pairs = true}, 1);
  for (int lane_rows : {32, 8}) {
    report_pair(context, "affine Smith-Waterman", affine, input, 3, {88353, 1072950, 722725}, {0, 0, lane_rows}, 1);
    report_pair(context, "linear Smith-Waterman", linear, input, 2, {416358, 1072950, 722725}, {0, 0, lane_rows}, 1);
  }
  report_pair(context, "affine Smith-Waterman", affine, input, 3, {88353, 1072950, 722725}, {0, 0, 32}, 8);
  for (const auto& [letters, known] : {std::pair{50000, BlockResult{17, 30875, 17816}}, {5000, {12, 1610, 848}}}) {
    TableInput first = input;
    first.rows.resize(static_cast<std::size_t>(letters));
    first.columns.resize(static_cast<std::size_t>(letters));
    auto spec = square("smith_waterman", letters, letters);
    spec.settings = affine_settings();
    for (const int lane_rows : {8, 4}) {
      report_pair(context, fmt::format("affine Smith-Waterman, the first {} letters", letters), spec, first, 3, known,
                  {0, 0, lane_rows}, 1);
    }
  }
  // The distances' files count the ambiguous letters of AE002160.2 as letters of their own: they equal nothing.
  for (int lane_rows : {0, 32, 64}) {
    const bool bits = lane_rows > 0;  // whose least are 9 and 4 operations for 32 cells
    report_pair(context, "edit distance", square("edit_distance", rows, columns), input, bits ? 9.0 / 32 : 2,
                {549784, -1, -1}, {0, 0, lane_rows, !bits}, 1);
    report_pair(context, "longest common subsequence", square("lcs", rows, columns), input, bits ? 4.0 / 32 : 2,
                {687325, -1, -1}, {0, 0, lane_rows, !bits}, 1);
  }
}

/// Similar sequences, with and without leaving out parts of their tables: rates count every cell.
void report_similar(device::Context& context, const std::filesystem::path& folder) {
  for (const auto& [name, distance] : {std::pair{"mutated_99", 9927}, {"mutated_97", 31467}, {"mutated_94", 62190}}) {
    const TableInput input{
        read_fasta(folder / "ref.fasta", 4), read_fasta(folder / (std::string(name) + ".fasta"), 5), {}};
    const auto rows = static_cast<std::int64_t>(input.rows.size()),
               columns = static_cast<std::int64_t>(input.columns.size());
    const double cells = static_cast<double>(rows) * static_cast<double>(columns);
    auto local = square("smith_waterman", rows, columns);
    local.settings = affine_settings();
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t known = greedy_score(local.problem, local.settings, input.rows, input.columns);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    std::cout << fmt::format("{}: a score of {} is known after {:.1f} ms of one core\n", name, known,
                             1e3 * taken.count());
    auto distances = square("edit_distance", rows, columns);
    BlockResult whole{};
    struct Way {
      const char* name;
      bool prunes;
      CudaTrial trial;
    };
    for (const auto& [way, prunes, trial] : {Way{"every cell in 32 bits", false, {.lane_rows = 32}},
                                             Way{"every cell in 16 bits", false, {.pairs = true}},
                                             Way{"pruned in 32 bits, bands of 1024 rows", true, {.lane_rows = 32}},
                                             Way{"pruned in 32 bits, bands of 256 rows", true, {.lane_rows = 8}},
                                             Way{"pruned in 16 bits, bands of 1024 rows", true, {.pairs = true}},
                                             Way{"pruned, as the model takes it", true, {}}}) {
      local.schedule.work = prunes ? Schedule::Work::needed : Schedule::Work::all;
      local.known = prunes ? known : 0;
      CudaTable table(local, context, input, trial);
      const auto seconds = time_runs(table, 3);
      const BlockResult found = table.results[0];
      if (whole.score == 0) whole = found;
      const bool same = found.score == whole.score && found.row == whole.row && found.column == whole.column;
      const double skipped = static_cast<double>(table.skipped) / cells;
      print({fmt::format("affine Smith-Waterman, {}, {}, {:.0f}% left out", name, way, 100 * skipped), cells,
             operation_limit(context.limits(), trial.lane_rows > 0 ? 3 : 2.5), "operations", verdict(same)},
            seconds);
    }
    const std::int64_t fills = context.limits().processors * std::int64_t{2048};
    for (const std::int64_t margin : {std::int64_t{0}, fills, fills / 2, fills / 8, std::int64_t{distance}}) {
      if (margin > 0) distances.band = band_of_margin(rows, columns, margin);
      CudaTable table(distances, context, input);
      const auto seconds = time_runs(table, 3);
      print({fmt::format("edit distance, {}, margin {}", name, margin), cells,
             operation_limit(context.limits(), 9.0 / 32), "operations", verdict(table.results[0].score == distance)},
            seconds);
    }
  }
}

/// The table of linear-gap Smith-Waterman by a plain loop, compared row by row.
bool table_is_right(const std::vector<unsigned char>& table, const TableInput& input) {
  const std::size_t columns = input.columns.size();
  std::vector<std::int32_t> h(columns + 1, 0);
  const auto* cells = reinterpret_cast<const std::int32_t*>(table.data());
  for (std::size_t i = 0; i < input.rows.size(); ++i) {
    std::int32_t diagonal = 0;
    for (std::size_t j = 0; j < columns; ++j) {
      const std::int32_t score = diagonal + (input.rows[i] == input.columns[j] ? 1 : -1);
      diagonal = h[j + 1];
      h[j + 1] = std::max({0, score, h[j + 1] - 1, h[j] - 1});
    }
    if (!std::equal(h.begin() + 1, h.end(), cells + i * columns)) return false;
  }
  return true;
}

void report_table(device::Context& context) {
  constexpr std::int64_t n = 1 << 15;
  TableInput input{random_letters(n, 1), random_letters(n, 2), {}};
  auto spec = square("smith_waterman", n, n);
  spec.settings = linear_settings();
  spec.table = ElementType::i32;
  CudaTable table(spec, context, input);
  const auto seconds = time_runs(table, 5);
  const double cells = static_cast<double>(n) * n;
  print({"linear Smith-Waterman, i32 table, 2^15 x 2^15", cells, context.limits().memory_bytes_per_second / 4,
         "bytes", verdict(table_is_right(table.table(), input))},
        seconds);
}

template <class G, class T>
bool sums_are_right(const std::vector<unsigned char>& table, const std::vector<G>& grid, std::int64_t n) {
  const auto* cells = reinterpret_cast<const T*>(table.data());
  // Floating-point sums keep this order; of the values here they are whole numbers anyway.
  using Sum = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;
  std::vector<Sum> h(static_cast<std::size_t>(n), 0);
  for (std::int64_t i = 0; i < n; ++i) {
    Sum e = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      const auto at = static_cast<std::size_t>(i * n + j);
      e += static_cast<Sum>(grid[at]);
      h[static_cast<std::size_t>(j)] += e;
      if (cells[at] != static_cast<T>(h[static_cast<std::size_t>(j)])) return false;
    }
  }
  return true;
}

template <class G, class T>
void report_sums(device::Context& context, std::int64_t n, const std::string& overflow, unsigned mask = ~0u) {
  std::vector<G> grid(static_cast<std::size_t>(n * n));
  std::uint64_t state = 7;
  for (G& value : grid) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    value = static_cast<G>(static_cast<unsigned>(state >> 33) & mask);
  }
  TableInput input;
  input.grid.resize(grid.size() * sizeof(G));
  std::memcpy(input.grid.data(), grid.data(), input.grid.size());
  auto spec = square("summed_area", n, n);
  spec.settings.set("overflow", overflow);
  spec.grid = element_type_of<G>();
  spec.value = element_type_of<T>();
  spec.table = spec.value;
  spec.border = is_floating(spec.value) ? spec.value : ElementType::i64;
  CudaTable table(spec, context, input);
  const auto seconds = time_runs(table, 5);
  const std::string name =
      fmt::format("summed area, {} to {}, {}, {} x {}", name_of(spec.grid), name_of(spec.value), overflow, n, n);
  print({name, static_cast<double>(n) * static_cast<double>(n),
         context.limits().memory_bytes_per_second / (sizeof(G) + sizeof(T)), "bytes",
         verdict(sums_are_right<G, T>(table.table(), grid, n))},
        seconds);
}

/// Time warping of 131072 x 131072 values; both ways to hold rows must give the same bits.
void report_warping(device::Context& context, const std::string& cost, const std::string& steps, ElementType type,
                    std::int64_t window) {
  const std::int64_t n = type == ElementType::f32 ? 131072 : 32768;
  SweepSpec spec = square("dtw", n, n);
  spec.settings.set("cost", cost);
  spec.settings.set("steps", steps);
  spec.settings.set("window", window);
  spec.value = spec.border = type;
  const auto series = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(n) * size_of(type));
    dispatch(type, [&]<class T>(T) {
      for (std::size_t i = 0; i < bytes.size(); i += sizeof(T)) {
        const T value = static_cast<T>(random() % 100000) / T(7);
        std::memcpy(bytes.data() + i, &value, sizeof value);
      }
    });
    return bytes;
  };
  const TableInput input{series(1), series(2), {}};
  std::int64_t score = 0;
  for (int lane_rows : {32, 8}) {
    CudaTable table(spec, context, input, {0, 0, lane_rows});
    const auto seconds = time_runs(table, 2);
    const std::int64_t found = table.results.back().score;
    const bool right = lane_rows == 32 || found == score;
    score = found;
    print({fmt::format("dtw {} {} {}, window {}, {} rows a lane", cost, steps, name_of(type), window, lane_rows),
           cells_in_window(window, 0, n, 0, n), operation_limit(context.limits(), 2), "operations", verdict(right)},
          seconds);
  }
}

/// An integral histogram of random u8, one launch over all bins, many of them under way at a time; the last bin's
/// counts are checked.
void report_histogram(device::Context& context) {
  constexpr std::int64_t n = 8192, bins = 32;
  std::mt19937 random(7);
  TableInput input;
  input.grid.resize(static_cast<std::size_t>(n * n));
  for (auto& value : input.grid) value = static_cast<std::uint8_t>(random() >> 8);
  auto spec = square("integral_histogram", n, n);
  spec.settings.set("bins", bins);
  spec.layers = bins;
  spec.table = ElementType::i32;
  CudaTable table(spec, context, input, {}, 16);
  const auto seconds = time_runs(table, 5);
  std::vector<std::uint8_t> marks(input.grid.size());
  std::transform(input.grid.begin(), input.grid.end(), marks.begin(),
                 [](std::uint8_t value) { return static_cast<std::uint8_t>(value / 8 == bins - 1); });
  auto counts = table.table();
  counts.erase(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(4 * n * n * (bins - 1)));
  print({fmt::format("integral histogram, u8 to i32, {} bins, {} x {}", bins, n, n),
         static_cast<double>(bins) * static_cast<double>(n) * static_cast<double>(n),
         context.limits().memory_bytes_per_second / 5, "bytes",
         verdict(sums_are_right<std::uint8_t, std::int32_t>(counts, marks, n))},
        seconds);
}

void report_all_sums(device::Context& context) {
  constexpr std::int64_t n = 1 << 15, small = 1 << 13;
  report_sums<std::int32_t, std::int32_t>(context, n, "wrap");
  report_sums<std::uint8_t, std::int32_t>(context, n, "wrap");
  report_sums<std::uint16_t, std::int32_t>(context, n, "wrap");
  report_sums<std::uint8_t, std::int64_t>(context, n, "error");
  report_sums<std::int32_t, std::int64_t>(context, n, "error");
  report_sums<std::int32_t, std::int32_t>(context, n, "error", 1);
  report_sums<std::uint8_t, std::int32_t>(context, n, "error", 1);
  report_sums<float, float>(context, n, "error", 1);
  report_sums<std::int32_t, std::int32_t>(context, small, "wrap");
  report_sums<std::uint8_t, std::int64_t>(context, small, "error");
}

/// All parts, or the one that is named; parts that read files are left out where their folder is not given.
void run(std::vector<std::string> arguments, device::Context& context) {
  std::string only;
  if (arguments.size() > 1 && arguments[0] == "--only") {
    only = arguments[1];
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  }
  const auto wanted = [&](const char* part) { return only.empty() || only == part; };
  if (wanted("chlamydia") && !arguments.empty()) report_chlamydia(context, arguments[0]);
  if (wanted("similar") && arguments.size() > 1) report_similar(context, arguments[1]);
  if (wanted("dtw")) {
    for (const char* cost : {"absolute", "squared"}) {
      for (const char* steps : {"symmetric1", "symmetric2"}) {
        report_warping(context, cost, steps, ElementType::f32, 131072);
      }
    }
    report_warping(context, "squared", "symmetric1", ElementType::f64, 131072);
  }
  if (wanted("window")) report_warping(context, "squared", "symmetric1", ElementType::f32, 5000);
  if (wanted("table")) report_table(context);
  if (wanted("sums")) report_all_sums(context);
  if (wanted("histogram")) report_histogram(context);
}

}  // namespace
}  // namespace terrace::wavefront

int main(int argc, char** argv) {
  return terrace::cuda_benchmark_main([&](terrace::device::Context& context) {
    terrace::wavefront::run({argv + 1, argv + argc}, context);
  });
}
