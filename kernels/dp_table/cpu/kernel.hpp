// The cells of parts of tiles on the CPU. Included once for each instruction set, with TERRACE_ISA as its name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/dp_table/cpu/part.hpp"
#include "kernels/dp_table/visit.hpp"

namespace terrace::dp_table::TERRACE_ISA {
namespace {

template <class Rule>
inline constexpr bool counts = false;
template <class T>
inline constexpr bool counts<Count<T>> = true;

/// The lines of a part, one after another in row-major order.
template <class Rule, bool has_choice>
class Lines {
  using T = typename Rule::Value;

 public:
  explicit Lines(const PartWork& work)
      : work_(work),
        table_(*work.table),
        task_(*work.task),
        last_(static_cast<int>(table_.extents.size()) - 1),
        cells_(static_cast<T*>(task_.cells)) {}

  i64 make() {
    i64 index[most_dimensions + 1];
    for (int d = 0; d <= last_; ++d) {
      if (work_.begin[d] >= work_.end[d]) return -1;
      index[d] = work_.begin[d];
    }
    index[last_] = 0;
    while (true) {
      line(index);
      int d = last_ - 1;
      for (; d >= 0; --d) {
        if (++index[d] < work_.end[d]) break;
        index[d] = work_.begin[d];
      }
      if (d < 0) return overflow_;
    }
  }

 private:
  /// The line with these indices of all dimensions but the last.
  void line(const i64* index) {
    i64 at = 0;
    for (int d = 0; d < last_; ++d) at += index[d] * table_.strides[static_cast<std::size_t>(d)];
    row_ = index[0];
    at_ = at;
    line_ = cells_ + (at - task_.first_row * table_.strides[0]);
    if constexpr (has_choice) choice_ = task_.choice + (line_ - cells_);
    const i64 begin = work_.begin[last_], end = work_.end[last_];
    std::fill(line_ + begin, line_ + end, Rule::unreached());
    if constexpr (has_choice) std::fill(choice_ + begin, choice_ + end, -1);
    const Packed here = table_.steps.pack(index);
    for (const LineGroup& group : table_.groups) {
      if (!here.at_least(group.packed, table_.steps.guards) || is_covered(group, here)) continue;
      const T* from = source(group);
      if (from != nullptr) take(group, from, begin, end);
    }
    if constexpr (!counts<Rule>) {
      if (!has_choice && table_.steps.one_cost) add_cost(begin, end);
    }
    if (work_.first_tile && at == 0 && begin == 0) {
      line_[0] = Rule::origin(table_.modulus);
      if constexpr (has_choice) choice_[0] = -1;
    }
    along(begin, end);
  }

  /// The line where a group's steps lead, by the index along the last dimension; null: in no tile of the block.
  const T* source(const LineGroup& group) const {
    const i64 cells = table_.strides[0];
    const i64 row = row_ - group.rows;
    if (group.source == 0 && row >= task_.first_row) return line_ - group.offset;
    const void* data = task_.source[group.source];
    if (data == nullptr) return nullptr;
    return static_cast<const T*>(data) + (at_ - group.offset - task_.source_row[group.source] * cells);
  }

  /// True if no step of the group is needed in the line.
  bool is_covered(const LineGroup& group, const Packed& here) const {
    if constexpr (has_choice) return false;
    return std::any_of(group.covers.begin(), group.covers.end(),
                       [&](const Packed& more) { return here.at_least(more, table_.steps.guards); });
  }

  void take(const LineGroup& group, const T* from, i64 begin, i64 end) {
    for (i32 number = group.begin; number < group.end; ++number) {
      const LineStep& step = table_.line_steps[static_cast<std::size_t>(number)];
      const i64 first = std::max(begin, step.along);
      const T* source = from - step.along;
      if constexpr (counts<Rule>) {
        for (i64 x = first; x < end; ++x) add(x, source[x]);
      } else if constexpr (has_choice) {
        const T cost = cost_of<T>(step.whole_cost, step.real_cost);
        for (i64 x = first; x < end; ++x) choose(x, Rule::plus(source[x], cost), step.number);
      } else if (table_.steps.one_cost) {
        T* line = line_;
        // The next step leads to a value that is not worse, where it fits, too.
        const bool next = table_.closed && number + 1 < group.end;
        const i64 last = next ? std::min(end, table_.line_steps[static_cast<std::size_t>(number) + 1].along) : end;
#pragma GCC ivdep
        for (i64 x = first; x < last; ++x) line[x] = Rule::best(line[x], source[x]);
      } else {
        const T cost = cost_of<T>(step.whole_cost, step.real_cost);
        T* line = line_;
#pragma GCC ivdep
        for (i64 x = first; x < end; ++x) line[x] = Rule::best(line[x], Rule::plus(source[x], cost));
      }
    }
  }

  /// Adds the one cost of all steps to the best of the values where they lead.
  void add_cost(i64 begin, i64 end) {
    const T cost = cost_of<T>(table_.steps.whole_cost, table_.steps.real_cost);
    for (i64 x = begin; x < end; ++x) line_[x] = Rule::capped(Rule::plus(line_[x], cost), table_.cap);
  }

  /// Steps along the line itself: each cell needs those before it.
  void along(i64 begin, i64 end) {
    const LineGroup& same = table_.same;
    if (same.begin == same.end) return;
    for (i64 x = begin; x < end; ++x) {
      for (i32 number = same.begin; number < same.end; ++number) {
        const LineStep& step = table_.line_steps[static_cast<std::size_t>(number)];
        if (step.along > x) continue;
        const T source = line_[x - step.along];
        if constexpr (counts<Rule>) {
          add(x, source);
        } else {
          const T value = Rule::capped(Rule::plus(source, cost_of<T>(step.whole_cost, step.real_cost)), table_.cap);
          if constexpr (has_choice) choose(x, value, step.number);
          else line_[x] = Rule::best(line_[x], value);
        }
      }
    }
  }

  void choose(i64 x, T value, i32 number) {
    if constexpr (has_choice) {
      if (value == Rule::unreached()) return;
      if (Rule::better(value, line_[x]) || (value == line_[x] && choice_[x] >= 0 && number < choice_[x])) {
        line_[x] = value;
        choice_[x] = number;
      }
    }
  }

  void add(i64 x, T value) {
    using Wide = std::uint64_t;
    if (table_.modulus != 0) {
      const Wide sum = static_cast<Wide>(line_[x]) + static_cast<Wide>(value);
      const auto modulus = static_cast<Wide>(table_.modulus);
      line_[x] = static_cast<T>(sum >= modulus ? sum - modulus : sum);
    } else if (__builtin_add_overflow(line_[x], value, &line_[x])) {
      const i64 cell = line_ - cells_ + x;
      if (overflow_ < 0 || cell < overflow_) overflow_ = cell;
    }
  }

  const PartWork& work_;
  const LineTable& table_;
  const TableTask& task_;
  int last_;
  T* cells_;
  T* line_ = nullptr;  // index 0 of the line
  i32* choice_ = nullptr;
  i64 row_ = 0, at_ = 0;  // of the line: its index of the dimension that is cut into rows, its first cell in all rows
  i64 overflow_ = -1;
};

template <class Rule, bool has_choice>
i64 make_part(const PartWork& work) {
  return Lines<Rule, has_choice>(work).make();
}

}  // namespace

PartFunction part_function(Combine combine, ElementType type, bool choice) {
  PartFunction found = nullptr;
  visit_rule(combine, type, [&](auto rule) {
    using Rule = decltype(rule);
    if constexpr (counts<Rule>) found = make_part<Rule, false>;
    else found = choice ? make_part<Rule, true> : make_part<Rule, false>;
  });
  return found;
}

}  // namespace terrace::dp_table::TERRACE_ISA
