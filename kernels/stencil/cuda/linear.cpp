#include "kernels/stencil/cuda/linear.hpp"

#include <algorithm>

#include "kernels/stencil/separable.hpp"

namespace terrace::stencil {
namespace {

using measured::CudaBox;
using measured::CudaStream;
using measured::StreamForm;

bool keeps_or_wraps(const Faces& faces) {
  return faces.low == faces.high && (faces.low == Face::fixed || faces.low == Face::periodic);
}

/// True if a sum is one that kernels of stars and boxes make: on a plane, without additions, with faces that keep
/// cells or wrap.
bool is_plain_sum(const StencilSpec& spec) {
  return spec.rank == 2 && spec.source < 0 && spec.mask < 0 && keeps_or_wraps(spec.faces[0]) &&
         keeps_or_wraps(spec.faces[2]);
}

template <class T, StreamForm form, int radius = 1>
StreamKernel<T> kernel_of(int wanted) {
  if constexpr (radius < CudaStream::most_radius(form, sizeof(T))) {
    if (wanted > radius) return kernel_of<T, form, radius + 1>(wanted);
  }
  return CudaStreamKernel<T, form, radius>::kernel();
}

/// The form of a sum, if it is one of them.
std::optional<StreamForm> form_of(const StencilSpec& spec) {
  if (spec.separable) return StreamForm::separable;
  if (has_shape(spec, Shape::star)) return StreamForm::star;
  if (has_shape(spec, Shape::box)) return StreamForm::box;
  return std::nullopt;
}

template <class T>
StreamKernel<T> kernel_of(StreamForm form, int radius) {
  return form == StreamForm::star  ? kernel_of<T, StreamForm::star>(radius)
         : form == StreamForm::box ? kernel_of<T, StreamForm::box>(radius)
                                   : kernel_of<T, StreamForm::separable>(radius);
}

/// The coefficients and the grid of a sum.
template <class T>
StreamTask<T> common_of(const StencilSpec& spec) {
  StreamTask<T> task{};
  const int span = 2 * spec.radius + 1;
  int number = 0;
  for (const Term<double>& term : spec.terms) {
    const int place = (term.offset[0] + spec.radius) * span + term.offset[2] + spec.radius;
    task.coefficients[spec.separable ? number++ : place] = static_cast<T>(term.coefficient);
  }
  task.extent = spec.extents[0];
  task.width = spec.width();
  task.keeps_rows = spec.faces[0].low == Face::fixed;
  task.wraps_columns = spec.faces[2].low == Face::periodic;
  return task;
}

/// True if rows of that many values begin at multiples of 16 bytes.
template <class T>
bool is_aligned(const Lines<T>& lines, i64 width) {
  bool aligned = width * static_cast<i64>(sizeof(T)) % 16 == 0;
  for (i32 piece = 0; piece < lines.pieces; ++piece) {
    aligned = aligned && reinterpret_cast<std::uintptr_t>(lines.data[piece]) % 16 == 0;
  }
  return aligned;
}

}  // namespace

template <class T>
std::optional<StreamKernel<T>> stream_for(const StencilSpec& spec) {
  if (!is_plain_sum(spec) || spec.depth == 1) return std::nullopt;
  const std::optional<StreamForm> form = form_of(spec);
  if (!form || spec.radius < 1 || spec.radius > CudaStream::most_radius(*form, sizeof(T))) return std::nullopt;
  const StreamKernel<T> kernel = kernel_of<T>(*form, spec.radius);
  if (spec.extents[2] < 32 * kernel.sizes.cells) return std::nullopt;
  return kernel;
}

template <class T>
std::optional<BoxKernel<T>> box_for(const StencilSpec& spec) {
  if (!is_plain_sum(spec) || spec.schedule == Schedule::plain) return std::nullopt;
  if (spec.radius < CudaBox::least_radius || spec.radius > CudaBox::most_radius) return std::nullopt;
  if (form_of(spec) != StreamForm::box) return std::nullopt;
  return CudaBoxKernel<T>::kernel(spec.radius);
}

template <class T>
Streamer<T>::Streamer(const StencilSpec& spec, const StreamKernel<T>& kernel)
    : spec_(spec), kernel_(kernel), common_(common_of<T>(spec)) {
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
  const i64 halo = i64{spec_.radius} * kernel_.sizes.levels * warps, cells = 16 / static_cast<i64>(sizeof(T));
  const i64 useful = tile() - 2 * ((halo + cells - 1) / cells * cells);
  const i64 rows = levels.output.count(), width = spec_.width();
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
  task.aligned = is_aligned(task.from, width) && is_aligned(task.to, width);
  const i64 chunks = (rows + task.chunk_rows - 1) / task.chunk_rows;
  kernel_.launch(static_cast<unsigned>(task.tiles * chunks), warps, stream, state, task);
}

/// The rows of a chunk with which all is done soonest: many chunks keep the device busy, and each reads rows above
/// and below it.
template <class T>
i64 Streamer<T>::chunk_rows(i64 rows, i64 tiles, i64 halo, unsigned warps) const {
  const i64 resident = resident_[warps - 1], extra = 2 * halo + i64{warps} * kernel_.sizes.rows;
  i64 best = rows, least = -1;
  for (i64 chunks = 1; chunks <= std::max<i64>(1, std::min<i64>(rows / (2 * spec_.radius), 8 * resident)); ++chunks) {
    const i64 height = (rows + chunks - 1) / chunks, waves = (tiles * chunks + resident - 1) / resident;
    const i64 time = waves * (height + extra);
    if (least >= 0 && time >= least) continue;
    least = time;
    best = height;
  }
  return best;
}

template <class T>
BoxStepper<T>::BoxStepper(const StencilSpec& spec, const BoxKernel<T>& kernel)
    : kernel_(kernel), common_(common_of<T>(spec)) {
  kernel_.load();
}

template <class T>
void BoxStepper<T>::launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const {
  const i64 rows = levels.output.count();
  if (rows == 0) return;
  StreamTask<T> task = common_;
  task.from = levels.from[0];
  task.to = levels.to[0];
  task.rows = levels.output;
  task.levels = 1;
  task.wraps_rows = levels.whole && task.keeps_rows == 0;
  task.tiles = (task.width + kernel_.width - 1) / kernel_.width;
  task.aligned = is_aligned(task.from, task.width) && is_aligned(task.to, task.width);
  const i64 bands = (rows + kernel_.height - 1) / kernel_.height;
  kernel_.launch(static_cast<unsigned>(task.tiles * bands), stream, state, task);
}

template std::optional<StreamKernel<float>> stream_for<float>(const StencilSpec&);
template std::optional<StreamKernel<double>> stream_for<double>(const StencilSpec&);
template std::optional<BoxKernel<float>> box_for<float>(const StencilSpec&);
template std::optional<BoxKernel<double>> box_for<double>(const StencilSpec&);
template class Streamer<float>;
template class Streamer<double>;
template class BoxStepper<float>;
template class BoxStepper<double>;

}  // namespace terrace::stencil
