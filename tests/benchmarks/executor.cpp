// usage: benchmark_executor [BLOCKS [TURNS]]: empty blocks (10^6) through the executor on the CPU, in every order of
// a phase; blocks a second, the median of some turns (5).
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <vector>

#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/toy_programs.hpp"

using namespace terrace;

namespace {

/// Blocks a second.
double measure(std::int64_t blocks, run::Order order) {
  test::TempFolder folder;
  test::ManyBlocks program(blocks, order);
  test::RunnerOptions options;
  test::StageRunner runner(folder.path(), program, options);
  const auto begin = std::chrono::steady_clock::now();
  runner.run();
  return static_cast<double>(blocks) /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t blocks = count > 1 ? std::atoll(arguments[1]) : 1'000'000;
  const int turns = count > 2 ? std::atoi(arguments[2]) : 5;
  const std::pair<const char*, run::Order> orders[] = {
      {"any", run::Order::any}, {"in_turn", run::Order::in_turn}, {"chain", run::Order::chain}};
  for (const auto& [name, order] : orders) {
    std::vector<double> rates;
    for (int turn = 0; turn < turns; ++turn) rates.push_back(measure(blocks, order));
    std::sort(rates.begin(), rates.end());
    fmt::print("{:8} {:.3g} blocks a second (from {:.3g} to {:.3g})\n", name, rates[rates.size() / 2], rates.front(),
               rates.back());
  }
}
