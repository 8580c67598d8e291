#include "kernels/stencil/cuda/linear.hpp"

#include <algorithm>

#include "kernels/stencil/cuda/choice.hpp"
#include "kernels/stencil/cuda/near_sum.hpp"

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
std::unique_ptr<device::BlockKernel> make_near_sum(const StencilSpec& spec, device::Context& context,
                                                   void* workspace) {
  if (spec.rank != 2 || spec.radius != 1) return nullptr;
  if (has_shape(spec, Shape::star)) return CudaNearSum<T, false>::make(spec, context, workspace);
  if (has_shape(spec, Shape::box)) return CudaNearSum<T, true>::make(spec, context, workspace);
  return nullptr;
}

template <class T>
Streamer<T>::Streamer(const StencilSpec& spec, const StreamKernel<T>& kernel)
    : kernel_(kernel), cut_(spec, kernel.sizes, kernel.resident_blocks) {
  const int span = 2 * spec.radius + 1;
  for (const Term<double>& term : spec.terms) {
    const int at = (term.offset[0] + spec.radius) * span + term.offset[2] + spec.radius;
    common_.coefficients[at] = static_cast<T>(term.coefficient);
  }
}

template <class T>
void Streamer<T>::launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const {
  if (levels.output.count() == 0) return;
  StreamTask<T> task = common_;
  static_cast<StreamRows<T, 1>&>(task) = cut_.template rows_of<T, 1>(levels);
  kernel_.launch(StreamCut::blocks_of(task), cut_.warps_for(levels.count), stream, state, task);
}

template std::optional<StreamKernel<float>> stream_for<float>(const StencilSpec&);
template std::optional<StreamKernel<double>> stream_for<double>(const StencilSpec&);
template std::unique_ptr<device::BlockKernel> make_near_sum<float>(const StencilSpec&, device::Context&, void*);
template std::unique_ptr<device::BlockKernel> make_near_sum<double>(const StencilSpec&, device::Context&, void*);
template class Streamer<float>;
template class Streamer<double>;

}  // namespace terrace::stencil
