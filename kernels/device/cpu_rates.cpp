#include "kernels/device/cpu_rates.hpp"

#include <immintrin.h>
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <thread>
#include <vector>

#include "kernels/device/touched_memory.hpp"

namespace terrace::device {
namespace {

/// Seconds that this thread has computed: others that share the machine do not count.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

constexpr int chains = 8;  // independent ones: more than latency times width
constexpr int rounds = 100'000;

// Eight chains of add and max on vectors of 32-bit integers; each returns a value that depends on all of them.

// GCC 12 takes the undefined operand of its own AVX-512 functions for a use without initialisation (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
__attribute__((target("avx512f"))) std::int32_t spin_avx512() {
  const __m512i step = _mm512_set1_epi32(1);
  __m512i value[chains] = {};
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 8
    for (__m512i& chain : value) {
      chain = _mm512_max_epi32(_mm512_add_epi32(chain, step), step);
      asm("" : "+v"(chain));
    }
  }
  std::int32_t total = 0;
  for (const __m512i& chain : value) total += _mm512_reduce_add_epi32(chain);
  return total;
}
#pragma GCC diagnostic pop

__attribute__((target("avx2"))) std::int32_t spin_avx2() {
  const __m256i step = _mm256_set1_epi32(1);
  __m256i value[chains] = {};
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 8
    for (__m256i& chain : value) {
      chain = _mm256_max_epi32(_mm256_add_epi32(chain, step), step);
      asm("" : "+x"(chain));
    }
  }
  std::int32_t total = 0;
  for (const __m256i& chain : value) total += _mm256_extract_epi32(chain, 0);
  return total;
}

__attribute__((target("sse2"))) std::int32_t spin_sse2() {
  // SSE2 has no maximum of 32-bit integers: an `and` in its place.
  const __m128i step = _mm_set1_epi32(1);
  __m128i value[chains] = {};
  for (int round = 0; round < rounds; ++round) {
#pragma GCC unroll 8
    for (__m128i& chain : value) {
      chain = _mm_and_si128(_mm_add_epi32(chain, step), step);
      asm("" : "+x"(chain));
    }
  }
  std::int32_t total = 0;
  for (const __m128i& chain : value) total += _mm_cvtsi128_si32(chain);
  return total;
}

/// The longest of the threads' own times for `work`, all threads at once; the best of three tries.
double time_on_threads(int threads, const std::function<void(int)>& work) {
  double best = 1e9;
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::vector<double> seconds(static_cast<std::size_t>(threads));
    const auto timed = [&](int thread) {
      const double start = thread_seconds();
      work(thread);
      seconds[static_cast<std::size_t>(thread)] = thread_seconds() - start;
    };
    std::vector<std::jthread> others;
    for (int thread = 1; thread < threads; ++thread) others.emplace_back(timed, thread);
    timed(0);
    others.clear();  // joins them
    best = std::min(best, *std::max_element(seconds.begin(), seconds.end()));
  }
  return best;
}

double operation_rate(InstructionSet set, int threads) {
  const int lanes = set == InstructionSet::avx512 ? 16 : set == InstructionSet::avx2 ? 8 : 4;
  std::vector<std::int32_t> sinks(static_cast<std::size_t>(threads));
  const double seconds = time_on_threads(threads, [&](int thread) {
    sinks[static_cast<std::size_t>(thread)] = set == InstructionSet::avx512 ? spin_avx512()
                                              : set == InstructionSet::avx2 ? spin_avx2()
                                                                            : spin_sse2();
  });
  return 2.0 * lanes * chains * rounds * threads / seconds;
}

double copy_rate(int threads) {
  constexpr std::size_t bytes = std::size_t{24} << 20;
  const std::size_t all = 2 * bytes * static_cast<std::size_t>(threads);
  const auto unmap = [=](void* memory) { unmap_touched(memory, all); };
  const std::unique_ptr<void, decltype(unmap)> memory(map_touched(all), unmap);
  if (!memory) throw std::bad_alloc();
  const double seconds = time_on_threads(threads, [&](int thread) {
    char* own = static_cast<char*>(memory.get()) + 2 * bytes * static_cast<std::size_t>(thread);
    std::memcpy(own, own + bytes, bytes);
  });
  return 2.0 * static_cast<double>(bytes) * threads / seconds;
}

}  // namespace

CpuRates measure_cpu_rates(InstructionSet set, int threads) {
  // Beyond a few threads memory gives no more, and the copies would take long.
  const int copiers = std::min(threads, 8);
  return {operation_rate(set, threads), copy_rate(copiers)};
}

}  // namespace terrace::device
