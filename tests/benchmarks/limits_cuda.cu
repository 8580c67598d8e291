// Ceilings of the first CUDA device by its own clock: those of kernels/device/cuda_limits.cpp, which plans, `terrace
// show` and RESULTS.md compare rates with, have the same names. The column "derived" is what clocks and widths
// promise if they do; the fraction is of it. What each kernel computed is checked.
//
//   benchmark_limits_cuda [MEBIBYTES]     of each of two buffers in device memory (2048)
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/memory.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/benchmarks/limits_memory.cuh"
#include "tests/benchmarks/limits_operations.cuh"

namespace terrace::limits {
namespace {

namespace ceilings = device::ceilings;

using device::In;
using device::Memory;

constexpr int turns = 5, block = 256, memory_block = 512;

int attribute(cudaDeviceAttr which) {
  int value = 0;
  TERRACE_CUDA_CHECK(cudaDeviceGetAttribute(&value, which, 0));
  return value;
}

int processors() { return attribute(cudaDevAttrMultiProcessorCount); }

/// The highest clock of multiprocessors, a second.
double clock_rate() { return 1e3 * attribute(cudaDevAttrClockRate); }

/// @param derived in the same unit; 0: nothing is known
void print(const std::string& name, double value, const std::string& unit, double derived, bool right) {
  std::printf("%-60s %10.4g %-5s", name.c_str(), value, unit.c_str());
  if (derived > 0) std::printf(" %9.4g %5.0f%%", derived, 100 * value / derived);
  else std::printf(" %9s %6s", "-", "-");
  std::printf("  %s\n", right ? "right" : "WRONG");
  std::fflush(stdout);
}

class Events {
 public:
  Events() {
    for (cudaEvent_t* event : {&begin_, &end_}) TERRACE_CUDA_CHECK(cudaEventCreate(event));
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  /// Seconds of what `work` puts into the default stream.
  template <class Work>
  double seconds(const Work& work) const {
    TERRACE_CUDA_CHECK(cudaEventRecord(begin_));
    work();
    TERRACE_CUDA_CHECK(cudaGetLastError());
    TERRACE_CUDA_CHECK(cudaEventRecord(end_));
    TERRACE_CUDA_CHECK(cudaEventSynchronize(end_));
    float milliseconds = 0;
    TERRACE_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return 1e-3 * milliseconds;
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

/// The least seconds of several turns, after one more that is not counted.
template <class Work>
double best_seconds(const Work& work) {
  const Events events;
  double seconds = events.seconds(work);
  for (int turn = 0; turn < turns; ++turn) {
    const double taken = events.seconds(work);
    seconds = turn == 0 ? taken : std::min(seconds, taken);
  }
  return seconds;
}

/// Rounds of `work` (a function of them) that take some 4 ms.
template <class Work>
int rounds_of(const Work& work) {
  constexpr int few = 32;
  const Events events;
  events.seconds([&] { work(few); });
  const double seconds = events.seconds([&] { work(few); });
  return static_cast<int>(std::clamp(few * 4e-3 / seconds, 1.0, 1e5));
}

template <class T>
std::vector<T> copied(const Memory& memory, std::size_t count) {
  std::vector<T> host(count);
  TERRACE_CUDA_CHECK(cudaMemcpy(host.data(), memory.data(), count * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

/// Thread blocks of a kernel that are resident at once, on all multiprocessors.
template <class Kernel>
int resident_blocks(Kernel* kernel, int threads) {
  int blocks = 0;
  TERRACE_CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
  return std::max(1, blocks) * processors();
}

/// Operations or bytes a second that all multiprocessors start at the highest clock; 0 if not known.
double derived_rate(std::string_view name) { return device::operations_a_clock(name) * processors() * clock_rate(); }

template <class Operation>
void report_operation(device::Context& context) {
  using Value = typename Operation::Value;
  // Values of whole numbers stay as they are; the compiler does not know that.
  const Value a = std::is_floating_point_v<Value> ? static_cast<Value>(0.99999) : Value{0};
  const Value b = std::is_floating_point_v<Value> ? static_cast<Value>(0.001) : Value{0};
  const int blocks = resident_blocks(apply_kernel<Operation>, block);
  const Memory out(context, static_cast<std::size_t>(blocks) * block * values * sizeof(Value));
  const auto work = [&](int rounds) { apply_kernel<Operation><<<blocks, block>>>(out.as<Value>(), rounds, a, b); };
  const int rounds = rounds_of(work);
  const double seconds = best_seconds([&] { work(rounds); });
  // The last thread's values.
  const u32 thread = static_cast<u32>(blocks) * block - 1;
  Value x[values];
  for (int i = 0; i < values; ++i) x[i] = first_value<Value>(thread, i);
  for (int round = 0; round < rounds * unrolled; ++round) apply_round<Operation>(x, a, b);
  const std::vector<Value> all = copied<Value>(out, (std::size_t{thread} + 1) * values);
  const bool right = std::equal(x, x + values, all.end() - values);
  const double applied = 1.0 * blocks * block * rounds * unrolled * values;
  print(Operation::name, 1e-12 * applied * Operation::operations / seconds, "T/s",
        1e-12 * derived_rate(Operation::name), right);
}

template <class... Operations>
void report_operations(device::Context& context) {
  (report_operation<Operations>(context), ...);
}

void report_shuffles(device::Context& context) {
  const int blocks = resident_blocks(shuffle_kernel, block);
  const std::size_t threads = static_cast<std::size_t>(blocks) * block;
  const Memory out(context, threads * values * sizeof(u32));
  const auto work = [&](int rounds) { shuffle_kernel<<<blocks, block>>>(out.as<u32>(), rounds); };
  const int rounds = rounds_of(work);
  const double seconds = best_seconds([&] { work(rounds); });
  // Each value was exchanged an even number of times.
  const bool right =
      copied<u32>(out, threads * values).back() == first_value<u32>(static_cast<u32>(threads) - 1, values - 1);
  print(ceilings::shuffle, 1e-12 * static_cast<double>(threads) * rounds * unrolled * values / seconds, "T/s",
        1e-12 * derived_rate(ceilings::shuffle), right);
}

template <class Product>
void report_product(device::Context& context, typename Product::Factor left, typename Product::Factor right) {
  using Value = typename Product::Value;
  constexpr int sums = 2 * values;
  const int blocks = resident_blocks(multiply_kernel<Product>, block);
  const std::size_t threads = static_cast<std::size_t>(blocks) * block;
  const Memory out(context, threads * sums * sizeof(Value));
  const auto work = [&](int rounds) {
    multiply_kernel<Product><<<blocks, block>>>(out.as<Value>(), rounds, left, right);
  };
  const int rounds = rounds_of(work);
  const double seconds = best_seconds([&] { work(rounds); });
  const std::vector<Value> all = copied<Value>(out, threads * sums);
  bool same = true;
  for (int i = 0; i < sums; ++i) {
    const Value expected = first_sum<Product>(static_cast<u32>(threads) - 1, i) +
                           static_cast<Value>(rounds) * unrolled * Product::added(left, right);
    same = same && all[(threads - 1) * sums + static_cast<std::size_t>(i)] == expected;
  }
  const double products = static_cast<double>(threads) / 32 * rounds * unrolled * (values / 2);
  print(Product::name, 1e-12 * products * Product::operations / seconds, "T/s", 1e-12 * derived_rate(Product::name),
        same);
}

/// The sum of indices and ones of that many pairs.
u64 sum_of_pairs(i64 count) {
  const u64 pairs = static_cast<u64>(count);
  return (pairs % 2 == 0 ? pairs / 2 * (pairs - 1) : (pairs - 1) / 2 * pairs) + pairs;
}

/// Bytes a second that reading `count` pairs `passes` times makes, and if their sums are right.
std::pair<double, bool> read_rate(device::Context& context, const Memory& pairs, i64 count, int passes) {
  const int blocks = resident_blocks(read_kernel, memory_block);
  const std::size_t threads = static_cast<std::size_t>(blocks) * memory_block;
  const Memory sums(context, threads * sizeof(u64));
  const double seconds =
      best_seconds([&] { read_kernel<<<blocks, memory_block>>>(pairs.as<Pair>(), count, passes, sums.as<u64>()); });
  const std::vector<u64> all = copied<u64>(sums, threads);
  const bool right =
      std::accumulate(all.begin(), all.end(), u64{0}) == static_cast<u64>(passes) * sum_of_pairs(count);
  return {1.0 * sizeof(Pair) * static_cast<double>(count) * passes / seconds, right};
}

/// @param pairs, others that many bytes each
void report_memory(device::Context& context, const Memory& pairs, const Memory& others) {
  const i64 count = static_cast<i64>(pairs.bytes() / sizeof(Pair));
  const double bytes = static_cast<double>(pairs.bytes());
  const double derived = 2e3 * attribute(cudaDevAttrMemoryClockRate) *
                         (attribute(cudaDevAttrGlobalMemoryBusWidth) / 8.0);  // two transfers a clock
  const int blocks = resident_blocks(write_kernel, memory_block);
  const double writing = best_seconds([&] { write_kernel<<<blocks, memory_block>>>(pairs.as<Pair>(), count, 1); });
  const auto [reading, right] = read_rate(context, pairs, count, 1);
  print(ceilings::memory_read, 1e-12 * reading, "TB/s", 1e-12 * derived, right);
  print(ceilings::memory_write, 1e-12 * bytes / writing, "TB/s", 1e-12 * derived, right);
  const double copying = best_seconds([&] {
    TERRACE_CUDA_CHECK(cudaMemcpyAsync(others.data(), pairs.data(), pairs.bytes(), cudaMemcpyDeviceToDevice));
  });
  const bool same = read_rate(context, others, count, 1).second;
  print(ceilings::memory_copy, 1e-12 * 2 * bytes / copying, "TB/s", 1e-12 * derived, same);
}

/// The same in L2: 20 MiB that are read, or a third of it; half of that is copied.
void report_l2(device::Context& context, const Memory& pairs, const Memory& others) {
  constexpr int passes = 64;
  const std::size_t most = static_cast<std::size_t>(attribute(cudaDevAttrL2CacheSize)) / 3;
  const std::size_t bytes = std::min({std::size_t{20} << 20, most, pairs.bytes()});
  const i64 count = static_cast<i64>(bytes / sizeof(Pair));
  const auto [reading, right] = read_rate(context, pairs, count, passes);
  print(ceilings::l2_read, 1e-12 * reading, "TB/s", 0, right);
  TERRACE_CUDA_CHECK(cudaMemset(others.data(), 0, bytes));
  const int blocks = resident_blocks(copy_kernel, memory_block);
  const double seconds = best_seconds(
      [&] { copy_kernel<<<blocks, memory_block>>>(others.as<Pair>(), pairs.as<Pair>(), count / 2, passes); });
  const bool same = read_rate(context, others, count / 2, 1).second;
  print(ceilings::l2_copy, 1e-12 * 2 * sizeof(Pair) * static_cast<double>(count / 2) * passes / seconds, "TB/s", 0,
        same);
}

void report_shared_memory(device::Context& context) {
  const int blocks = resident_blocks(read_shared_kernel, memory_block);
  const std::size_t threads = static_cast<std::size_t>(blocks) * memory_block;
  const Memory out(context, threads * sizeof(u32));
  const auto work = [&](int rounds) { read_shared_kernel<<<blocks, memory_block>>>(out.as<u32>(), rounds); };
  const int rounds = rounds_of(work);
  const double seconds = best_seconds([&] { work(rounds); });
  u32 expected = 0;
  for (u32 turn = 0; turn < static_cast<u32>(rounds) * (shared_reads / 2); ++turn) {
    const u32 at = shared_place(memory_block - 1, turn);
    for (u32 part = 0; part < 4; ++part) {
      expected ^= shared_part(at, part) ^ shared_part(at + shared_words / 2, part);
    }
  }
  const bool right = copied<u32>(out, threads).back() == expected;
  print(ceilings::shared_read, 1e-12 * 16 * static_cast<double>(threads) * rounds * shared_reads / seconds, "TB/s",
        1e-12 * derived_rate(ceilings::shared_read), right);
}

/// Copies between pinned host memory and the device.
void report_link(device::Context& context, const Memory& pairs, const Memory& others) {
  const std::size_t bytes = std::min(std::size_t{256} << 20, pairs.bytes());
  const Memory up(context, bytes, In::host), down(context, bytes, In::host);
  std::memset(up.data(), 7, bytes);
  std::memset(down.data(), 9, bytes);
  const auto gigabytes = [&](double seconds) { return 1e-9 * static_cast<double>(bytes) / seconds; };
  const auto send = [&](cudaStream_t stream) {
    TERRACE_CUDA_CHECK(cudaMemcpyAsync(others.data(), up.data(), bytes, cudaMemcpyHostToDevice, stream));
  };
  const auto receive = [&](const Memory& from, cudaStream_t stream) {
    TERRACE_CUDA_CHECK(cudaMemcpyAsync(down.data(), from.data(), bytes, cudaMemcpyDeviceToHost, stream));
  };
  const double sending = best_seconds([&] { send(nullptr); });
  const double receiving = best_seconds([&] { receive(others, nullptr); });
  const bool right = std::memcmp(up.data(), down.data(), bytes) == 0;
  print(ceilings::link_up, gigabytes(sending), "GB/s", 0, right);
  print(ceilings::link_down, gigabytes(receiving), "GB/s", 0, right);
  cudaStream_t other = nullptr;  // works beside the default stream only as a stream that does not block
  TERRACE_CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  cudaEvent_t event = nullptr;
  TERRACE_CUDA_CHECK(cudaEventCreate(&event));
  const double both = best_seconds([&] {
    TERRACE_CUDA_CHECK(cudaEventRecord(event));
    TERRACE_CUDA_CHECK(cudaStreamWaitEvent(other, event));
    send(nullptr);
    receive(pairs, other);
    TERRACE_CUDA_CHECK(cudaEventRecord(event, other));
    TERRACE_CUDA_CHECK(cudaStreamWaitEvent(nullptr, event));
  });
  TERRACE_CUDA_CHECK(cudaEventDestroy(event));
  TERRACE_CUDA_CHECK(cudaStreamDestroy(other));
  const bool same = static_cast<const Pair*>(down.data())[bytes / sizeof(Pair) - 1].index == bytes / sizeof(Pair) - 1;
  print(ceilings::link_both, 2 * gigabytes(both), "GB/s", 0, same);
}

/// A ring of `length` words at random multiples of 128 bytes among the first `bytes`; it begins at word 0.
void make_ring(device::Context& context, const Memory& memory, std::size_t bytes, std::size_t length) {
  constexpr std::size_t apart = 128 / sizeof(u64);
  std::vector<u64> places(bytes / 128);
  std::iota(places.begin(), places.end(), u64{0});
  std::shuffle(places.begin() + 1, places.end(), std::mt19937_64(1));
  places.resize(length);
  for (u64& place : places) place *= apart;
  const Memory list(context, length * sizeof(u64));
  TERRACE_CUDA_CHECK(cudaMemcpy(list.data(), places.data(), length * sizeof(u64), cudaMemcpyHostToDevice));
  link_kernel<<<static_cast<unsigned>((length + 255) / 256), 256>>>(memory.as<u64>(), list.as<u64>(),
                                                                    static_cast<i64>(length));
  TERRACE_CUDA_CHECK(cudaGetLastError());
  TERRACE_CUDA_CHECK(cudaDeviceSynchronize());
}

/// The least clocks a step of several walks. @param walk launches one: of (Walked*, steps)
template <class Walk>
void report_walk(device::Context& context, const std::string& name, int steps, u64 end, const Walk& walk,
                 int untimed = 1) {
  const Memory out(context, sizeof(Walked));
  Walked least{};
  bool right = true;
  for (int turn = -untimed; turn < 3; ++turn) {
    walk(out.as<Walked>(), steps);
    TERRACE_CUDA_CHECK(cudaGetLastError());
    const Walked walked = copied<Walked>(out, 1)[0];
    right = right && walked.end == end;
    if (turn <= 0 || walked.nanoseconds < least.nanoseconds) least = walked;
  }
  char clocks[64];
  std::snprintf(clocks, sizeof clocks, ", %.1f clocks", static_cast<double>(least.clocks) / steps);
  print(name + clocks, static_cast<double>(least.nanoseconds) / steps, "ns", 0, right);
}

template <class Step>
void report_numbers(device::Context& context, const std::string& name, typename Step::Value a, typename Step::Value b,
                    u64 end) {
  report_walk(context, name, 1 << 18, end,
              [&](Walked* out, int steps) { walk_numbers_kernel<Step><<<1, 32>>>(out, steps, a, b); });
}

void report_latencies(device::Context& context, const Memory& memory) {
  report_numbers<MultiplyAddStep>(context, "f32 multiply-add, one after another", 0.5f, 4, 8);
  report_numbers<MultiplyAddF64Step>(context, "f64 multiply-add, one after another", 0.5, 4, 8);
  report_numbers<AddMaximumStep>(context, "i32 add-maximum, one after another", 1, 0, (1 << 18) + 1);
  report_numbers<ShuffleStep>(context, "shuffle, one after another", 5, 0, 5);
  constexpr int shared_steps = (1 << 18) + 16;
  report_walk(context, "shared memory, one after another", shared_steps, shared_steps * 33 % 1024 * 4,
              [](Walked* out, int steps) { walk_shared_kernel<<<1, 1>>>(out, steps); });
  const u64 first = reinterpret_cast<u64>(memory.data());
  const auto walk = [&](Walked* out, int steps) { walk_memory_kernel<<<1, 1>>>(out, memory.as<u64>(), steps); };
  constexpr std::size_t lines = 16384;  // 2 MiB
  make_ring(context, memory, lines * 128, lines);
  report_walk(context, "L2, one after another", lines, first, walk);
  const std::size_t wide = std::min(memory.bytes(), std::size_t{1} << 30);
  const std::size_t far = std::min(lines, wide / 128);
  // Each turn brings the ring into L2: what lies between turns drives it out.
  make_ring(context, memory, wide, far);
  report_walk(context, "device memory, one after another", static_cast<int>(far), first, [&](Walked* out, int steps) {
    const std::size_t rest = memory.bytes() - wide;
    TERRACE_CUDA_CHECK(cudaMemsetAsync(memory.as<char>() + wide, 0, rest));
    walk(out, steps);
  });
}

void report_host_words(device::Context& context) {
  const Memory word(context, 4096, In::host);
  const u64 address = reinterpret_cast<u64>(word.data());
  *word.as<u64>() = address;
  report_walk(context, "word of the host, one after another", 1024, address,
              [&](Walked* out, int steps) { walk_host_kernel<<<1, 1>>>(out, word.as<u64>(), steps); });
  const int blocks = processors(), steps = 64;
  const Memory out(context, static_cast<std::size_t>(blocks) * sizeof(Walked));
  const double seconds =
      best_seconds([&] { walk_host_kernel<<<blocks, 1>>>(out.as<Walked>(), word.as<u64>(), steps); });
  print("words of the host by all multiprocessors", 1e-6 * blocks * steps / seconds, "M/s", 0,
        copied<Walked>(out, static_cast<std::size_t>(blocks)).back().end == address);
}

void report_launches() {
  constexpr int launches = 2000;
  const double seconds = best_seconds([] {
    for (int n = 0; n < launches; ++n) empty_kernel<<<1, 32>>>();
  });
  print("launch of an empty kernel, back to back", 1e6 * seconds / launches, "us", 0, true);
  double least = 1;
  for (int n = 0; n < 200; ++n) {
    const auto begin = std::chrono::steady_clock::now();
    empty_kernel<<<1, 32>>>();
    TERRACE_CUDA_CHECK(cudaDeviceSynchronize());
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  print("the same, waited for by the host", 1e6 * least, "us", 0, true);
}

/// The clock of a multiprocessor after all of them have computed for a while.
void report_clock(device::Context& context) {
  const int blocks = resident_blocks(apply_kernel<F32MultiplyAdd>, block);
  const Memory out(context, static_cast<std::size_t>(blocks) * block * values * sizeof(float));
  const auto compute = [&] { apply_kernel<F32MultiplyAdd><<<blocks, block>>>(out.as<float>(), 20000, 0.5f, 1); };
  const Memory taken(context, sizeof(Walked));
  Walked walked{};
  for (int turn = 0; turn < 10; ++turn) {
    compute();
    walk_numbers_kernel<MultiplyAddStep><<<1, 32>>>(taken.as<Walked>(), 1 << 20, 0.5f, 4);
    TERRACE_CUDA_CHECK(cudaGetLastError());
    walked = copied<Walked>(taken, 1)[0];
  }
  print("clock of a multiprocessor", static_cast<double>(walked.clocks) / static_cast<double>(walked.nanoseconds),
        "GHz", 1e-9 * clock_rate(), walked.end == 8);
}

void report_all(device::Context& context, std::size_t mebibytes) {
  TERRACE_CUDA_CHECK(cudaSetDevice(0));
  if (device::cuda_unoptimised()) std::printf("Hardly optimised: what it measures are no ceilings.\n");
  std::printf("%-60s %10s %-5s %9s\n", "ceiling", "measured", "", "derived");
  report_clock(context);
  {
    const std::size_t bytes = std::min(mebibytes << 20, context.limits().free_bytes / 4) / 4096 * 4096;
    const Memory pairs(context, bytes), others(context, bytes);
    report_memory(context, pairs, others);
    report_l2(context, pairs, others);
    report_link(context, pairs, others);
    report_latencies(context, pairs);
  }
  report_shared_memory(context);
  report_operations<F32MultiplyAdd, F32Add, F32Minimum, F32AddMinimum, F32AddMinimumOfThree, F64MultiplyAdd, F64Add,
                    F64Minimum, I32Add, I32MultiplyAdd, I32Minimum, I32MaximumOfThree, I32AddMaximum, I16x2AddMaximum,
                    I16x2MaximumOfThree, I64Add, I64Minimum, Logic, BitCount>(context);
  report_shuffles(context);
  report_product<BitProduct>(context, 0x12345678u, 0x0F0F3355u);
  report_product<F64Product>(context, 1, 2);
  report_host_words(context);
  report_launches();
}

}  // namespace
}  // namespace terrace::limits

int main(int argc, char** argv) {
  const std::size_t mebibytes = argc > 1 ? static_cast<std::size_t>(std::max(64ll, std::atoll(argv[1]))) : 2048;
  return terrace::cuda_benchmark_main(
      [&](terrace::device::Context& context) { terrace::limits::report_all(context, mebibytes); });
}
