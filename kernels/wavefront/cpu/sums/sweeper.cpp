// Summed-area tables, of values or of marks: bands of rows, each row from left to right (see row_sums.hpp), a
// chunk of columns at a time, so that H of the row above stays in the first-level cache.
#include <immintrin.h>

#include <cstring>
#include <limits>
#include <vector>

#include "kernels/values/aligned_array.hpp"
#include "kernels/wavefront/cpu/borders.hpp"
#include "kernels/wavefront/cpu/sums/row_sums.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {
namespace {

using values::AlignedArray;

constexpr i64 most_band_rows = measured::CpuSums::most_band_rows;
constexpr i64 chunk_columns = measured::CpuSums::chunk_columns;
constexpr int rows_at_once = measured::CpuSums::rows_at_once;

/// True if E can be stored in a border of type `type`: T holds every H, but it may not hold their differences.
template <class T>
bool fits(ElementType type, Wide<T> e) {
  if constexpr (std::is_floating_point_v<T>) {
    return true;
  } else {
    const Wide128 most = type == ElementType::i32 ? std::numeric_limits<std::int32_t>::max()
                                                  : std::numeric_limits<std::int64_t>::max();
    return e >= -most - 1 && e <= most;
  }
}

/// The types that the kernels know in place of the standard ones.
template <class T>
using Plain = std::conditional_t<std::is_same_v<T, std::int64_t>, i64,
                                 std::conditional_t<std::is_same_v<T, std::uint64_t>, device::u64, T>>;

/// Kernels only integers have.
template <class G, class T, bool integers = std::is_integral_v<G>&& std::is_integral_v<T>>
struct Kernels {
  static Kernels choose(device::InstructionSet) { return {}; }
};
template <class G, class T>
struct Kernels<G, T, true> : SumKernels<G, T> {
  static Kernels choose(device::InstructionSet set) {
    return {set == device::InstructionSet::sse2 ? sse2::sum_kernels<G, T>() : avx2::sum_kernels<G, T>()};
  }
};

template <class G>
const G* grid_row(const BlockTask& task, i64 row, i64 begin) {
  return static_cast<const G*>(task.grid) + row * task.grid_stride + begin;
}

/// Writes 1 for each value of columns [begin, begin + count) of a row that the task's keys name, 0 for the others.
using MarkRow = void (*)(const BlockTask& task, device::InstructionSet set, i64 row, i64 begin, i64 count,
                         device::u8* marks);

template <class G>
void mark_row(const BlockTask& task, device::InstructionSet set, i64 row, i64 begin, i64 count, device::u8* marks) {
  const bool old = set == device::InstructionSet::sse2;
  const MarkKernel<G> mark = old ? sse2::mark_kernel<G>() : avx2::mark_kernel<G>();
  mark(grid_row<G>(task, row, begin), count, task.keys, marks);
}

/// Data that all bands of a sweep share.
struct SumsPlan {
  ElementType border;
  i64 band_rows;
  bool wraps;
  device::InstructionSet instruction_set;
  MarkRow mark;  // null: the grid's own values are summed
};

/// The grid's own values are summed.
template <class G>
class ValuesOf {
 public:
  using Value = G;
  ValuesOf(const BlockTask& task, const SumsPlan&) : task_(task) {}
  const G* row(i64 row, i64 begin, i64) { return grid_row<G>(task_, row, begin); }

 private:
  const BlockTask& task_;
};

/// Values that the task's keys name count 1, the others 0: one class for grids of all types.
class Marks {
 public:
  using Value = device::u8;
  Marks(const BlockTask& task, const SumsPlan& plan) : task_(task), plan_(plan) {}
  /// Holds until the next call.
  const device::u8* row(i64 row, i64 begin, i64 count) {
    plan_.mark(task_, plan_.instruction_set, row, begin, count, marks_);
    return marks_;
  }

 private:
  const BlockTask& task_;
  const SumsPlan& plan_;
  alignas(64) device::u8 marks_[chunk_columns];
};

/// One band being swept. `above` is H above the band and, chunk by chunk, H of its last row.
/// @tparam Items the summands: ValuesOf a type of grids, or Marks
template <class Items, class T>
class SumsBand {
 public:
  using G = typename Items::Value;

  SumsBand(const SumsPlan& plan, T* above, Band& band)
      : plan_(plan),
        kernels_(Kernels<G, T>::choose(plan.instruction_set)),
        above_(above),
        band_(band),
        task_(band.task()),
        items_(task_, plan),
        columns_(task_.column_end - task_.column_begin),
        row_(band.index() * plan.band_rows),
        rows_(std::min(plan.band_rows, task_.row_end - task_.row_begin - row_)) {}

  /// @return false if the band left early or a sum did not fit
  bool sweep() {
    if (!band_.wait_left()) return false;
    load_left();
    for (i64 begin = 0; begin < columns_; begin += chunk_columns) {
      const i64 end = std::min(begin + chunk_columns, columns_);
      if (!band_.wait_above(end)) return false;
      if (band_.first()) load_top(begin, end);
      if (end == columns_) corner_right_ = above_[columns_ - 1];
      if (!add_rows(begin, end)) return fail();
      if (band_.last() && task_.bottom != nullptr) {
        write_border(plan_.border, above_ + begin, end - begin, task_.bottom, begin);
      }
      _mm_sfence();
      if (end < columns_) band_.publish(end);
    }
    if (!store_right()) return fail();
    band_.publish(columns_);
    return true;
  }

  /// H of the band's last cell.
  T last_value() const { return last_h_[rows_ - 1]; }

 private:
  using Sum = Wide<T>;

  bool fail() {
    band_.fail();
    return false;
  }

  void load_left() {
    std::fill_n(e_, most_band_rows, Sum{});
    if (task_.left == nullptr) return;
    const i64 offset = task_.column_border_stride + 1 + row_;
    read_border(plan_.border, task_.left, offset, rows_, e_);
  }

  void load_top(i64 begin, i64 end) {
    if (task_.top != nullptr) read_border(plan_.border, task_.top, begin, end - begin, above_ + begin);
    else std::fill(above_ + begin, above_ + end, T{});
  }

  RowPart<G, T> part(i64 row, i64 begin, i64 end) {
    const G* grid = items_.row(row_ + row, begin, end - begin);
    auto* table = static_cast<T*>(task_.table);
    if (table != nullptr) table += (row_ + row) * task_.table_stride + begin;
    return {grid, above_ + begin, table, end - begin};
  }

  /// Only the last cell of each row, and only in the last chunk, is inspected again.
  bool add_rows(i64 begin, i64 end) {
    if constexpr (std::is_floating_point_v<T>) {
      i64 row = 0;
      for (; row + rows_at_once <= rows_; row += rows_at_once) add_some<rows_at_once>(row, begin, end);
      for (; row < rows_; ++row) add_some<1>(row, begin, end);
      return true;
    } else {
      Sum bound = std::numeric_limits<T>::max();
      for (i64 row = 0; row < rows_; ++row) {
        if (plan_.wraps) {
          e_[row] = kernels_.add(part(row, begin, end), static_cast<T>(e_[row]));
        } else if (!add_bounded(kernels_, part(row, begin, end), e_[row], bound)) {
          return false;
        }
        last_h_[row] = above_[end - 1];
      }
      return true;
    }
  }

  template <int count>
  void add_some(i64 row, i64 begin, i64 end) {
    RowPart<G, T> parts[count];
    for (int i = 0; i < count; ++i) parts[i] = part(row + i, begin, end);
    T last = above_[end - 1];
    add_floating<count>(parts, e_ + row);
    // The last column again: its H of the rows between is needed at the right border.
    for (int i = 0; i < count; ++i) last_h_[row + i] = last += e_[row + i];
  }

  bool store_right() {
    if (task_.right == nullptr) return true;
    if (band_.first()) write_border(plan_.border, &corner_right_, 1, task_.right, 0);
    for (i64 row = 0; row < rows_; ++row) {
      if (!plan_.wraps && !fits<T>(plan_.border, e_[row])) return false;
    }
    write_border(plan_.border, last_h_, rows_, task_.right, 1 + row_);
    write_border(plan_.border, e_, rows_, task_.right, task_.column_border_stride + 1 + row_);
    return true;
  }

  const SumsPlan& plan_;
  Kernels<G, T> kernels_;
  T* above_;
  Band& band_;
  const BlockTask& task_;
  Items items_;
  i64 columns_, row_, rows_;
  Sum e_[most_band_rows];
  T last_h_[most_band_rows] = {};
  T corner_right_{};
};

template <class Items, class T>
class SumsSweeper : public BandSweeper {
 public:
  SumsSweeper(const SumsPlan& plan, const BlockGrid& grid, int slots) : plan_(plan) {
    for (int i = 0; i < slots; ++i) slots_.push_back({AlignedArray<T>(grid.block_columns), T{}});
  }

  std::int64_t bands(std::int64_t rows) const override {
    return std::max<std::int64_t>(1, (rows + plan_.band_rows - 1) / plan_.band_rows);
  }

  void open(int slot, const BlockTask&) override { slots_[static_cast<std::size_t>(slot)].last = T{}; }

  bool sweep(Band& band) override {
    Slot& slot = slots_[static_cast<std::size_t>(band.slot())];
    const BlockTask& task = band.task();
    if (task.row_begin == task.row_end || task.column_begin == task.column_end) {
      band.publish(task.column_end - task.column_begin);
      return true;
    }
    SumsBand<Items, T> sums(plan_, slot.above.data(), band);
    if (!sums.sweep()) return false;
    if (band.last()) slot.last = sums.last_value();
    return true;
  }

  BlockResult finish(int slot, const BlockTask& task) override {
    BlockResult result{0, task.row_end, task.column_end};
    const T last = slots_[static_cast<std::size_t>(slot)].last;
    if constexpr (std::is_floating_point_v<T>) {
      const double value = last;
      std::memcpy(&result.score, &value, sizeof value);
    } else {
      result.score = last;
    }
    return result;
  }

 private:
  struct Slot {
    AlignedArray<T> above;
    T last;
  };
  SumsPlan plan_;
  std::vector<Slot> slots_;
};

[[noreturn]] void refuse_sums(const std::string& what) { throw DeviceError("make_cpu_sweep", what); }

template <class G, class T>
std::unique_ptr<BandSweeper> make(const SumsPlan& sums, const BlockGrid& grid, int slots) {
  if constexpr (std::is_floating_point_v<G> && !std::is_floating_point_v<T>) {
    refuse_sums("sums of a floating-point grid need a floating-point table");
  } else if constexpr (sizeof(G) > sizeof(T)) {
    refuse_sums("a grid of type " + std::string(name_of(element_type_of<G>())) +
                " needs a table at least as wide, not " + std::string(name_of(element_type_of<T>())));
  } else {
    return std::make_unique<SumsSweeper<ValuesOf<Plain<G>>, Plain<T>>>(sums, grid, slots);
  }
}

MarkRow mark_row_of(ElementType grid_type) {
  return dispatch(grid_type, [](auto sample) -> MarkRow { return mark_row<Plain<decltype(sample)>>; });
}

template <class T>
std::unique_ptr<BandSweeper> make_for_table(ElementType grid_type, const SumsPlan& sums, const BlockGrid& grid,
                                            int slots) {
  return dispatch(grid_type, [&](auto sample) -> std::unique_ptr<BandSweeper> {
    using G = decltype(sample);
    if constexpr (std::is_same_v<G, std::uint64_t>) refuse_sums("grids of type u64 have no summed-area table");
    else return make<G, T>(sums, grid, slots);
  });
}

void check_table_types(const SweepSpec& spec) {
  if (spec.table && *spec.table != spec.value) {
    refuse_sums("sums of type " + std::string(name_of(spec.value)) + " go to a table of that type, not of " +
                std::string(name_of(*spec.table)));
  }
  const bool fits = is_floating(spec.value) ? is_floating(spec.border) && size_of(spec.border) >= size_of(spec.value)
                                            : holds_values(spec.border, spec.value);
  if (!fits) {
    refuse_sums("borders of type " + std::string(name_of(spec.border)) + " cannot hold sums of type " +
                std::string(name_of(spec.value)));
  }
}

}  // namespace

void check_sum_types(const SweepSpec& spec) {
  check_table_types(spec);
  if (spec.grid == ElementType::u64) refuse_sums("grids of type u64 have no summed-area table");
  if ((is_floating(spec.grid) && !is_floating(spec.value)) || size_of(spec.grid) > size_of(spec.value)) {
    refuse_sums("a grid of type " + std::string(name_of(spec.grid)) + " cannot be summed in " +
                std::string(name_of(spec.value)));
  }
}

CpuSweeper make_sums_sweeper(const CpuSweepPlan& plan) {
  const SweepSpec& spec = plan.spec;
  check_table_types(spec);
  const i64 band_rows = std::clamp<i64>(plan.grid.block_rows / (2 * plan.threads), 4, most_band_rows);
  SumsPlan sums{spec.border, band_rows, false, plan.instruction_set, nullptr};
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (requires { P::counts; }) {
      sums.wraps = problem_constants<P>(spec.settings).wrap != 0;
      if constexpr (P::counts) sums.mark = mark_row_of(spec.grid);
    }
  });
  const int slots = slots_for(plan.threads, (plan.grid.block_rows + band_rows - 1) / band_rows, plan.grid.count());
  const auto make = [&]<class T>(T) -> CpuSweeper {
    if (sums.mark == nullptr) return {make_for_table<T>(spec.grid, sums, plan.grid, slots), slots};
    if constexpr (std::is_integral_v<T>) {
      return {std::make_unique<SumsSweeper<Marks, Plain<T>>>(sums, plan.grid, slots), slots};
    }
    refuse_sums("values are counted in i32 or i64, not in " + std::string(name_of(spec.value)));
  };
  switch (spec.value) {
    case ElementType::i32:
      return make(std::int32_t{});
    case ElementType::i64:
      return make(std::int64_t{});
    case ElementType::f32:
      return make(float{});
    case ElementType::f64:
      return make(double{});
    default:
      refuse_sums("sums are computed in i32, i64, f32 or f64, not in " + std::string(name_of(spec.value)));
  }
}

}  // namespace terrace::wavefront
