// Memory of one location under a budget: buffers of few sizes, used again and again.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <map>
#include <vector>

namespace terrace::run {

/// How a pool gets new buffers.
enum class Growth {
  at_once,  // while it is asked for one
  beside    // on other threads, two at a time: large ones that are pinned take long
};

/// Hands out buffers. A buffer that comes back is kept for the next request of its size; when the budget does not
/// allow a new one, kept buffers of other sizes are given up first.
class Pool {
 public:
  using Allocate = std::function<void*(std::size_t)>;
  using Release = std::function<void(void*, std::size_t)>;

  /// @param budget bytes, of all buffers together, kept ones included
  /// @param growth beside: `allocate` may be called on several threads, also while `release` is
  Pool(std::size_t budget, Allocate allocate, Release release, Growth growth = Growth::at_once);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// A buffer, or null when there is none within the budget (or none of that size while frozen), or not yet: see
  /// `growing`.
  std::byte* take(std::size_t bytes);
  void give(std::byte* buffer, std::size_t bytes);
  /// Allocates a buffer more where there are fewer than `count` of that size, as far as the budget goes; whether it
  /// did.
  bool prepare(std::size_t bytes, std::size_t count);
  /// Whether a buffer is being allocated beside; `take` may give it when that has ended.
  bool growing() const { return !grown_.empty(); }
  /// Takes in buffers that have been allocated beside; whether there were any. @throws what `allocate` throws
  bool collect();
  /// Buffers of that size that are not kept for the next request.
  std::size_t in_use(std::size_t bytes) const;
  /// Gives up kept buffers.
  void trim();

  /// While frozen nothing is allocated or released, only handed around. Counted: a pool is frozen as long as one of
  /// those who froze it has not thawed it.
  void freeze();
  void thaw();
  void thaw_all();
  bool frozen() const { return frozen_ > 0; }
  /// Whether a `take` since the pool was frozen gave nothing: it may find room once the pool is not.
  bool starved_by_freeze() const { return starved_; }

  /// Whether `take` would give a buffer of that size that was used before.
  bool keeps(std::size_t bytes) const;
  /// Whether `take` would give a buffer of that size.
  bool available(std::size_t bytes) const;
  /// Whether it would if the pool were not frozen.
  bool available_thawed(std::size_t bytes) const;

  std::size_t budget() const { return budget_; }
  std::size_t allocated() const { return allocated_; }
  std::size_t peak() const { return peak_; }

 private:
  std::byte* allocate(std::size_t bytes);
  std::byte* count_new(std::size_t bytes, void* buffer);
  void grow(std::size_t bytes);
  void take_in(std::size_t which);
  void end_growth();
  bool make_room(std::size_t bytes);

  std::size_t budget_;
  Allocate allocate_;
  Release release_;
  Growth growth_;
  struct Grown {
    std::future<void*> buffer;
    std::size_t bytes;
  };
  std::vector<Grown> grown_;
  std::size_t grown_bytes_ = 0;  // size of the last one
  std::map<std::size_t, std::vector<std::byte*>> kept_;
  std::map<std::size_t, std::size_t> count_;  // of all buffers, by size
  std::size_t allocated_ = 0;
  std::size_t in_use_ = 0;
  std::size_t peak_ = 0;
  int frozen_ = 0;  // times
  bool starved_ = false;
};

}  // namespace terrace::run
