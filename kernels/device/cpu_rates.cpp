#include "kernels/device/cpu_rates.hpp"

#include <immintrin.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/device/touched_memory.hpp"
#include "pipeline/base/cache_folder.hpp"
#include "pipeline/base/error.hpp"

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

// Eight chains of add and max on vectors of 32-bit integers, or of multiply-adds of f32; each returns a value that
// depends on all of them. An array of chains would be written to memory in every round.

// GCC 12 takes the undefined operand of its own AVX-512 functions for a use without initialisation (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
__attribute__((target("avx512f"))) std::int32_t spin_avx512() {
  const __m512i step = _mm512_set1_epi32(1);
  __m512i a = step, b = step, c = step, d = step, e = step, f = step, g = step, h = step;
  for (int round = 0; round < rounds; ++round) {
    a = _mm512_max_epi32(_mm512_add_epi32(a, step), step);
    b = _mm512_max_epi32(_mm512_add_epi32(b, step), step);
    c = _mm512_max_epi32(_mm512_add_epi32(c, step), step);
    d = _mm512_max_epi32(_mm512_add_epi32(d, step), step);
    e = _mm512_max_epi32(_mm512_add_epi32(e, step), step);
    f = _mm512_max_epi32(_mm512_add_epi32(f, step), step);
    g = _mm512_max_epi32(_mm512_add_epi32(g, step), step);
    h = _mm512_max_epi32(_mm512_add_epi32(h, step), step);
    asm("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g), "+v"(h));
  }
  const __m512i sums = _mm512_add_epi32(_mm512_add_epi32(_mm512_add_epi32(a, b), _mm512_add_epi32(c, d)),
                                        _mm512_add_epi32(_mm512_add_epi32(e, f), _mm512_add_epi32(g, h)));
  return _mm512_reduce_add_epi32(sums);
}

__attribute__((target("avx512f"))) float multiply_avx512() {
  const __m512 half = _mm512_set1_ps(0.5F);
  __m512 a = half, b = half, c = half, d = half, e = half, f = half, g = half, h = half;
  for (int round = 0; round < rounds; ++round) {
    a = _mm512_fmadd_ps(a, half, half);
    b = _mm512_fmadd_ps(b, half, half);
    c = _mm512_fmadd_ps(c, half, half);
    d = _mm512_fmadd_ps(d, half, half);
    e = _mm512_fmadd_ps(e, half, half);
    f = _mm512_fmadd_ps(f, half, half);
    g = _mm512_fmadd_ps(g, half, half);
    h = _mm512_fmadd_ps(h, half, half);
    asm("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g), "+v"(h));
  }
  const __m512 sums = _mm512_add_ps(_mm512_add_ps(_mm512_add_ps(a, b), _mm512_add_ps(c, d)),
                                    _mm512_add_ps(_mm512_add_ps(e, f), _mm512_add_ps(g, h)));
  return _mm512_cvtss_f32(sums);
}
#pragma GCC diagnostic pop

__attribute__((target("avx2,fma"))) float multiply_avx2() {
  const __m256 half = _mm256_set1_ps(0.5F);
  __m256 a = half, b = half, c = half, d = half, e = half, f = half, g = half, h = half;
  for (int round = 0; round < rounds; ++round) {
    a = _mm256_fmadd_ps(a, half, half);
    b = _mm256_fmadd_ps(b, half, half);
    c = _mm256_fmadd_ps(c, half, half);
    d = _mm256_fmadd_ps(d, half, half);
    e = _mm256_fmadd_ps(e, half, half);
    f = _mm256_fmadd_ps(f, half, half);
    g = _mm256_fmadd_ps(g, half, half);
    h = _mm256_fmadd_ps(h, half, half);
    asm("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h));
  }
  const __m256 sums = _mm256_add_ps(_mm256_add_ps(_mm256_add_ps(a, b), _mm256_add_ps(c, d)),
                                    _mm256_add_ps(_mm256_add_ps(e, f), _mm256_add_ps(g, h)));
  return _mm256_cvtss_f32(sums);
}

__attribute__((target("avx2"))) std::int32_t spin_avx2() {
  const __m256i step = _mm256_set1_epi32(1);
  __m256i a = step, b = step, c = step, d = step, e = step, f = step, g = step, h = step;
  for (int round = 0; round < rounds; ++round) {
    a = _mm256_max_epi32(_mm256_add_epi32(a, step), step);
    b = _mm256_max_epi32(_mm256_add_epi32(b, step), step);
    c = _mm256_max_epi32(_mm256_add_epi32(c, step), step);
    d = _mm256_max_epi32(_mm256_add_epi32(d, step), step);
    e = _mm256_max_epi32(_mm256_add_epi32(e, step), step);
    f = _mm256_max_epi32(_mm256_add_epi32(f, step), step);
    g = _mm256_max_epi32(_mm256_add_epi32(g, step), step);
    h = _mm256_max_epi32(_mm256_add_epi32(h, step), step);
    asm("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h));
  }
  const __m256i sums = _mm256_add_epi32(_mm256_add_epi32(_mm256_add_epi32(a, b), _mm256_add_epi32(c, d)),
                                        _mm256_add_epi32(_mm256_add_epi32(e, f), _mm256_add_epi32(g, h)));
  return _mm256_extract_epi32(sums, 0);
}

__attribute__((target("sse2"))) std::int32_t spin_sse2() {
  // SSE2 has no maximum of 32-bit integers: an `and` in its place.
  const __m128i step = _mm_set1_epi32(1);
  __m128i a = step, b = step, c = step, d = step, e = step, f = step, g = step, h = step;
  for (int round = 0; round < rounds; ++round) {
    a = _mm_and_si128(_mm_add_epi32(a, step), step);
    b = _mm_and_si128(_mm_add_epi32(b, step), step);
    c = _mm_and_si128(_mm_add_epi32(c, step), step);
    d = _mm_and_si128(_mm_add_epi32(d, step), step);
    e = _mm_and_si128(_mm_add_epi32(e, step), step);
    f = _mm_and_si128(_mm_add_epi32(f, step), step);
    g = _mm_and_si128(_mm_add_epi32(g, step), step);
    h = _mm_and_si128(_mm_add_epi32(h, step), step);
    asm("" : "+x"(a), "+x"(b), "+x"(c), "+x"(d), "+x"(e), "+x"(f), "+x"(g), "+x"(h));
  }
  const __m128i sums = _mm_add_epi32(_mm_add_epi32(_mm_add_epi32(a, b), _mm_add_epi32(c, d)),
                                     _mm_add_epi32(_mm_add_epi32(e, f), _mm_add_epi32(g, h)));
  return _mm_cvtsi128_si32(sums);
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

/// Operations a second of all threads, if a step of a chain is `operations` on each of the lanes.
template <class Spin>
double lane_rate(int lanes, int operations, int threads, const Spin& spin) {
  std::vector<decltype(spin())> sinks(static_cast<std::size_t>(threads));
  const double seconds =
      time_on_threads(threads, [&](int thread) { sinks[static_cast<std::size_t>(thread)] = spin(); });
  return static_cast<double>(operations) * lanes * chains * rounds * threads / seconds;
}

double operation_rate(InstructionSet set, int threads) {
  if (set == InstructionSet::avx512) return lane_rate(16, 2, threads, spin_avx512);
  if (set == InstructionSet::avx2) return lane_rate(8, 2, threads, spin_avx2);
  return lane_rate(4, 2, threads, spin_sse2);
}

double multiply_add_rate(InstructionSet set, int threads) {
  if (set == InstructionSet::avx512) return lane_rate(16, 1, threads, multiply_avx512);
  if (set == InstructionSet::avx2 && __builtin_cpu_supports("fma")) return lane_rate(8, 1, threads, multiply_avx2);
  return 0;
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

CpuRates measured(InstructionSet set, int threads) {
  // Beyond a few threads memory gives no more, and the copies would take long.
  const int copiers = std::min(threads, 8);
  return {operation_rate(set, threads), multiply_add_rate(set, threads), copy_rate(copiers)};
}

/// The three rates, with commas between; nullopt if the text says something else.
std::optional<CpuRates> rates_in(const std::string& text) {
  CpuRates rates;
  const char* at = text.c_str();
  for (double* rate :
       {&rates.operations_per_second, &rates.multiply_adds_per_second, &rates.memory_bytes_per_second}) {
    char* end = nullptr;
    *rate = std::strtod(at, &end);
    const bool last = rate == &rates.memory_bytes_per_second;
    const bool may_be_zero = rate == &rates.multiply_adds_per_second;
    if (end == at || !std::isfinite(*rate) || *rate < 0 || (*rate == 0 && !may_be_zero) ||
        *end != (last ? '\0' : ',')) {
      return std::nullopt;
    }
    at = end + 1;
  }
  return rates;
}

CpuRates stated(const std::string& text) {
  if (const auto rates = rates_in(text)) return *rates;
  throw DeviceError("TERRACE_CPU_RATES", "\"" + text +
                                             "\" states no rates: say operations, multiply-adds and bytes a "
                                             "second, as in 1e11,8e10,2e10, or unset it to have them measured");
}

/// The file that keeps the rates of this processor for so many threads; empty: no folder is known.
std::filesystem::path file_of_rates(InstructionSet set, int threads) {
  const std::filesystem::path folder = cache_folder();
  if (folder.empty()) return folder;
  return folder / "cpu" /
         cache_name(cpu_model_name() + " " + std::string(name_of(set)) + " " + std::to_string(threads));
}

/// The rates that an earlier process has kept; nullopt: none has.
std::optional<CpuRates> kept(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::string text;
  if (path.empty() || !std::getline(file, text)) return std::nullopt;
  return rates_in(text);
}

/// Keeps rates. A machine where that is not possible measures at each start.
void keep(const std::filesystem::path& path, const CpuRates& rates) {
  if (path.empty()) return;
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  // A reader finds the old file or the new one.
  const std::filesystem::path made = path.string() + "." + std::to_string(getpid()) + ".new";
  std::ofstream file(made);
  file << rates.operations_per_second << "," << rates.multiply_adds_per_second << "," << rates.memory_bytes_per_second
       << "\n";
  file.close();
  if (file) std::filesystem::rename(made, path, failed);
  if (!file || failed) std::filesystem::remove(made, failed);
}

/// The rates, found once in a process for that many threads: a batch plans thousands of tasks.
CpuRates found_once(InstructionSet set, int threads) {
  static std::mutex mutex;
  static std::map<std::pair<InstructionSet, int>, CpuRates> known;
  const std::lock_guard lock(mutex);
  const auto at = known.find({set, threads});
  if (at != known.end()) return at->second;
  const std::filesystem::path path = file_of_rates(set, threads);
  std::optional<CpuRates> rates = kept(path);
  if (!rates) keep(path, *(rates = measured(set, threads)));
  return known[{set, threads}] = *rates;
}

}  // namespace

CpuRates cpu_rates(InstructionSet set, int threads) {
  const char* text = std::getenv("TERRACE_CPU_RATES");
  return text != nullptr ? stated(text) : found_once(set, threads);
}

std::filesystem::path measure_cpu(InstructionSet set, int threads) {
  const std::filesystem::path path = file_of_rates(set, threads);
  keep(path, measured(set, threads));
  return path;
}

}  // namespace terrace::device
