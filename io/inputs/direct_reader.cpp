#include "io/inputs/direct_reader.hpp"

#include <condition_variable>
#include <cstdlib>
#include <new>

#include "io/inputs/spans.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

// A request of its own costs about as much as reading this many bytes along.
constexpr SpanLimits limits{std::int64_t{1} << 20, std::int64_t{1} << 14};
constexpr int most_in_flight = 2 * StxxlLanes::count;

std::int64_t round_down(std::int64_t byte) { return byte / direct_alignment * direct_alignment; }
std::int64_t round_up(std::int64_t byte) { return round_down(byte + direct_alignment - 1); }

struct Release {
  void operator()(void* memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<void, Release>;

Buffer make_buffer() {
  const auto bytes = static_cast<std::size_t>(limits.bytes + 2 * direct_alignment);
  Buffer buffer(std::aligned_alloc(static_cast<std::size_t>(direct_alignment), bytes));
  if (!buffer) throw std::bad_alloc();
  return buffer;
}

/// The requests of one read: a limited number in flight, their buffers used again, the first failure kept.
class Window {
 public:
  ~Window() { drain(); }

  /// Waits for a place. @return a buffer to use
  Buffer enter() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return in_flight_ < most_in_flight; });
    ++in_flight_;
    if (free_.empty()) return nullptr;
    Buffer buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }

  void leave(Buffer buffer, const std::string& failure) {
    const std::lock_guard lock(mutex_);
    if (buffer) free_.push_back(std::move(buffer));
    if (failure_.empty()) failure_ = failure;
    --in_flight_;
    // Notify under the lock: the window may be destroyed as soon as the lock is released.
    ended_.notify_all();
  }

  std::string drain() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [this] { return in_flight_ == 0; });
    return failure_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  int in_flight_ = 0;
  std::vector<Buffer> free_;
  std::string failure_;
};

bool aligned(const Span& span, const void* buffer) {
  const auto address = reinterpret_cast<std::uintptr_t>(buffer);
  return span.parts.size() == 1 && span.begin % direct_alignment == 0 && span.end % direct_alignment == 0 &&
         address % static_cast<std::uintptr_t>(direct_alignment) == 0;
}

void read_through_cache(const InputFile& file, const Span& span, void* target) {
  std::vector<char> bytes(static_cast<std::size_t>(span.end - span.begin));
  file.read(span.begin, span.end - span.begin, bytes.data());
  scatter(span, bytes.data(), span.begin, target);
}

void request(StxxlLanes& lanes, Window& window, const Span& span, void* target) {
  char* const first = static_cast<char*>(target) + span.parts[0].target;
  Buffer free_buffer = window.enter();
  if (aligned(span, first)) {
    auto* unused = free_buffer.release();
    lanes.read(span.begin, first, span.end - span.begin,
               [&window, unused](const std::string& failure) { window.leave(Buffer(unused), failure); });
    return;
  }
  try {
    if (!free_buffer) free_buffer = make_buffer();
    const std::int64_t begin = round_down(span.begin);
    void* bytes = free_buffer.get();
    lanes.read(begin, bytes, round_up(span.end) - begin,
               [&window, bytes, begin, span, target](const std::string& failure) {
                 if (failure.empty()) scatter(span, bytes, begin, target);
                 window.leave(Buffer(bytes), failure);
               });
    static_cast<void>(free_buffer.release());
  } catch (...) {
    window.leave(nullptr, "");
    throw;
  }
}

}  // namespace

void DirectReader::read(const Extents& shape, std::int64_t origin, const Box& box, std::int64_t element_size,
                        void* buffer) {
  const std::int64_t direct_end = round_down(file_.size());
  Window window;
  for_each_span(shape, origin, box, element_size, limits, [&](const Span& span) {
    if (round_up(span.end) > direct_end) read_through_cache(file_, span, buffer);
    else request(lanes_, window, span, buffer);
  });
  const std::string failure = window.drain();
  if (!failure.empty())
    throw IoError(file_.path().string(), "the box " + to_string(box) + " cannot be read: " + failure);
}

}  // namespace terrace::io
