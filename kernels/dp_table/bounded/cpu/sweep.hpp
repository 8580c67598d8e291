// The passes of a block over its elements in place, by threads on the CPU.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/dp_table/bounded/cpu/run.hpp"
#include "kernels/dp_table/bounded_table.hpp"

namespace terrace::dp_table {

/// Some passes that a segment takes before the next one begins.
struct PassGroup {
  std::size_t first, end;
  i64 reach;      // elements before a segment that its passes need
  bool is_alone;  // one pass that reads far: it runs in place, without a copy
};

/// The first count whose sum leaves the type, by its pass, then by its element.
struct FirstOverflow {
  i64 pass = -1, element = -1;

  void take(i64 other_pass, i64 other) {
    const bool is_first = pass < 0 || other_pass < pass || (other_pass == pass && other < element);
    if (other >= 0 && is_first) pass = other_pass, element = other;
  }
};

/// Segments of the elements from the last to the first take groups of passes. A thread copies a segment with the
/// elements before it that the group needs, takes the passes in the copy, where those before the segment become
/// wrong from the first one on, and writes the segment. It does so once the segments that it reads have taken all
/// groups before, and those that read it have copied it: tickets in that order are never in each other's way.
class PassSweep {
 public:
  /// @param below the elements before the block's, which become those after the passes, too
  PassSweep(const BoundedTable& table, const BoundedTask& task, std::byte* below, BoundedFunction function,
            int threads);

  i64 tickets() const { return static_cast<i64>(groups_.size()) * static_cast<i64>(segments_.size()); }
  /// Does the work of a ticket. @param copy memory of copy_bytes() bytes of the thread
  /// @param aborted() true if the thread must leave
  void work(i64 ticket, std::byte* copy, const std::function<bool()>& aborted);
  /// Elements of a segment of a block, at most. @param elements of the block and before it
  static i64 segment_length(i64 elements, i64 element_bytes, int threads);
  /// Bytes of a thread's copy of such segments.
  static std::size_t copy_bytes(i64 elements, i64 element_bytes, int threads);
  std::size_t copy_bytes() const;
  FirstOverflow overflow() const;

 private:
  struct Segment {
    i64 begin, end;
    std::atomic<i64> copied{0}, written{0};  // groups
    FirstOverflow overflow;
  };

  /// Memory of adjacent elements from `first` on.
  struct Memory {
    std::byte* data;
    i64 first;
  };

  void make_segments(int threads);
  void make_groups();
  bool may_read(std::size_t segment, i64 group) const;
  bool may_write(std::size_t segment, i64 group) const;
  void take_in_copy(Segment& segment, const PassGroup& group, const Memory& copy);
  void take_alone(Segment& segment, const PassGroup& group, const Memory& copy);
  void take_pass(std::size_t pass, const Memory& to, const Memory& from, i64 begin, i64 end, Segment* noted) const;
  void copy_in(const Memory& copy, i64 begin, i64 end) const;
  Memory memory_of(i64 element) const;
  void clear_taken(const Segment& segment, const PassGroup& group) const;
  bool is_own(const Segment& segment) const { return segment.begin >= task_.first; }

  const BoundedTable& table_;
  const BoundedTask& task_;
  std::byte* below_;
  BoundedFunction function_;
  i64 element_;     // bytes
  i64 first_;       // the first element that there is
  i64 length_ = 0;  // of a segment, at most
  std::vector<PassGroup> groups_;
  std::vector<std::unique_ptr<Segment>> segments_;
};

}  // namespace terrace::dp_table
