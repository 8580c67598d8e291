#include "kernels/device/cpu_rates.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace terrace::device {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

constexpr int chains = 8;  // independent ones: more than latency times width
constexpr int rounds = 100'000;

template <int Lanes>
struct VectorOf {
  typedef std::int32_t Type __attribute__((vector_size(4 * Lanes)));
};

/// Eight chains of add and max on vectors of `Lanes` 32-bit integers. Returns a value that depends on all of them.
template <int Lanes>
[[gnu::always_inline]] inline std::int32_t spin() {
  using Vector = typename VectorOf<Lanes>::Type;
  Vector value[chains], step = {};
  for (int lane = 0; lane < Lanes; ++lane) step[lane] = lane - 1;
  for (int chain = 0; chain < chains; ++chain) value[chain] = step + chain;
  for (int round = 0; round < rounds; ++round) {
    for (int chain = 0; chain < chains; ++chain) {
      const Vector sum = value[chain] + step;
      value[chain] = sum > step ? sum : step;
      asm volatile("" : "+x"(value[chain]));
    }
  }
  std::int32_t total = 0;
  for (int chain = 0; chain < chains; ++chain) total += value[chain][0];
  return total;
}

__attribute__((target("avx512f"))) std::int32_t spin_avx512() { return spin<16>(); }
__attribute__((target("avx2"))) std::int32_t spin_avx2() { return spin<8>(); }
__attribute__((target("sse4.1"))) std::int32_t spin_sse4() { return spin<4>(); }

/// Seconds that `work` takes on all threads at once.
double on_threads(int threads, const std::function<void(int)>& work) {
  std::vector<std::thread> others;
  const auto start = Clock::now();
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(work, thread);
  work(0);
  for (std::thread& other : others) other.join();
  return seconds_since(start);
}

double operation_rate(InstructionSet set, int threads) {
  const int lanes = set == InstructionSet::avx512 ? 16 : set == InstructionSet::avx2 ? 8 : 4;
  std::vector<std::int32_t> sinks(static_cast<std::size_t>(threads));
  double best = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) {
    best = std::min(best, on_threads(threads, [&](int thread) {
                      sinks[static_cast<std::size_t>(thread)] = set == InstructionSet::avx512 ? spin_avx512()
                                                                : set == InstructionSet::avx2 ? spin_avx2()
                                                                                              : spin_sse4();
                    }));
  }
  return 2.0 * lanes * chains * rounds * threads / best;
}

double copy_rate(int threads) {
  constexpr std::size_t bytes = std::size_t{24} << 20;
  std::vector<std::unique_ptr<char[]>> buffers;
  for (int i = 0; i < 2 * threads; ++i) buffers.push_back(std::make_unique<char[]>(bytes));
  double best = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) {
    best = std::min(best, on_threads(threads, [&](int thread) {
                      const auto at = static_cast<std::size_t>(2 * thread);
                      std::memcpy(buffers[at].get(), buffers[at + 1].get(), bytes);
                    }));
  }
  return 2.0 * static_cast<double>(bytes) * threads / best;
}

}  // namespace

CpuRates measure_cpu_rates(InstructionSet set, int threads) {
  // Beyond a few threads memory gives no more, and the copies would take long.
  const int copiers = std::min(threads, 8);
  return {operation_rate(set, threads), copy_rate(copiers)};
}

}  // namespace terrace::device
