// Blocks of pairs on CUDA, by one problem. Included by the sources that the build makes from cuda/problem.cu.in.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/launch/launch.cuh"
#include "kernels/pairs/cuda/align_kernel.cuh"
#include "kernels/pairs/cuda/bits_kernel.cuh"
#include "kernels/pairs/cuda/bounds_kernel.cuh"
#include "kernels/pairs/cuda/lanes.hpp"
#include "kernels/pairs/cuda/plan.hpp"
#include "kernels/pairs/cuda/series_kernel.cuh"
#include "kernels/wavefront/visit.hpp"

namespace terrace::pairs {

static_assert(sizeof(PairsState) <= state_bytes && sizeof(ScoreTable) <= table_bytes &&
              order_buckets * sizeof(u32) == bucket_bytes && align_threads == cuda_threads &&
              bits_threads == cuda_threads && series_threads == cuda_threads && thread_rows == bits_strip_rows);

/// Steps common to all blocks of pairs: begin, put the pairs in order, compute, report.
template <class P>
class PairsOnCuda : public device::CudaBlocks<PairsTask, PairsResult> {
  using Blocks = device::CudaBlocks<PairsTask, PairsResult>;

 protected:
  PairsOnCuda(const PairsSpec& spec, device::Context& context, void* workspace)
      : Blocks("pairs", context),
        spec_(spec),
        plan_(spec, context.limits()),
        workspace_(static_cast<unsigned char*>(workspace)) {
    this->load(begin_, order_threads);
    this->load(count_, order_threads);
    this->load(sum_, order_threads);
    this->load(order_, order_threads);
    this->load(report_, 1);
  }

  /// Submits a kernel that reports pairs which have no place in the order. @return marks of these, in device memory;
  /// null: there are none
  virtual const u8* find_far(const PairsTask&) { return nullptr; }
  /// Submits the kernels that compute the pairs of a block in their order.
  virtual void compute(const device::Port& port, const PairsTask& task) = 0;

  template <class T>
  T* place(std::size_t at) const {
    return reinterpret_cast<T*>(workspace_ + at);
  }
  PairsState* state() const { return place<PairsState>(plan_.state); }
  const i32* order() const { return place<i32>(plan_.order); }
  const CudaPlan& plan() const { return plan_; }
  const PairsSpec& spec() const { return spec_; }

 private:
  bool submit(const device::Port& port, u64 block, const PairsTask& task) override {
    u32* buckets = place<u32>(plan_.buckets);
    PairsState* state = this->state();
    const i64 blocks = std::clamp<i64>((task.count + order_threads - 1) / order_threads, 1, 4096);
    device::launch(begin_, this->shape(1, order_threads), port, state, buckets, block);
    const OrderWork work{task, spec_.longest_row, spec_.longest_column, find_far(task)};
    device::launch(count_, this->shape(blocks, order_threads), state, work, buckets);
    device::launch(sum_, this->shape(1, order_threads), state, buckets, place<i32>(plan_.order), task.count);
    device::launch(order_, this->shape(blocks, order_threads), state, work, buckets, place<i32>(plan_.order));
    compute(port, task);
    device::launch(report_, this->shape(1, 1), port, state, block);
    return true;
  }

  device::Kernel<device::Port, PairsState*, u32*, u64> begin_ =
      device::make_kernel(begin_pairs_kernel<P>, "begin_pairs_kernel");
  device::Kernel<const PairsState*, OrderWork, u32*> count_ =
      device::make_kernel(count_pairs_kernel<P>, "count_pairs_kernel");
  device::Kernel<PairsState*, u32*, i32*, i64> sum_ =
      device::make_kernel(sum_buckets_kernel<P>, "sum_buckets_kernel");
  device::Kernel<const PairsState*, OrderWork, u32*, i32*> order_ =
      device::make_kernel(order_pairs_kernel<P>, "order_pairs_kernel");
  device::Kernel<device::Port, const PairsState*, u64> report_ =
      device::make_kernel(report_pairs_kernel<P>, "report_pairs_kernel");

  PairsSpec spec_;
  CudaPlan plan_;
  unsigned char* workspace_;
};

template <class P>
class AlignmentsOnCuda final : public PairsOnCuda<P> {
  using Constants = typename P::template Constants<i64>;
  using Align = device::Kernel<device::Port, PairsState*, AlignWork, Constants>;
  static constexpr bool local = P::report == wavefront::Report::best;
  static constexpr bool by_matrix = wavefront::by_matrix<P>;

 public:
  AlignmentsOnCuda(const PairsSpec& spec, device::Context& context, void* workspace)
      : PairsOnCuda<P>(spec, context, workspace),
        k_(wavefront::problem_constants<P>(spec.settings)),
        wide_(spec.value == ElementType::i64),
        align_(kernel(spec.ends)) {
    if constexpr (by_matrix) {
      const CudaPlan& plan = this->plan();
      static_assert(profile_bytes == align_threads / 32 * SharedProfile<profile_shapes[0].rows_of_lane>::warp_bytes &&
                    profile_shapes[0].rows_of_lane == profile_shapes[1].rows_of_lane);
      shared_bytes_ = plan.profiles ? profile_bytes
                      : plan.halves ? SharedScores<HalfValues>::bytes
                                    : SharedScores<SingleValues>::bytes;
    }
    this->load(align_, align_threads, shared_bytes_);
    if constexpr (by_matrix) {
      bring_table();
    } else {
      picking_ = with_halves<true>();
      this->load(find_bits_, order_threads);
      this->load(picking_, align_threads);
    }
  }

 private:
  void compute(const device::Port& port, const PairsTask& task) override {
    const AlignWork work{task,
                         this->order(),
                         this->template place<void>(this->plan().handed),
                         this->plan().handed_stride,
                         this->template place<ScoreTable>(this->plan().table),
                         wide_,
                         this->plan().bytes ? 1 : 0};
    if constexpr (!by_matrix) {
      if (work.bytes != 0) {
        device::launch(find_bits_, this->shape(this->plan().blocks, order_threads), this->state(), task);
        device::launch(picking_, this->shape(this->plan().blocks, align_threads), port, this->state(), work, k_);
      }
    }
    device::launch(align_, this->shape(this->plan().blocks, align_threads, shared_bytes_), port, this->state(), work,
                   k_);
  }

  Align kernel(bool ends) const {
    if (by_matrix && this->plan().profiles) return with_halves<true>();
    if (this->plan().halves) return with_halves<false>();
    if (local ? ends : ends_in_any_row()) return kernel_of<SingleValues, true, false>();
    return kernel_of<SingleValues, false, false>();
  }
  /// @tparam bytes as for AlignGroup
  template <bool bytes>
  Align with_halves() const {
    if constexpr (!local) {
      if (ends_in_any_row()) return kernel_of<HalfValues, true, bytes>();
    }
    return kernel_of<HalfValues, false, bytes>();
  }
  bool ends_in_any_row() const {
    if constexpr (local) return false;
    else return P::template ends<i64>(k_).last_column;
  }
  template <class Values, bool any_row, bool bytes>
  Align kernel_of() const {
    switch (this->plan().shape) {
      case 0:
        return kernel_in<Values, any_row, bytes, 0>();
      case 1:
        return kernel_in<Values, any_row, bytes, 1>();
      default:
        return kernel_in<Values, any_row, bytes, 2>();
    }
  }

  template <class Values, bool any_row, bool bytes, int shape>
  static Align kernel_in() {
    constexpr AlignShape in = bytes && by_matrix            ? profile_shapes[shape % std::size(profile_shapes)]
                              : bytes && P::row_planes == 1 ? light_shapes[shape]
                                                            : align_shapes[shape];
    return device::make_kernel(align_kernel<P, Values, any_row, in.lanes, in.rows_of_lane, bytes>, "align_kernel");
  }

  /// Scores times the scale, with the cost of a gap's first letter added. Letters beyond items' ends add nothing;
  /// rows before items' first ones are like the border.
  void bring_table() const {
    const wavefront::Matrix& matrix = *k_.matrix;
    const i64 least = std::min<i64>(wavefront::range_of(matrix).least, 0);
    const i64 before =
        this->plan().halves ? score_before_first<P, HalfValues>(k_) : score_before_first<P, SingleValues>(k_);
    ScoreTable table{};
    for (int column = 0; column < table_letters; ++column) {
      for (int row = 0; row < table_letters; ++row) {
        const bool known = row < matrix.count && column < matrix.count;
        const i64 score = k_.scale * (known ? matrix.scores[row][column] : least), first = first_cost(k_);
        table.scores[column][row] = static_cast<i32>((!local && row == matrix_pad_letter ? before : score) + first);
        if (this->plan().profiles) table.bytes.scores[row][column] = static_cast<u8>(score + first);
      }
    }
    TERRACE_CUDA_CHECK(cudaMemcpyAsync(this->template place<ScoreTable>(this->plan().table), &table, sizeof table,
                                       cudaMemcpyHostToDevice, this->stream()));
    TERRACE_CUDA_CHECK(cudaStreamSynchronize(this->stream()));
  }

  Constants k_;
  i32 wide_;
  Align align_;
  std::size_t shared_bytes_ = 0;
  Align picking_{};  // where all letters are below 4
  device::Kernel<PairsState*, PairsTask> find_bits_ = device::make_kernel(find_bits_kernel<P>, "find_bits_kernel");
};

template <class P>
class DistancesOnCuda final : public PairsOnCuda<P> {
 public:
  DistancesOnCuda(const PairsSpec& spec, device::Context& context, void* workspace)
      : PairsOnCuda<P>(spec, context, workspace), wide_(spec.value == ElementType::i64) {
    if (spec.at_most) at_most_ = static_cast<i64>(std::clamp(std::floor(*spec.at_most), -1.0, 0x1p40));
    this->load(find_bits_, order_threads);
    this->load(bits_, bits_threads);
  }

 private:
  void compute(const device::Port& port, const PairsTask& task) override {
    const i64 blocks = this->plan().blocks;
    const BitsLaunch work{
        task,     this->order(), this->template place<u32>(this->plan().handed), this->plan().handed_stride,
        at_most_, wide_};
    device::launch(find_bits_, this->shape(blocks, order_threads), this->state(), task);
    device::launch(bits_, this->shape(blocks, bits_threads), port, this->state(), work);
  }

  device::Kernel<PairsState*, PairsTask> find_bits_ = device::make_kernel(find_bits_kernel<P>, "find_bits_kernel");
  device::Kernel<device::Port, PairsState*, BitsLaunch> bits_ = device::make_kernel(bits_kernel<P>, "bits_kernel");
  i64 at_most_ = i64{1} << 40;
  i32 wide_;
};

template <class P, class T>
class WarpingOnCuda final : public PairsOnCuda<P> {
  using Series = device::Kernel<device::Port, PairsState*, SeriesLaunch>;

 public:
  WarpingOnCuda(const PairsSpec& spec, device::Context& context, void* workspace)
      : PairsOnCuda<P>(spec, context, workspace),
        k_(wavefront::problem_constants<P>(spec.settings)),
        at_most_(spec.at_most.value_or(std::numeric_limits<double>::infinity())) {
    this->load(series_, series_threads);
    if (spec.at_most) this->load(find_far_, bounds_threads);
  }

 private:
  Series kernel() const { return this->spec().at_most ? kernel_of<true>() : kernel_of<false>(); }
  template <bool limited>
  Series kernel_of() const {
    if constexpr (sizeof(T) == 4) {
      if (this->plan().series_rows == long_series_rows)
        return device::make_kernel(series_kernel<P, T, long_series_rows, limited>, "series_kernel");
    }
    return device::make_kernel(series_kernel<P, T, series_rows, limited>, "series_kernel");
  }

  const u8* find_far(const PairsTask& task) override {
    if (!this->spec().at_most) return nullptr;
    u8* far = this->template place<u8>(this->plan().far);
    const BoundsLaunch work{task,
                            far,
                            this->spec().longest_row,
                            this->spec().longest_column,
                            k_.window,
                            at_most_,
                            this->spec().settings.text("cost") == "squared" ? 1 : 0,
                            k_.free_columns ? 1 : 0};
    device::launch(find_far_, this->shape(this->plan().blocks, bounds_threads), this->state(), work);
    return far;
  }

  void compute(const device::Port& port, const PairsTask& task) override {
    const SeriesLaunch work{task,
                            this->order(),
                            this->template place<void>(this->plan().handed),
                            this->plan().handed_stride,
                            k_.window,
                            at_most_,
                            k_.free_columns ? 1 : 0};
    device::launch(series_, this->shape(this->plan().blocks, series_threads), port, this->state(), work);
  }

  Series series_ = kernel();
  device::Kernel<PairsState*, BoundsLaunch> find_far_ = device::make_kernel(find_far_kernel<P, T>, "find_far_kernel");
  typename P::template Constants<i64> k_;
  double at_most_;
};

template <class P>
std::unique_ptr<device::BlockKernel> CudaPairs<P>::make(const PairsSpec& spec, device::Context& context,
                                                        void* workspace) {
  using wavefront::Items;
  if constexpr (P::items == Items::grid) {
    throw DeviceError("pairs", "grids have none");
  } else if constexpr (P::items == Items::values) {
    if (spec.value == ElementType::f32) return std::make_unique<WarpingOnCuda<P, float>>(spec, context, workspace);
    return std::make_unique<WarpingOnCuda<P, double>>(spec, context, workspace);
  } else if constexpr (requires { typename P::Bits; }) {
    return std::make_unique<DistancesOnCuda<P>>(spec, context, workspace);
  } else {
    return std::make_unique<AlignmentsOnCuda<P>>(spec, context, workspace);
  }
}

}  // namespace terrace::pairs
