#include "kernels/stencil/cuda/rows/streamer.hpp"

#include "kernels/stencil/cuda/common/sums.hpp"

namespace terrace::stencil {

namespace {

using measured::CudaStream;
using measured::StreamForm;

template <class T, StreamForm form, int radius = 1>
StreamKernel<T> kernel_of(int wanted) {
  if constexpr (radius < CudaStream::most_radius(form, sizeof(T))) {
    if (wanted > radius) return kernel_of<T, form, radius + 1>(wanted);
  }
  return CudaStreamKernel<T, form, radius>::kernel();
}

template <class T>
StreamKernel<T> kernel_of(StreamForm form, int radius) {
  return form == StreamForm::star  ? kernel_of<T, StreamForm::star>(radius)
         : form == StreamForm::box ? kernel_of<T, StreamForm::box>(radius)
                                   : kernel_of<T, StreamForm::separable>(radius);
}

}  // namespace

template <class T>
StreamKernel<T> stream_kernel_for(const StencilSpec& spec) {
  return kernel_of<T>(form_of(spec).value(), spec.radius);
}

template <class T>
Streamer<T>::Streamer(const StencilSpec& spec, const StreamKernel<T>& kernel)
    : kernel_(kernel), cut_(spec, kernel.sizes, kernel.resident_blocks) {
  if (spec.separable) {
    for (std::size_t i = 0; i < spec.terms.size(); ++i) {
      common_.coefficients[i] = static_cast<T>(spec.terms[i].coefficient);
    }
  } else {
    put_coefficients(spec, 2 * spec.radius + 1, common_.coefficients);
  }
}

template <class T>
void Streamer<T>::launch(const StencilState* state, cudaStream_t stream, const Levels<T>& levels) const {
  if (levels.output.count() == 0) return;
  StreamTask<T> task = common_;
  static_cast<StreamRows<T, 1>&>(task) = cut_.template rows_of<T, 1>(levels);
  kernel_.launch(StreamCut::blocks_of(task), cut_.warps_for(levels.count), stream, state, task);
}

template StreamKernel<float> stream_kernel_for<float>(const StencilSpec&);
template StreamKernel<double> stream_kernel_for<double>(const StencilSpec&);
template class Streamer<float>;
template class Streamer<double>;

}  // namespace terrace::stencil
