// Keeps writes through the page cache and past it apart.
#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

namespace terrace::io {

/// A direct write drops the cached pages of its range, and fails at the next sync (EIO) when one of them is dirty by
/// then. The kernel drops whole folios, of up to 2 MiB: so it also meets neighbouring pages that a write through the
/// cache has just made dirty. The gate lets writes of the two kinds into the same aligned 2 MiB of a file only one
/// after the other, in the order in which they came; writes of one kind pass together.
class WriteGate {
 public:
  enum class Kind { direct, buffered };
  using Ticket = std::uint64_t;

  /// Calls `start(ticket)` at once or, on the thread that leaves, once nothing stands in the way. Bytes are [begin,
  /// end).
  void enter(Kind kind, std::int64_t begin, std::int64_t end, std::function<void(Ticket)> start);
  /// Ends the write of that ticket.
  void leave(Ticket ticket);

 private:
  struct Entry {
    Ticket ticket;
    Kind kind;
    std::int64_t first, last;  // 2 MiB pieces, both included
    std::function<void(Ticket)> start;
    bool started;
  };
  bool may_start(std::list<Entry>::const_iterator entry) const;

  std::mutex mutex_;
  std::list<Entry> entries_;  // in the order in which they came
  Ticket next_ticket_ = 0;
};

}  // namespace terrace::io
