#include "kernels/stencil/cuda/papers/tiled.hpp"

#include <algorithm>

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/stencil/cuda/common/blocks.hpp"
#include "kernels/stencil/cuda/common/choice.hpp"
#include "kernels/stencil/measured.hpp"

namespace terrace::stencil {
namespace {

static_assert(measured::CudaOverlapped::steps(1) <= most_steps_at_once);

template <class T>
TileTask<T> task_of(const StencilSpec& spec, const Term<T>* terms, const Levels<T>& levels) {
  TileTask<T> task{};
  task.terms = terms;
  task.count = static_cast<i32>(spec.terms.size());
  task.radius = spec.radius;
  task.levels = static_cast<i32>(levels.count);
  task.from = levels.from[0];
  task.to = levels.to[0];
  task.input = levels.input;
  task.output = levels.output;
  task.extent = spec.extents[0];
  task.width = spec.width();
  return task;
}

template <class T>
class OverlappedBlocks final : public StencilBlocks<T> {
  using Base = StencilBlocks<T>;
  using Base::spec;
  using Sizes = measured::CudaOverlapped;

 public:
  OverlappedBlocks(const StencilSpec& stencil, device::Context& context, void* workspace)
      : Base(stencil, context, workspace, 1),
        kernel_(CudaTiles<T>::overlapped(static_cast<int>(spec().terms.size()))) {}

 protected:
  i64 most_levels(const StencilTask& task) const override {
    return levels_at_once(spec(), task, Sizes::steps(spec().radius));
  }
  void make_levels(const StencilTask&, const Levels<T>& levels) override {
    constexpr i64 most_blocks = i64{1} << 30;
    const i64 halo = levels.count * spec().radius;
    const i64 high = Sizes::rows - 2 * halo, wide = Sizes::columns(sizeof(T)) - 2 * halo;
    const i64 tiles = (levels.output.count() + high - 1) / high * ((spec().width() + wide - 1) / wide);
    if (tiles == 0) return;
    kernel_.launch(static_cast<unsigned>(std::min(tiles, most_blocks)), kernel_.shared_bytes, Base::stream(),
                   Base::state(), task_of(spec(), Base::terms(), levels));
  }

 private:
  OverlappedKernel<T> kernel_;
};

/// The sizes of the memory of skewed tiles.
class SkewedSizes {
 public:
  SkewedSizes(const StencilSpec& spec, i64 processors)
      : spec_(spec), processors_(processors), most_levels_(skewed_steps(spec.tile, spec.radius)) {}

  i64 most_levels() const { return most_levels_; }
  /// Rows of tiles that cover so many rows at all levels, and tiles that cover a row.
  i64 rows_for(i64 rows, i64 levels) const { return tiles_for(rows + levels * spec_.radius, spec_.tile.rows); }
  i64 tiles(i64 levels) const { return tiles_for(spec_.width() + levels * spec_.radius, spec_.tile.columns); }
  i64 streams() const { return spec_.streams > 0 ? std::min<i64>(spec_.streams, processors_) : processors_; }

  /// Bytes of the words of both locks, then of the rows that are handed on.
  std::size_t word_bytes() const {
    const i64 words = rows_for(spec_.extents[0], most_levels_) + most_arrays();
    return device::aligned_bytes(static_cast<std::size_t>(words) * sizeof(u64));
  }
  std::size_t handed_on_bytes() const {
    const i64 span = tiles(most_levels_) * spec_.tile.columns;
    return static_cast<std::size_t>(most_arrays() * most_levels_ * 2 * spec_.radius * span) * size_of(spec_.value);
  }

 private:
  static i64 tiles_for(i64 cells, i64 size) { return (cells + size - 1) / size; }
  i64 most_arrays() const { return std::max<i64>(2, streams()); }

  const StencilSpec& spec_;
  i64 processors_, most_levels_;
};

template <class T>
class SkewedBlocks final : public StencilBlocks<T> {
  using Base = StencilBlocks<T>;
  using Base::spec;

 public:
  SkewedBlocks(const StencilSpec& stencil, device::Context& context, void* workspace)
      : Base(stencil, context, workspace, 1),
        sizes_(spec(), context.limits().processors),
        kernel_(CudaTiles<T>::skewed(spec().tile, spec().radius, static_cast<int>(sizes_.most_levels()),
                                     static_cast<int>(spec().terms.size()))),
        words_(reinterpret_cast<u64*>(static_cast<unsigned char*>(workspace) + plan_stencil(spec()).bytes)),
        handed_on_(reinterpret_cast<T*>(reinterpret_cast<unsigned char*>(words_) + sizes_.word_bytes())) {}

 protected:
  i64 most_levels(const StencilTask& task) const override {
    return levels_at_once(spec(), task, sizes_.most_levels());
  }
  void make_levels(const StencilTask&, const Levels<T>& levels) override {
    if (levels.output.count() == 0) return;
    SkewedTask<T> task{};
    task.sum = task_of(spec(), Base::terms(), levels);
    task.rows = sizes_.rows_for(levels.output.end - levels.input.begin, levels.count);
    task.tiles = sizes_.tiles(levels.count);
    // All thread blocks have to run at a time: rows of tiles wait for one another.
    const i64 streams = std::min({sizes_.streams(), i64{kernel_.resident}, task.rows});
    const i64 time_tile = levels.step / sizes_.most_levels();
    task.offset = task.rows % streams * time_tile;
    task.arrays = std::max<i64>(2, streams);
    task.handed_on = handed_on_;
    task.done = words_;
    task.read = words_ + task.rows;
    task.aborts = Base::abort();
    const auto words = static_cast<std::size_t>(task.rows + task.arrays);
    TERRACE_CUDA_CHECK(cudaMemsetAsync(words_, 0, words * sizeof(u64), Base::stream()));
    kernel_.launch(static_cast<unsigned>(streams), kernel_.shared_bytes, Base::stream(), Base::state(), task);
  }

 private:
  SkewedSizes sizes_;
  SkewedKernel<T> kernel_;
  u64* words_;
  T* handed_on_;
};

template <class T>
std::unique_ptr<device::BlockKernel> make_tiled_of(const StencilSpec& spec, device::Context& context,
                                                   void* workspace) {
  if (spec.schedule == Schedule::overlapped) {
    return std::make_unique<OverlappedBlocks<T>>(spec, context, workspace);
  }
  return std::make_unique<SkewedBlocks<T>>(spec, context, workspace);
}

}  // namespace

bool is_tiled(const StencilSpec& spec) {
  return spec.schedule == Schedule::overlapped || spec.schedule == Schedule::time_skewed;
}

std::size_t tiled_bytes(const StencilSpec& spec, const device::Limits& limits) {
  if (spec.schedule != Schedule::time_skewed) return 0;
  const SkewedSizes sizes(spec, limits.processors);
  return sizes.word_bytes() + sizes.handed_on_bytes();
}

std::unique_ptr<device::BlockKernel> make_tiled(const StencilSpec& spec, device::Context& context, void* workspace) {
  return spec.value == ElementType::f32 ? make_tiled_of<float>(spec, context, workspace)
                                        : make_tiled_of<double>(spec, context, workspace);
}

}  // namespace terrace::stencil
