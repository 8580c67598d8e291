#include "kernels/stencil/cuda/linear.hpp"

#include <algorithm>

#include "kernels/stencil/cuda/choice.hpp"

namespace terrace::stencil {
namespace {

using measured::CudaStream;

template <class T, bool box>
StreamKernel<T> kernel_of(int radius) {
  static_assert(CudaStream::most_radius == 4);
  return radius == 1   ? CudaStreamKernel<T, box, 1>::kernel()
         : radius == 2 ? CudaStreamKernel<T, box, 2>::kernel()
         : radius == 3 ? CudaStreamKernel<T, box, 3>::kernel()
                       : CudaStreamKernel<T, box, 4>::kernel();
}

}  // namespace

template <class T>
std::optional<StreamKernel<T>> stream_for(const StencilSpec& spec) {
  if (spec.rank != 2 || spec.source >= 0 || spec.mask >= 0 || spec.depth == 1) return std::nullopt;
  if (spec.radius < 1 || spec.radius > CudaStream::most_radius) return std::nullopt;
  if (!keeps_or_wraps(spec.faces[0]) || !keeps_or_wraps(spec.faces[2])) return std::nullopt;
  const bool star = has_shape(spec, Shape::star), box = has_shape(spec, Shape::box);
  if (!star && !box) return std::nullopt;
  const StreamKernel<T> kernel = star ? kernel_of<T, false>(spec.radius) : kernel_of<T, true>(spec.radius);
  if (spec.extents[2] < 32 * kernel.sizes.cells) return std::nullopt;
  return kernel;
}

template <class T>
Streamer<T>::Streamer(const StencilSpec& spec, const StreamKernel<T>& kernel) : spec_(spec), kernel_(kernel) {
  const int span = 2 * spec.radius + 1;
  for (const Term<double>& term : spec.terms) {
    const int at = (term.offset[0] + spec.radius) * span + term.offset[2] + spec.radius;
    common_.coefficients[at] = static_cast<T>(term.coefficient);
  }
  common_.extent = spec.extents[0];
  common_.width = spec.width();
  common_.keeps_rows = spec.faces[0].low == Face::fixed;
  common_.wraps_columns = spec.faces[2].low == Face::periodic;
  for (int warps = 1; warps <= kernel.sizes.warps; ++warps) {
    resident_.push_back(kernel.resident_blocks(static_cast<unsigned>(warps)));
  }
}

template <class T>
i64 Streamer<T>::most_levels(const StencilTask& task) const {
  const i64 most = i64{kernel_.sizes.levels} * kernel_.sizes.warps;
  const i64 wanted = spec_.depth > 0 ? std::min<i64>(most, spec_.depth) : most;
  // A slab hands on rows of its own alone.
  return task.whole != 0 ? wanted : std::clamp<i64>(spec_.slab_rows / (2 * spec_.radius), 1, wanted);
}

template <class T>
void Streamer<T>::launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const {
  const auto warps = static_cast<unsigned>((levels.count + kernel_.sizes.levels - 1) / kernel_.sizes.levels);
  const i64 halo = i64{spec_.radius} * kernel_.sizes.levels * warps, useful = tile() - 2 * halo;
  const i64 cells = 16 / static_cast<i64>(sizeof(T)), rows = levels.output.count(), width = spec_.width();
  if (rows == 0) return;
  StreamTask<T> task = common_;
  task.from = levels.from[0];
  task.to = levels.to[0];
  task.rows = levels.output;
  task.levels = static_cast<i32>(levels.count);
  task.wraps_rows = levels.whole && task.keeps_rows == 0;
  task.stride = useful;
  task.tiles = task.wraps_columns != 0 ? (width + useful - 1) / useful : 1 + (width - tile() + useful - 1) / useful;
  task.chunk_rows = chunk_rows(rows, task.tiles, halo, warps);
  task.aligned = is_aligned(task.from, width) && is_aligned(task.to, width) && halo % cells == 0;
  const i64 chunks = (rows + task.chunk_rows - 1) / task.chunk_rows;
  kernel_.launch(static_cast<unsigned>(task.tiles * chunks), warps, stream, state, task);
}

template <class T>
i64 Streamer<T>::chunk_rows(i64 rows, i64 tiles, i64 halo, unsigned warps) const {
  return best_chunk_rows(rows, 2 * spec_.radius, tiles, resident_[warps - 1],
                         2 * halo + i64{warps} * kernel_.sizes.rows);
}

template std::optional<StreamKernel<float>> stream_for<float>(const StencilSpec&);
template std::optional<StreamKernel<double>> stream_for<double>(const StencilSpec&);
template class Streamer<float>;
template class Streamer<double>;

}  // namespace terrace::stencil
