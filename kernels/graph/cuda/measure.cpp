#include "kernels/graph/measure.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/device/cuda_context.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/graph/cuda/launches.hpp"

namespace terrace::graph {
namespace {

constexpr i64 columns = 4096, row_bytes = columns * 4;
/// Bytes that a launch reads and writes: the least, and the most.
constexpr i64 least_bytes = 2 * row_bytes, most_bytes = i64{1} << 29;
/// A longer launch is the last one: larger ones take as many times longer as they have more bytes.
constexpr double most_seconds = 5e-3;
/// A size is in the cache if its bytes take at most so many times as long as those of half the size.
constexpr double slower = 1.1;

class Measuring {
 public:
  explicit Measuring(device::Context& context)
      : context_(context),
        copy_(SlabLaunches<float>::keep(ElementType::f32)),
        memory_(context, memory_bytes(context)),
        state_(context, sizeof(GraphState)) {
    const device::Memory usable(context, sizeof(GraphState), device::In::host);
    std::memset(usable.data(), 0xFF, sizeof(GraphState));
    context.copy(device::Queue::up, state_.data(), usable.data(), sizeof(GraphState));
    context.record(device::Queue::up)->wait();
  }

  TimeTable table() {
    TimeTable made;
    double cached = 0, uncached = 0;
    for (i64 bytes = least_bytes; bytes <= most_bytes && 4 * bytes <= all_bytes(); bytes *= 2) {
      if (uncached > most_seconds) break;
      const double in_cache = seconds(bytes, bytes), from_memory = seconds(bytes, all_bytes());
      if (made.points.empty()) made.launch_seconds = in_cache;
      // Times rise with the bytes, and what is in the cache takes no longer.
      cached = std::max(cached, in_cache - made.launch_seconds);
      uncached = std::max({uncached, cached, from_memory - made.launch_seconds});
      made.points.push_back({static_cast<double>(bytes), cached, uncached});
    }
    made.cache_bytes = cache_bytes(made.points);
    return made;
  }

 private:
  static std::size_t memory_bytes(const device::Context& context) {
    constexpr std::size_t most = std::size_t{2} << 30, least = 8 * least_bytes;
    return std::clamp(context.limits().free_bytes / 4 / least * least, least, most);
  }
  i64 all_bytes() const { return static_cast<i64>(memory_.bytes()); }

  /// The largest size, to an eighth, that is in the cache.
  double cache_bytes(const std::vector<TimePoint>& points) {
    for (std::size_t n = points.size(); n-- > 1;) {
      const TimePoint &half = points[n - 1], &own = points[n];
      const double limit = slower * half.in_cache / half.bytes;
      if (own.in_cache / own.bytes > limit || own.in_cache * slower > own.from_memory) continue;
      const auto bytes = static_cast<i64>(own.bytes);
      for (i64 eighths = 15; eighths > 8; --eighths) {
        const i64 tried = bytes / 8 * eighths;
        if (tried > all_bytes()) continue;
        if (seconds(tried, tried) / static_cast<double>(tried) <= slower * own.in_cache / own.bytes)
          return static_cast<double>(tried);
      }
      return own.bytes;
    }
    return 0;
  }

  /// Seconds of a launch that copies half of so many bytes into the other half. Launches move on through memory of so
  /// many bytes, again and again.
  double seconds(i64 bytes, i64 through) {
    constexpr int launches = 32;
    const i64 rows = bytes / 2 / row_bytes, places = through / bytes;
    const auto run = [&](int count) {
      context_.submit([&, count] {
        for (int n = 0; n < count; ++n) launch(n % places * 2 * rows, rows);
      });
    };
    run(launches / 4);
    const auto begin = context_.record(device::Queue::compute);
    run(launches);
    const auto end = context_.record(device::Queue::compute);
    end->wait();
    return end->seconds_since(*begin) / launches;
  }
  void launch(i64 first, i64 rows) {
    Work work{};
    work.state = state_.as<GraphState>();
    work.rows = {first, first + rows};
    work.columns = columns;
    work.operands[0] = {memory_.data(), 0, columns};
    work.made = {memory_.data(), -rows, columns};
    copy_(work, device::compute_stream(context_));
  }

  device::Context& context_;
  Launch copy_;
  device::Memory memory_, state_;
};

}  // namespace

TimeTable measure_times(device::Context& context) { return Measuring(context).table(); }

}  // namespace terrace::graph
