// Makes the CUDA sweeps of one problem: choice of kernel, thread blocks and arguments. Included by the sources that
// the build makes from cuda/problem.cu.in, one a problem.
#pragma once

#include "kernels/wavefront/cuda/band_launches.cuh"
#include "kernels/wavefront/cuda/bits/kernel.cuh"
#include "kernels/wavefront/cuda/letters/sweep.cuh"
#include "kernels/wavefront/cuda/pairs/sweep.cuh"
#include "kernels/wavefront/cuda/sums/kernel.cuh"
#include "kernels/wavefront/cuda/sums/strip_sweep.cuh"
#include "kernels/wavefront/measured.hpp"

namespace terrace::wavefront {

/// No score may leave the value's type; i16 is computed in i32.
inline void check_bound(const SweepSpec& spec) {
  const std::int64_t bound = score_bound(spec.problem, spec.settings, spec.rows, spec.columns);
  const bool fits = spec.value == ElementType::i64   ? bound < unbounded
                    : spec.value == ElementType::i32 ? bound <= 2147483647
                                                     : bound <= 32767;
  if (!fits) {
    throw DeviceError("wavefront sweep of " + spec.problem + " on CUDA",
                      "scores of type " + std::string(name_of(spec.value)) + " may overflow");
  }
  if (is_floating(spec.border) || size_of(spec.border) < size_of(spec.value)) {
    throw DeviceError("wavefront sweep of " + spec.problem + " on CUDA",
                      "borders of type " + std::string(name_of(spec.border)) + " cannot hold its values");
  }
}

/// Values are computed in f32 or f64, which borders and tables hold.
inline void check_real_types(const SweepSpec& spec) {
  if (!is_floating(spec.value)) refuse_type(spec);
  for (const ElementType type : {spec.border, spec.table.value_or(spec.border)}) {
    if (is_floating(type) && size_of(type) >= size_of(spec.value)) continue;
    throw DeviceError("wavefront sweep of " + spec.problem + " on CUDA",
                      "borders or a table of type " + std::string(name_of(type)) + " cannot hold its values");
  }
}

/// A sweep through a kernel of letters or values. @param plan its workspace @param memory_bytes of a warp, beyond the
/// kernel's own
template <class P>
std::unique_ptr<device::BlockKernel> make_letter_sweep(
    const SweepSpec& spec, const device::Kernel<SweepArguments, typename P::template Constants<i64>>& kernel,
    const CudaWorkspace& plan, BlockShape shape, std::size_t memory_bytes, device::Context& context, void* workspace,
    const CudaTrial& trial) {
  return std::make_unique<CudaSweep<typename P::template Constants<i64>>>(
      spec, kernel, plan, shape, memory_bytes, false, context, workspace, trial, problem_constants<P>(spec.settings));
}

/// True if the score that is known leaves out so much of the table that the length of the chain of bands counts, and
/// not the number of cells.
template <class P>
bool leaves_most_out(const SweepSpec& spec) {
  if constexpr (can_prune<P>) {
    const i64 gain = P::gain(problem_constants<P>(spec.settings));
    return spec.schedule.work == Schedule::Work::needed && spec.known > gain * std::min(spec.rows, spec.columns) / 2;
  } else {
    return false;
  }
}

/// True if bands of `band_rows` rows fill the device, and the number of cells counts, not the length of their chain.
template <class P>
bool fills(const SweepSpec& spec, const device::Limits& limits, std::int64_t band_rows) {
  return grid_of(spec).rows_in_flow() >= resident_warps(limits) / measured::CudaLaunches::filling_share * band_rows &&
         !leaves_most_out<P>(spec);
}

/// Sweeps in differences, for problems that have a bit-parallel form: scores, and lines kept in differences.
template <class P>
struct BitSweeps {
  template <class Call>
  static auto choose(const SweepSpec& spec, const device::Limits& limits, const CudaTrial& trial, Call&& call) {
    check_bound(spec);
    // Two words a lane where that leaves each scheduler a warp. In a band of diagonals, so many rows are under way at
    // a time as it has diagonals.
    const i64 rows = std::min<i64>(grid_of(spec).rows_in_flow(), spec.band.high - spec.band.low);
    const i64 fewest = measured::CudaBits::wide_bands_of_processor * limits.processors * band_rows<2>;
    const bool two = trial.lane_rows > 0 ? trial.lane_rows == 64 : rows >= fewest;
    // A kept row ends a band.
    const bool ends =
        !spec.bit_lines || spec.bit_lines->rows % band_rows<2> == 0 || spec.bit_lines->rows >= spec.rows;
    return two && ends ? call.template operator()<2>() : call.template operator()<1>();
  }

  template <int W>
  static constexpr i64 band_rows = BitSweep<P, W, false>::band_rows;

  template <int W>
  static CudaWorkspace plan(const SweepSpec& spec, const device::Limits& limits) {
    const BlockGrid grid = grid_of(spec);
    return plan_workspace(grid, band_rows<W>, bit_row_words(grid.block_columns), resident_warps(limits));
  }

  /// Enough for every band of diagonals.
  static std::size_t workspace_bytes(const SweepSpec& spec, const device::Limits& limits, const CudaTrial&) {
    return std::max(plan<1>(spec, limits).bytes, plan<2>(spec, limits).bytes);
  }

  static std::unique_ptr<device::BlockKernel> make(const SweepSpec& spec, device::Context& context, void* workspace,
                                                   const CudaTrial& trial) {
    return choose(spec, context.limits(), trial, [&]<int W>() {
      const auto kernel = device::make_kernel(
          spec.bit_lines ? sweep_bits_kernel<P, W, true> : sweep_bits_kernel<P, W, false>, "sweep_bits_kernel");
      return make_letter_sweep<P>(spec, {kernel.function, kernel.name}, plan<W>(spec, context.limits()),
                                  all_sweep(sweep_threads), 0, context, workspace, trial);
    });
  }
};

/// Sweeps of a problem on letters or values, cell by cell.
template <class P>
struct LetterSweeps {
  using Sizes = measured::CudaLetters;
  /// Rows of a lane for 32-bit scores: many where bands fill the device, few where the length of the chain of bands
  /// counts.
  static constexpr int many_rows = Sizes::many_rows, few_rows = Sizes::few_rows;
  /// Rows of a lane where tables are kept, which fills shared memory, values are wide, or each scheduler has one band
  /// of affine gaps.
  static constexpr int fewest_rows = Sizes::fewest_rows;
  /// Columns of a step: so many ways through the cells go on at a time.
  template <int R>
  static constexpr int columns = R == fewest_rows                            ? Sizes::columns_of_fewest_rows
                                 : R == few_rows&& P::items == Items::values ? Sizes::columns_of_values
                                                                             : Sizes::columns;

  /// Calls call(V{}, constant of the rows of a lane, constant of what is kept).
  template <class Call>
  static auto choose(const SweepSpec& spec, const device::Limits& limits, const CudaTrial& trial, Call&& call) {
    if constexpr (P::items == Items::values) {
      check_real_types(spec);
      return choose_rows<Real<float>, Real<double>>(spec, limits, trial, spec.value == ElementType::f64, call);
    } else {
      check_bound(spec);
      const bool wide = spec.value == ElementType::i64;
      if (!wide && spec.value != ElementType::i32 && spec.value != ElementType::i16) refuse_type(spec);
      return choose_rows<Word, i64>(spec, limits, trial, wide, call);
    }
  }

  /// @tparam Narrow, Wide values of 32 and of 64 bits
  template <class Narrow, class Wide, class Call>
  static auto choose_rows(const SweepSpec& spec, const device::Limits& limits, const CudaTrial& trial, bool wide,
                          Call&& call) {
    constexpr bool may_cut = has_window<P>;
    if (spec.kept && wide) return call.template operator()<Wide, fewest_rows, Keep::lines, may_cut>();
    if (spec.kept) return call.template operator()<Narrow, fewest_rows, Keep::lines, may_cut>();
    if (wide && spec.table) return call.template operator()<Wide, fewest_rows, Keep::table, may_cut>();
    if (wide) return call.template operator()<Wide, fewest_rows, Keep::borders, may_cut>();
    if (spec.table) return call.template operator()<Narrow, fewest_rows, Keep::table, may_cut>();
    // A kernel that knows no window is shorter, and its bands begin sooner: 10.4 in place of 15.4 ms on an H200.
    if constexpr (may_cut) {
      const i64 window = window_of<P, i64>(problem_constants<P>(spec.settings));
      if (window < std::max(spec.rows, spec.columns)) {
        return call.template operator()<Narrow, few_rows, Keep::borders, true>();
      }
    }
    // Affine gaps make the longest way from cell to cell: with a band for each scheduler, shorter ones are faster.
    if constexpr (P::report == Report::best && P::row_planes == 2 && !by_matrix<P>) {
      const i64 lone_bands = Sizes::lone_bands_of_processor * limits.processors;
      const bool alone = grid_of(spec).rows_in_flow() <= lone_bands * 32 * fewest_rows;
      if (trial.lane_rows > 0 ? trial.lane_rows == fewest_rows : alone) {
        return call.template operator()<Narrow, fewest_rows, Keep::borders, false>();
      }
    }
    // Proteins are never so long that they need many rows a lane.
    if constexpr (!by_matrix<P>) {
      const bool many = trial.lane_rows > 0 ? trial.lane_rows == many_rows : fills<P>(spec, limits, 32 * many_rows);
      if (many) return call.template operator()<Narrow, many_rows, Keep::borders, false>();
    }
    return call.template operator()<Narrow, few_rows, Keep::borders, false>();
  }

  template <class V, int R>
  static CudaWorkspace plan(const SweepSpec& spec, const device::Limits& limits) {
    const BlockGrid grid = grid_of(spec);
    return plan_workspace(grid, 32 * R, grid.block_columns * TaggedCell<V, P::row_planes>::words,
                          resident_warps(limits));
  }

  static std::size_t workspace_bytes(const SweepSpec& spec, const device::Limits& limits, const CudaTrial& trial) {
    return choose(spec, limits, trial, [&]<class V, int R, Keep, bool>() { return plan<V, R>(spec, limits).bytes; });
  }

  static std::unique_ptr<device::BlockKernel> make(const SweepSpec& spec, device::Context& context, void* workspace,
                                                   const CudaTrial& trial) {
    return choose(spec, context.limits(), trial, [&]<class V, int R, Keep keep, bool windowed>() {
      using Swept = LetterSweep<P, V, R, columns<R>, keep, windowed>;
      const auto kernel = device::make_kernel(sweep_bands_kernel<Swept>, "sweep_bands_kernel");
      return make_letter_sweep<P>(spec, {kernel.function, kernel.name}, plan<V, R>(spec, context.limits()),
                                  {Swept::threads, Swept::sweepers}, sizeof(typename Swept::Memory), context,
                                  workspace, trial);
    });
  }
};

/// True for problems whose cells may be kept in 16 bits, two to a word (pair_range.hpp).
template <class P>
concept has_pairs = can_prune<P> && !by_matrix<P> && requires {
  requires P::score_joins_diagonal;
};

/// Sweeps of local alignments in 16 bits, two cells to a word.
template <class P>
struct PairSweeps {
  using Swept = PairSweep<P, measured::CudaPairs::words>;

  /// True if 16 bits are enough for certain.
  static bool fits(const SweepSpec& spec) {
    if (spec.value != ElementType::i16 && spec.value != ElementType::i32) return false;
    return fits_pairs<P>(problem_constants<P>(spec.settings), Swept::band_rows);
  }

  static CudaWorkspace plan(const SweepSpec& spec, const device::Limits& limits) {
    const BlockGrid grid = grid_of(spec);
    return plan_workspace(grid, Swept::band_rows, grid.block_columns * TaggedCell<Word, P::row_planes>::words,
                          resident_warps(limits));
  }

  static std::size_t workspace_bytes(const SweepSpec& spec, const device::Limits& limits, const CudaTrial&) {
    check_bound(spec);
    return plan(spec, limits).bytes;
  }

  static std::unique_ptr<device::BlockKernel> make(const SweepSpec& spec, device::Context& context, void* workspace,
                                                   const CudaTrial& trial) {
    check_bound(spec);
    const auto kernel = device::make_kernel(sweep_bands_kernel<Swept>, "sweep_bands_kernel");
    return make_letter_sweep<P>(spec, {kernel.function, kernel.name}, plan(spec, context.limits()),
                                {Swept::threads, Swept::sweepers}, sizeof(typename Swept::Memory), context, workspace,
                                trial);
  }
};

/// Sweeps of sums that keep an order: floating point, and checked sums of 64 bits.
template <class P>
struct SumSweeps {
  using Sizes = measured::CudaOrderedSums;

  template <class Call>
  static auto choose(const SweepSpec& spec, Call&& call) {
    switch (spec.value) {
      case ElementType::i64:
        return call.template operator()<i64, Sizes::wide_rows>(true);
      case ElementType::f32:
        return call.template operator()<float, Sizes::f32_rows>(false);
      case ElementType::f64:
        return call.template operator()<double, Sizes::wide_rows>(false);
      default:
        refuse_type(spec);
    }
  }

  template <class V, int R>
  static CudaWorkspace plan(const SweepSpec& spec, const device::Limits& limits) {
    const BlockGrid grid = grid_of(spec);
    return plan_workspace(grid, R, grid.block_columns * TaggedCell<V, 1>::words, resident_warps(limits));
  }

  static std::size_t workspace_bytes(const SweepSpec& spec, const device::Limits& limits, const CudaTrial&) {
    return choose(spec, [&]<class V, int R>(bool) { return plan<V, R>(spec, limits).bytes; });
  }

  static std::unique_ptr<device::BlockKernel> make(const SweepSpec& spec, device::Context& context, void* workspace,
                                                   const CudaTrial& trial) {
    return choose(spec, [&]<class V, int R>(bool check) -> std::unique_ptr<device::BlockKernel> {
      const auto kernel = device::make_kernel(sum_areas_kernel<V, R>, "sum_areas_kernel");
      return std::make_unique<CudaSweep<>>(spec, device::Kernel<SweepArguments>{kernel.function, kernel.name},
                                           plan<V, R>(spec, context.limits()), all_sweep(sum_threads), std::size_t{0},
                                           check, context, workspace, trial);
    });
  }
};

/// A table holds the sums as they are computed, and a grid's values must fit it unless they are counted.
template <class P>
void check_sum_types(const SweepSpec& spec) {
  const bool integers = !is_floating(spec.value) && !is_floating(spec.border);
  const bool values = is_floating(spec.value) ? is_floating(spec.border) : integers && !is_floating(spec.grid);
  const bool fits =
      P::counts ? integers : values && size_of(spec.grid) <= size_of(spec.value) && spec.grid != ElementType::u64;
  if (!fits || size_of(spec.value) < 4 || !is_signed(spec.value) || size_of(spec.border) < size_of(spec.value) ||
      spec.table.value_or(spec.value) != spec.value) {
    throw DeviceError("wavefront sweep of " + spec.problem + " on CUDA",
                      "a grid of type " + std::string(name_of(spec.grid)) + ", sums of type " +
                          std::string(name_of(spec.value)) + ", borders of type " +
                          std::string(name_of(spec.border)) + " and the table's type do not fit together");
  }
}

/// Calls call(sweeps) with the kernels of a way that computes the problem.
template <class P, class Call>
auto with_sweeps(SweepWay way, const SweepSpec& spec, Call&& call) {
  if constexpr (requires { P::counts; }) {
    check_sum_types<P>(spec);
    if constexpr (!P::counts) {
      if (way == SweepWay::sums) return call(SumSweeps<P>{});
    }
    return call(StripSweeps<P>{});
  } else {
    if constexpr (requires { typename P::Bits; }) {
      if (way == SweepWay::bits) return call(BitSweeps<P>{});
    }
    if constexpr (has_pairs<P>) {
      if (way == SweepWay::pairs) return call(PairSweeps<P>{});
    }
    return call(LetterSweeps<P>{});
  }
}

template <class P>
std::string CudaSweeps<P>::unfit(SweepWay way, const SweepSpec& spec) {
  constexpr bool sums = requires { P::counts; };
  const bool table = spec.table || spec.kept;
  if (spec.by_strips && sums) return "its blocks are not dealt in strips";
  switch (way) {
    case SweepWay::bits:
      if (!requires { typename P::Bits; }) return "the problem has no bit-parallel form";
      return table || spec.cell_rows > 0 || spec.cell_columns > 0 ? "it keeps no cells" : "";
    case SweepWay::pairs:
      if constexpr (has_pairs<P>) {
        if (table) return "it keeps no cells";
        return PairSweeps<P>::fits(spec) ? "" : "its cells have 16 bits, which may not hold these scores";
      }
      return "it computes local alignments by match and mismatch";
    case SweepWay::cells:
      return sums ? "it computes letters and values" : "";
    case SweepWay::strips:
      if constexpr (sums) {
        if (!P::counts && is_floating(spec.value)) return "it sums whole numbers";
        if (!P::counts && !StripSweeps<P>::serves(spec)) return "sums of 64 bits may overflow, and are to be checked";
        return "";
      }
      return "it sums grids";
    case SweepWay::sums:
      if constexpr (sums) {
        if (P::counts) return "it sums values, and does not count them";
        const bool known = is_floating(spec.value) || spec.value == ElementType::i64;
        return known ? "" : "sums have 64 bits, or are real numbers";
      }
      return "it sums grids";
    case SweepWay::tiles:
      break;
  }
  return "";
}

template <class P>
bool CudaSweeps<P>::fills_in_pairs(const SweepSpec& spec, const device::Limits& limits) {
  if constexpr (has_pairs<P>) return fills<P>(spec, limits, PairSweeps<P>::Swept::band_rows);
  return false;
}

template <class P>
std::size_t CudaSweeps<P>::workspace_bytes(SweepWay way, const SweepSpec& spec, const device::Limits& limits,
                                           const CudaTrial& trial) {
  const auto bytes = [&](std::int64_t known) {
    SweepSpec like = spec;
    like.known = known;
    return with_sweeps<P>(way, like, [&](auto sweeps) { return sweeps.workspace_bytes(like, limits, trial); });
  };
  return std::max(bytes(0), bytes(unbounded));
}

template <class P>
std::unique_ptr<device::BlockKernel> CudaSweeps<P>::make(SweepWay way, const SweepSpec& spec,
                                                         device::Context& context, void* workspace,
                                                         const CudaTrial& trial) {
  return with_sweeps<P>(way, spec, [&](auto sweeps) { return sweeps.make(spec, context, workspace, trial); });
}

}  // namespace terrace::wavefront
