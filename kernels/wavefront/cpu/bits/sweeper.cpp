#include "kernels/wavefront/cpu/bits/sweeper.hpp"

#include "kernels/values/letter_bits.hpp"
#include "kernels/values/vectors.hpp"
#include "kernels/wavefront/cpu/bits/band.hpp"
#include "kernels/wavefront/cpu/empty.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {

BitsScratch::BitsScratch(i64 words)
    : plus(words), minus(words), others(words), last(words), rare(words), saved_plus(words), saved_minus(words) {
  for (auto* arrays : {letters, columns}) {
    for (int k = 0; k < code_bits; ++k) arrays[k] = AlignedArray<u64>(words);
  }
  for (auto* arrays : {above, below}) {
    for (int p = 0; p < 2; ++p) arrays[p] = AlignedArray<u64>(words);
  }
  view.plus = plus.data();
  view.minus = minus.data();
  view.others = others.data();
  view.last = last.data();
  view.rare = rare.data();
  for (int k = 0; k < code_bits; ++k) {
    view.letters[k] = letters[k].data();
    view.columns[k] = columns[k].data();
  }
  for (int p = 0; p < 2; ++p) {
    view.above[p] = above[p].data();
    view.below[p] = below[p].data();
  }
}

BitsSlot::BitsSlot(i64 columns_of_block) : rare((columns_of_block + chunk_columns - 1) / chunk_columns) {
  const i64 chunks = (columns_of_block + chunk_columns - 1) / chunk_columns;
  for (auto& plane : columns) plane = AlignedArray<u64>(chunks);
  for (auto& plane : row) plane = AlignedArray<u64>(chunks);
}

namespace {

template <class P>
class BitsSweeper : public BandSweeper {
 public:
  BitsSweeper(const BitsPlan<P>& plan, const BlockGrid& grid, int threads, int slots) : plan_(plan) {
    for (int i = 0; i < threads; ++i) scratch_.push_back(std::make_unique<BitsScratch>(plan.words));
    for (int i = 0; i < slots; ++i) slots_.push_back(std::make_unique<BitsSlot>(grid.block_columns));
  }

  std::int64_t bands(std::int64_t rows) const override {
    return std::max<std::int64_t>(1, (rows + plan_.band_rows() - 1) / plan_.band_rows());
  }

  void open(int slot, const BlockTask& task) override {
    BitsSlot& own = *slots_[static_cast<std::size_t>(slot)];
    const auto* codes = static_cast<const device::u8*>(task.columns);
    const i64 columns = task.column_end - task.column_begin;
    for (i64 begin = 0; begin < columns; begin += chunk_columns) {
      u64 planes[code_bits], rare = 0;
      pack_letters(codes + begin, std::min(columns - begin, chunk_columns), planes);
      const i64 chunk = begin / chunk_columns;
      for (int k = 0; k < code_bits; ++k) {
        own.columns[k][chunk] = reversed(planes[k]);
        if (k > 1) rare |= own.columns[k][chunk];
      }
      own.rare[chunk] = rare;
    }
  }

  bool sweep(Band& band) override {
    BitsSlot& slot = *slots_[static_cast<std::size_t>(band.slot())];
    if (is_empty(band.task())) return sweep_empty<P>(band, plan_.constants, slot.found);
    return BitsBand<P>(plan_, *scratch_[static_cast<std::size_t>(band.thread())], slot, band).sweep();
  }

  BlockResult finish(int slot, const BlockTask&) override { return slots_[static_cast<std::size_t>(slot)]->found; }

 private:
  BitsPlan<P> plan_;
  std::vector<std::unique_ptr<BitsScratch>> scratch_;
  std::vector<std::unique_ptr<BitsSlot>> slots_;
};

template <class P>
CpuSweeper make(const CpuSweepPlan& plan) {
  const i64 lanes = vector_bytes(plan.instruction_set) / static_cast<i64>(sizeof(u64));
  // Bands of few words are enough for all threads, bands of many words have less overhead. Bands that are high
  // compared with the diagonals they meet compute many cells outside them.
  const DiagonalBand& band = plan.spec.band;
  const auto& limits = plan.spec.limits;
  const i64 diagonals = limits ? limits->width() : band.whole() ? no_window : band.high - band.low;
  const i64 height = std::min<i64>(plan.grid.block_rows / plan.threads, diagonals);
  const i64 vectors = std::clamp<i64>(height / (64 * lanes * 4), 1, 4);
  const BitsPlan<P> bits{problem_constants<P>(plan.spec.settings),
                         kernels_for(plan.instruction_set, Problems::index<P>()).advance_bits,
                         lanes * vectors,
                         plan.spec.border,
                         band,
                         limits,
                         plan.spec.bit_lines.value_or(BitLines{})};
  const i64 bands = std::max<i64>(1, plan.grid.block_rows / bits.band_rows());
  const int slots = slots_for(plan.threads, bands, plan.grid.count());
  return {std::make_unique<BitsSweeper<P>>(bits, plan.grid, plan.threads, slots), slots};
}

}  // namespace

CpuSweeper make_bits_sweeper(const CpuSweepPlan& plan) {
  CpuSweeper made{nullptr, 0};
  visit_problem(plan.spec.problem, plan.spec.settings, [&]<class P>(P) {
    if constexpr (requires { typename P::Bits; }) {
      if (!plan.spec.table) made = make<P>(plan);
    }
  });
  return made;
}

}  // namespace terrace::wavefront
