// The cells of parts of tiles on the CPU. Included once for each instruction set, with TERRACE_ISA as its name.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/dp_table/cpu/part.hpp"
#include "kernels/dp_table/cpu/pass_kernel.hpp"
#include "kernels/dp_table/visit.hpp"
#include "kernels/values/cpu_pack.hpp"

namespace terrace::dp_table::TERRACE_ISA {
namespace {

using namespace values::TERRACE_ISA;

template <class Rule>
inline constexpr bool counts = false;
template <class T>
inline constexpr bool counts<Count<T>> = true;

/// The better of the values in each lane.
template <class T, bool least>
Pack<T> best(Best<T, least>, Pack<T> a, Pack<T> b) {
  if constexpr (least) return minimum(a, b);
  else return maximum(a, b);
}
inline Pack<u8> best(Reached, Pack<u8> a, Pack<u8> b) { return a.v | b.v; }

/// Values and a cost; unreached stays unreached.
template <class T, bool least>
Pack<T> with_cost(Best<T, least> rule, Pack<T> value, T cost) {
  return select_equal(value, Pack<T>(rule.unreached()), value, add(value, Pack<T>(cost)));
}
inline Pack<u8> with_cost(Reached, Pack<u8> value, u8) { return value; }

/// The cells of a part, run by run in row-major order. A run first takes the steps from other runs, then its own runs
/// of the next dimension are made in the same way; last come the steps along a line.
template <class Rule, bool has_choice>
class Runs {
  using T = typename Rule::Value;

 public:
  explicit Runs(const PartWork& work)
      : work_(work),
        table_(*work.table),
        task_(*work.task),
        last_(static_cast<int>(table_.extents.size()) - 1),
        cells_(static_cast<T*>(task_.cells)) {}

  i64 make() {
    i64 index[most_dimensions + 1] = {};
    int dimension = table_.first;
    for (int d = 0; d <= last_; ++d) {
      if (work_.begin[d] >= work_.end[d]) return -1;
      // A part of such a run is a run of this dimension at most.
      if (work_.end[d] - work_.begin[d] < table_.extents[static_cast<std::size_t>(d)]) {
        dimension = std::max(dimension, d);
      }
    }
    std::copy_n(work_.begin, dimension, index);
    const i64 stride = table_.strides[static_cast<std::size_t>(dimension)];
    while (true) {
      i64 at = 0;
      for (int d = 0; d < dimension; ++d) at += index[d] * table_.strides[static_cast<std::size_t>(d)];
      row_ = index[0];
      run(dimension, table_.steps.pack(index), at, work_.begin[dimension] * stride, work_.end[dimension] * stride,
          true);
      int d = dimension - 1;
      for (; d >= 0; --d) {
        if (++index[d] < work_.end[d]) break;
        index[d] = work_.begin[d];
      }
      if (d < 0) return overflow_;
    }
  }

 private:
  /// Makes the cells [begin, end) of a run.
  /// @param here the packed indices of the dimensions before the run's @param at its first cell in all rows
  /// @param whole false: it is a part of a run of the dimension before, and has taken that one's steps
  void run(int dimension, const Packed& here, i64 at, i64 begin, i64 end, bool whole) {
    T* cells = cells_ + (at - task_.first_row * table_.strides[0]);
    const RunTable& runs = table_.runs_of(dimension);
    if (whole) {
      std::fill(cells + begin, cells + end, Rule::unreached());
      if constexpr (has_choice) std::fill_n(task_.choice + (cells - cells_) + begin, end - begin, -1);
    }
    for (std::size_t number = whole ? 0 : runs.inner; number < runs.steps.size(); ++number) {
      const RunStep& step = runs.steps[number];
      if (!here.at_least(step.packed, table_.steps.guards) || is_needless(step, here)) continue;
      const i64 from = std::max(begin, step.first), to = has_choice ? end : std::min(end, step.last);
      if (from >= to) continue;
      const T* source = source_of(step, cells, at);
      const T* mask = step.mask < 0 ? nullptr : reinterpret_cast<const T*>(runs.masks.data() + step.mask);
      if (source != nullptr) take(step, source, mask, cells, from, to);
    }
    if (dimension == last_) {
      finish_line(cells, at, begin, end);
      return;
    }
    const i64 stride = table_.strides[static_cast<std::size_t>(dimension)];
    const PackedField field = table_.steps.fields[static_cast<std::size_t>(dimension)];
    for (i64 index = begin / stride; index < end / stride; ++index) {
      Packed there = here;
      there.word[field.word] |= static_cast<u64>(index) << field.shift;
      run(dimension + 1, there, at + index * stride, 0, stride, false);
    }
  }

  /// True if a longer step fits where this one does.
  static bool is_needless(const RunStep& step, const Packed& here) {
    if constexpr (has_choice) return false;
    return (((here.word[0] - step.packed.word[0]) & step.cover.word[0]) |
            ((here.word[1] - step.packed.word[1]) & step.cover.word[1])) != 0;
  }

  /// The values where a step leads from the cells of a run; null: in no tile of the block.
  const T* source_of(const RunStep& step, const T* cells, i64 at) const {
    const i64 row = row_ - step.rows;
    if (step.source == 0 && row >= task_.first_row) return cells - step.back;
    const void* data = (row < task_.first_row ? task_.before : task_.source)[step.source];
    if (data == nullptr) return nullptr;
    return static_cast<const T*>(data) + (at - step.back - task_.first_row * table_.strides[0]);
  }

  /// The cells [begin, end) take a step.
  /// @param mask of each cell; null: all of them may
  void take(const RunStep& step, const T* source, const T* mask, T* cells, i64 begin, i64 end) {
    if constexpr (counts<Rule>) {
      // No branch: nothing is added to a cell that may not take the step.
      if (mask == nullptr) {
        for (i64 x = begin; x < end; ++x) add(cells + x, source[x]);
      } else {
        for (i64 x = begin; x < end; ++x) add(cells + x, is_clear(mask + x) ? source[x] : T{0});
      }
    } else {
      const T cost = cost_of<T>(step.whole_cost, step.real_cost);
      if constexpr (has_choice) {
        for (i64 x = begin; x < end; ++x) {
          if (mask == nullptr || is_clear(mask + x)) choose(cells + x, Rule::plus(source[x], cost), step.number);
        }
      } else if (table_.steps.one_cost) {
        take_packs<false>(source, mask, cells, begin, end, cost);
      } else {
        take_packs<true>(source, mask, cells, begin, end, cost);
      }
    }
  }
  static bool is_clear(const T* mask) {
    T zero{};
    return __builtin_memcmp(mask, &zero, sizeof zero) == 0;
  }

  /// A value taken twice changes nothing: the last pack may begin in the one before it.
  template <bool costs>
  static void take_packs(const T* source, const T* mask, T* cells, i64 begin, i64 end, T cost) {
    constexpr i64 lanes = Pack<T>::lanes;
    const auto take_pack = [&](i64 x) {
      const Pack<T> old = Pack<T>::load(cells + x), value = Pack<T>::load(source + x);
      Pack<T> made = best(Rule{}, old, costs ? with_cost(Rule{}, value, cost) : value);
      if (mask != nullptr) made = masked(Pack<T>::load(mask + x), old, made);
      made.store(cells + x);
    };
    if (end - begin < lanes) {
      for (i64 x = begin; x < end; ++x) {
        if (mask != nullptr && !is_clear(mask + x)) continue;
        cells[x] = Rule::best(cells[x], costs ? Rule::plus(source[x], cost) : source[x]);
      }
      return;
    }
    i64 x = begin;
    for (; x + lanes <= end; x += lanes) take_pack(x);
    if (x < end) take_pack(end - lanes);
  }

  /// Adds the one cost of all steps to the best of the values where they lead, then takes the steps along the line.
  void finish_line(T* line, i64 at, i64 begin, i64 end) {
    if constexpr (!counts<Rule> && !has_choice) {
      const T cost = cost_of<T>(table_.steps.whole_cost, table_.steps.real_cost);
      if (table_.steps.one_cost) {
        for (i64 x = begin; x < end; ++x) line[x] = Rule::capped(Rule::plus(line[x], cost), table_.cap);
      }
    }
    if (work_.first_tile && at == 0 && begin == 0) {
      line[0] = Rule::origin(table_.modulus);
      if constexpr (has_choice) *choice_of(line) = -1;
    }
    if (!table_.line.empty()) along(line, begin, end);
  }

  /// Steps along the line itself: each cell needs those before it.
  void along(T* line, i64 begin, i64 end) {
    const std::vector<LineStep>& steps = table_.line;
    if constexpr (!counts<Rule> && !has_choice) {
      if (table_.closed) {
        // The longest that fits suffices; all up to the longest of the table are steps.
        const T cost = cost_of<T>(table_.steps.whole_cost, table_.steps.real_cost);
        for (i64 x = std::max<i64>(begin, 1); x < end; ++x) {
          const T source = line[x - std::min(x, steps.back().along)];
          line[x] = Rule::best(line[x], Rule::capped(Rule::plus(source, cost), table_.cap));
        }
        return;
      }
    }
    for (i64 x = begin; x < end; ++x) {
      for (const LineStep& step : steps) {
        if (step.along > x) continue;
        const T source = line[x - step.along];
        if constexpr (counts<Rule>) {
          add(line + x, source);
        } else {
          const T value = Rule::capped(Rule::plus(source, cost_of<T>(step.whole_cost, step.real_cost)), table_.cap);
          if constexpr (has_choice) choose(line + x, value, step.number);
          else line[x] = Rule::best(line[x], value);
        }
      }
    }
  }

  i32* choice_of(const T* cell) const { return task_.choice + (cell - cells_); }

  void choose(T* cell, T value, i32 number) {
    if constexpr (has_choice) {
      if (value == Rule::unreached()) return;
      i32* choice = choice_of(cell);
      if (Rule::better(value, *cell) || (value == *cell && *choice >= 0 && number < *choice)) {
        *cell = value;
        *choice = number;
      }
    }
  }

  void add(T* cell, T value) {
    using Wide = std::uint64_t;
    if (table_.modulus != 0) {
      const Wide sum = static_cast<Wide>(*cell) + static_cast<Wide>(value);
      const auto modulus = static_cast<Wide>(table_.modulus);
      *cell = static_cast<T>(sum >= modulus ? sum - modulus : sum);
    } else if (__builtin_add_overflow(*cell, value, cell)) {
      const i64 at = cell - cells_;
      if (overflow_ < 0 || at < overflow_) overflow_ = at;
    }
  }

  const PartWork& work_;
  const PartTable& table_;
  const TableTask& task_;
  int last_;
  T* cells_;
  i64 row_ = 0;  // the index of the dimension that is cut into rows
  i64 overflow_ = -1;
};

template <class Rule, bool has_choice>
i64 make_part(const PartWork& work) {
  return Runs<Rule, has_choice>(work).make();
}

/// The largest of the values [begin, end).
template <class T>
T largest_of(const T* cells, i64 begin, i64 end) {
  constexpr i64 lanes = Pack<T>::lanes;
  Pack<T> most(cells[begin]);
  i64 x = begin;
  for (; x + lanes <= end; x += lanes) most = maximum(most, Pack<T>::load(cells + x));
  T largest = cells[begin];
  for (i64 lane = 0; lane < lanes; ++lane) largest = std::max<T>(largest, most.v[lane]);
  for (; x < end; ++x) largest = std::max(largest, cells[x]);
  return largest;
}

/// The first of the largest of some values: looked for in the first part of them that has it.
template <class T>
i64 first_largest(const void* memory, i64 count) {
  constexpr i64 part = 256 * Pack<T>::lanes;
  const auto* cells = static_cast<const T*>(memory);
  T largest = cells[0];
  i64 first = 0;
  for (i64 begin = 0; begin < count; begin += part) {
    const T most = largest_of(cells, begin, std::min(count, begin + part));
    if (most > largest) largest = most, first = begin;
  }
  return std::find(cells + first, cells + count, largest) - cells;
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

PassFunction pass_function(Combine combine, ElementType type) {
  PassFunction found = nullptr;
  visit_rule(combine, type, [&](auto rule) {
    if constexpr (counts<decltype(rule)>) found = make_pass<decltype(rule)>;
  });
  return found;
}

LargestFunction largest_function(Combine combine, ElementType type) {
  LargestFunction found = nullptr;
  visit_rule(combine, type, [&](auto rule) {
    using Rule = decltype(rule);
    if constexpr (Rule::finds_largest) found = first_largest<typename Rule::Value>;
  });
  return found;
}

}  // namespace terrace::dp_table::TERRACE_ISA
