// Memory of one location under a budget: buffers of few sizes, used again and again.
#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <map>
#include <vector>

namespace terrace::run {

/// The way in which a pool allocates buffers.
enum class Growth {
  at_once,  // during the call that asks for one
  beside    // on other threads, two at a time: to pin large buffers takes long
};

/// Hands out buffers. A returned buffer is kept for the next request of its size; if the budget does not allow a new
/// buffer, kept buffers of other sizes are released first.
class Pool {
 public:
  using Allocate = std::function<void*(std::size_t)>;
  using Release = std::function<void(void*, std::size_t)>;

  /// @param budget bytes, of all buffers together, kept ones included
  /// @param growth beside: `allocate` may be called on several threads, also during `release`
  Pool(std::size_t budget, Allocate allocate, Release release, Growth growth = Growth::at_once);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  /// A buffer, or null if the budget allows none (while frozen: if none of that size is kept), or none is ready yet:
  /// see `growing`.
  std::byte* take(std::size_t bytes);
  void give(std::byte* buffer, std::size_t bytes);
  /// Allocates one more buffer if there are fewer than `count` of that size and the budget allows it. @return true
  /// if it did
  bool prepare(std::size_t bytes, std::size_t count);
  /// True while another thread allocates a buffer; afterwards `take` may give it.
  bool growing() const { return !grown_.empty(); }
  /// Takes over buffers that other threads have allocated. @return true if there were any @throws as `allocate`
  bool collect();
  /// Buffers of that size that are not kept for the next request.
  std::size_t in_use(std::size_t bytes) const;
  /// Releases kept buffers.
  void trim();

  /// While frozen, the pool allocates and releases no memory, but hands out kept buffers. Freezes are counted: it
  /// stays frozen until each freeze() has had its thaw().
  void freeze();
  void thaw();
  void thaw_all();
  bool frozen() const { return frozen_ > 0; }
  /// True if a `take` found nothing because the pool is frozen: it may find room after a thaw.
  bool starved_by_freeze() const { return starved_; }

  /// True if a buffer of that size is kept for `take`.
  bool keeps(std::size_t bytes) const;
  /// True if `take` would give a buffer of that size.
  bool available(std::size_t bytes) const;
  /// True if it would when the pool is not frozen.
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
