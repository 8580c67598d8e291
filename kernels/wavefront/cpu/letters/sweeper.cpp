#include "kernels/wavefront/cpu/letters/sweeper.hpp"

#include <limits>

#include "kernels/values/vectors.hpp"
#include "kernels/wavefront/cpu/empty.hpp"
#include "kernels/wavefront/cpu/letters/band.hpp"
#include "kernels/wavefront/cpu/letters/kept.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/measured.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {
namespace {

template <class P, class T>
class LettersSweeper : public BandSweeper {
 public:
  LettersSweeper(const LettersPlan<P, T>& plan, const BlockGrid& grid, int threads, int slots,
                 std::optional<i64> known)
      : known_(known.value_or(0)), plan_(plan) {
    if (known) plan_.known = &known_;
    const bool keeps = P::report == Report::best || plan.store_row != nullptr;
    for (int i = 0; i < threads; ++i) {
      scratch_.emplace_back(plan.layout.lanes(), plan.layout.most_rows_per_lane(), keeps, plan.store_row != nullptr,
                            by_matrix<P>, plan.narrows());
    }
    const std::int64_t most = most_bands(grid, [this](std::int64_t rows) { return bands(rows); });
    for (int i = 0; i < slots; ++i) {
      slots_.push_back(std::make_unique<LettersSlot<T>>(grid.block_columns, most, P::row_planes));
    }
  }

  std::int64_t bands(std::int64_t rows) const override { return plan_.layout.count(rows); }

  void open(int slot, const BlockTask&) override {
    LettersSlot<T>& own = *slots_[static_cast<std::size_t>(slot)];
    std::fill(own.found.begin(), own.found.end(), BlockResult{0, 0, 0});
    own.best = 0;
  }

  bool sweep(Band& band) override {
    LettersSlot<T>& slot = *slots_[static_cast<std::size_t>(band.slot())];
    if (is_empty(band.task())) {
      using Exact = std::conditional_t<P::items == Items::letters, i64, T>;
      return sweep_empty<P, Exact>(band, plan_.constants, slot.found[static_cast<std::size_t>(band.index())]);
    }
    return LettersBand<P, T>(plan_, scratch_[static_cast<std::size_t>(band.thread())], slot, band).sweep();
  }

  BlockResult finish(int slot, const BlockTask& task) override {
    const LettersSlot<T>& own = *slots_[static_cast<std::size_t>(slot)];
    const auto count = static_cast<std::size_t>(bands(task.row_end - task.row_begin));
    if constexpr (P::report == Report::last) return own.found[count - 1];
    BlockResult best{0, 0, 0};
    for (std::size_t i = 0; i < count; ++i) {
      const BlockResult& found = own.found[i];
      if (found.row > 0 && (best.row == 0 || goes_before(found, best))) best = found;
    }
    return best;
  }

 private:
  std::atomic<i64> known_;
  LettersPlan<P, T> plan_;
  std::vector<LettersScratch<T>> scratch_;
  std::vector<std::unique_ptr<LettersSlot<T>>> slots_;
};

template <class T>
AdvanceBand<T> advance_of(const BandKernels& kernels) {
  if constexpr (std::is_same_v<T, float>) return kernels.advance_f32;
  else if constexpr (std::is_same_v<T, double>) return kernels.advance_f64;
  else if constexpr (sizeof(T) == 2) return kernels.advance_i16;
  else if constexpr (sizeof(T) == 4) return kernels.advance_i32;
  else return kernels.advance_i64;
}

/// Enough bands for all threads, of as many rows as make the kernel fast; low ones in narrow windows, whose edges
/// they stand out of.
BandLayout layout_for(i64 lanes, i64 window, const CpuSweepPlan& plan) {
  constexpr i64 least = measured::CpuLetters::least_lane_rows, most = measured::CpuLetters::most_lane_rows;
  const i64 rows_per_lane = std::min<i64>(plan.grid.block_rows / (lanes * 2 * plan.threads), window / (2 * lanes));
  return {lanes, std::clamp(rows_per_lane, least, most)};
}

template <class T>
StoreRow<T> store_row_for(std::optional<ElementType> table) {
  if (!table) return nullptr;
  return dispatch(*table, [](auto sample) -> StoreRow<T> {
    return [](const T* values, i64 count, double scale, void* to, i64 offset) {
      store_values(values, count, scale, static_cast<decltype(sample)*>(to) + offset);
    };
  });
}

[[noreturn]] void refuse(const std::string& what) { throw DeviceError("make_cpu_sweep", what); }

void check_bound(const SweepSpec& spec) {
  const i64 bound = score_bound(spec.problem, spec.settings, spec.rows, spec.columns);
  const i64 largest = spec.value == ElementType::i16   ? std::numeric_limits<device::i16>::max()
                      : spec.value == ElementType::i32 ? std::numeric_limits<device::i32>::max()
                                                       : unbounded - 1;
  if (bound <= largest) return;
  refuse("values of type " + std::string(name_of(spec.value)) + " may overflow in a table of " +
         std::to_string(spec.rows) + " x " + std::to_string(spec.columns) + " cells; take a wider type");
}

void check_types(const SweepSpec& spec) {
  if (!holds_values(spec.border, spec.value)) {
    refuse("borders of type " + std::string(name_of(spec.border)) + " cannot hold values of type " +
           std::string(name_of(spec.value)));
  }
  const bool divides = spec.table && is_floating(*spec.table) && !is_floating(spec.value);
  if (spec.table && !divides && !holds_values(*spec.table, spec.value)) {
    refuse("a table of type " + std::string(name_of(*spec.table)) + " cannot hold values of type " +
           std::string(name_of(spec.value)));
  }
}

/// Bytes and words if values fit, in as many lanes as a vector has bytes.
template <class P>
void take_narrow_types(const CpuSweepPlan& plan, LettersPlan<P, i32>& letters) {
  letters.local = local_types_for(plan.instruction_set, Problems::index<P>());
  letters.advance = letters.local.advance_i32;
  letters.layout = layout_for(vector_bytes(plan.instruction_set), no_window, plan);
}

template <class P, class T>
CpuSweeper make(const CpuSweepPlan& plan) {
  const SweepSpec& spec = plan.spec;
  const auto constants = problem_constants<P>(spec.settings);
  const i64 lanes = vector_bytes(plan.instruction_set) / static_cast<i64>(sizeof(T));
  LettersPlan<P, T> letters{constants,
                            spec.rows,
                            spec.columns,
                            advance_of<T>(kernels_for(plan.instruction_set, Problems::index<P>())),
                            layout_for(lanes, window_of<P, i64>(constants), plan),
                            spec.border,
                            store_row_for<T>(spec.table),
                            spec.table ? static_cast<i64>(size_of(*spec.table)) : 0,
                            static_cast<double>(score_scale(P::name, spec.settings)),
                            nullptr,
                            {}};
  if constexpr (narrows_in_chunks<P> && std::is_same_v<T, i32>) {
    if (!spec.table) take_narrow_types(plan, letters);
  }
  std::optional<i64> known;
  if (can_prune<P> && spec.schedule.work == Schedule::Work::needed && !spec.table) known = spec.known;
  const int slots = slots_for(plan.threads, letters.layout.count(plan.grid.block_rows), plan.grid.count());
  return {std::make_unique<LettersSweeper<P, T>>(letters, plan.grid, plan.threads, slots, known), slots};
}

template <class P>
CpuSweeper make_for_integer(const CpuSweepPlan& plan) {
  switch (plan.spec.value) {
    case ElementType::i16:
      if (narrows_in_chunks<P> && !plan.spec.table) return make<P, device::i32>(plan);
      return make<P, device::i16>(plan);
    case ElementType::i32:
      return make<P, device::i32>(plan);
    case ElementType::i64:
      return make<P, device::i64>(plan);
    default:
      refuse("cells are computed in i16, i32 or i64, not in " + std::string(name_of(plan.spec.value)));
  }
}

/// Problems on letters are computed in integers, those on values in floating point.
template <class P>
CpuSweeper make_for_value(const CpuSweepPlan& plan) {
  if constexpr (P::items == Items::values) {
    if (plan.spec.value == ElementType::f32) return make<P, float>(plan);
    if (plan.spec.value == ElementType::f64) return make<P, double>(plan);
    refuse("cells are computed in f32 or f64, not in " + std::string(name_of(plan.spec.value)));
  } else {
    return make_for_integer<P>(plan);
  }
}

}  // namespace

void check_item_types(const SweepSpec& spec) {
  check_types(spec);
  if (find_problem(spec.problem)->items == Items::letters) check_bound(spec);
}

CpuSweeper make_items_sweeper(const CpuSweepPlan& plan) {
  check_item_types(plan.spec);
  CpuSweeper made{nullptr, 0};
  visit_problem(plan.spec.problem, plan.spec.settings, [&](auto problem) {
    using P = decltype(problem);
    if constexpr (P::items == Items::letters) {
      if (plan.form == CellForm::bits) made = make_bits_sweeper(plan);
    }
    if constexpr (P::items != Items::grid) {
      if (!made.sweeper) made = make_for_value<P>(plan);
    }
  });
  return made;
}

}  // namespace terrace::wavefront
