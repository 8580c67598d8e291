// Schedules of stencils on the first CUDA device by neighbourhood, distance and side of the grid, as tables 12 to 15
// of Li's dissertation (2020) have them: Moore and cross-shaped neighbourhoods, distances 1 to 8, 512 steps in f32.
// Prints a Markdown table for each neighbourhood: Gcell/s; GFLOP/s at 2 * points - 1 operations a cell. The cells of
// every schedule are compared with those of one step at a time.
//
//   benchmark_stencil_tables [LARGEST [SMALLEST [NEIGHBOURHOOD]]]
//       the largest and the smallest side, as powers of two (13 and 8); Moore or cross alone

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <string>

#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/benchmarks/stencil_on_cuda.hpp"

namespace terrace::stencil::benchmark {
namespace {

constexpr std::int64_t steps = 512;
constexpr int most_distance = 8;

/// The cells of a row of the table by distance, as text.
using Entries = std::map<std::string, std::vector<std::string>>;

std::string entry_of(const StencilSpec& spec, const Run<float>& got, const Run<float>& plain) {
  if (got.checked != plain.checked) return "DIFFERENT CELLS";
  const double rate = rate_of(spec, got.seconds, steps) / 1e9;
  const auto operations = static_cast<double>(2 * spec.terms.size() - 1);
  return fmt::format("{:.3g}; {:.0f}", rate, rate * operations);
}

void report(const char* neighbourhood, const char* name, int smallest, int largest, device::Context& context) {
  fmt::print("\n| {} | schedule |", neighbourhood);
  for (int distance = 1; distance <= most_distance; ++distance) fmt::print(" {} |", distance);
  fmt::print("\n|---|---|---|---|---|---|---|---|---|---|\n");
  for (int power = smallest; power <= largest; ++power) {
    const std::int64_t side = std::int64_t{1} << power;
    Entries entries;
    for (int distance = 1; distance <= most_distance; ++distance) {
      StencilSpec spec = spec_of(name, distance, ElementType::f32, side, steps);
      const Run<float> plain = run<float>(plain_spec(spec), context, 2, steps);
      entries["plain"].push_back(entry_of(spec, plain, plain));
      entries["auto"].push_back(entry_of(spec, run<float>(spec, context, 2, steps), plain));
      for (const char* tile : {"64x64", "64x32", "32x32"}) {
        spec.tile = skewed_tile_from(tile);
        spec.schedule = Schedule::time_skewed;
        entries[std::string("time_skewed ") + tile].push_back(
            skewed_steps(spec.tile, distance) == 0 ? "N/A"
                                                   : entry_of(spec, run<float>(spec, context, 1, steps), plain));
      }
    }
    for (const char* schedule : {"time_skewed 64x64", "time_skewed 64x32", "time_skewed 32x32", "plain", "auto"}) {
      fmt::print("| {} | {} |", side, schedule);
      for (const std::string& entry : entries.at(schedule)) fmt::print(" {} |", entry);
      fmt::print("\n");
    }
    std::fflush(stdout);
  }
}

void run_all(int argc, char** argv, device::Context& context) {
  const int largest = argc > 1 ? std::atoi(argv[1]) : 13, smallest = argc > 2 ? std::atoi(argv[2]) : 8;
  const std::string only = argc > 3 ? argv[3] : "";
  fmt::print("{} steps, f32: Gcell/s; GFLOP/s at 2 * points - 1 operations a cell\n", steps);
  if (only != "cross") report("Moore", "box2d", smallest, largest, context);
  if (only != "Moore") report("cross", "star2d", smallest, largest, context);
}

}  // namespace
}  // namespace terrace::stencil::benchmark

int main(int argc, char** argv) {
  return terrace::cuda_benchmark_main(
      [&](terrace::device::Context& context) { terrace::stencil::benchmark::run_all(argc, argv, context); });
}
