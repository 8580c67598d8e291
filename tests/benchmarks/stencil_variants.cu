#include "tests/benchmarks/stencil_variants.hpp"

#include "kernels/stencil/cuda/box.cuh"
#include "kernels/stencil/cuda/formula.hpp"
#include "kernels/stencil/cuda/stream.cuh"
#include "kernels/stencil/operator_list.hpp"

namespace terrace::stencil::benchmark {
namespace {

using measured::BoxSizes;
using measured::StreamForm;
using measured::StreamSizes;

template <class T>
ElementType type_of() {
  return sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
}

template <class T, StreamForm form, int radius, StreamSizes... sizes>
void add_streams(std::vector<Variant>& all) {
  using F = std::conditional_t<form == StreamForm::separable, SeparableSum, LinearSum>;
  const char* name = form == StreamForm::star ? "star2d" : form == StreamForm::box ? "box2d" : "separable";
  const auto add = [&]<StreamSizes s>() {
    std::string words;
    for (const int size : {s.cells, s.levels, s.warps, s.rows, s.slots, s.blocks}) {
      words += (words.empty() ? "" : ", ") + std::to_string(size);
    }
    const MakeKernel make = [](const StencilSpec& spec, device::Context& context, void* workspace) {
      return CudaFormula<F, T>::make_with(stream_kernel_of<StreamShape<T, form, radius, s>>(), spec, context,
                                          workspace);
    };
    all.push_back({name, radius, type_of<T>(), "rows {" + words + "}", make});
  };
  (add.template operator()<sizes>(), ...);
}

template <class T, int radius, BoxSizes... sizes>
void add_boxes(std::vector<Variant>& all) {
  const auto add = [&]<BoxSizes s>() {
    std::string words;
    for (const int size : {s.cells, s.rows, s.warps, s.blocks}) {
      words += (words.empty() ? "" : ", ") + std::to_string(size);
    }
    const MakeKernel make = [](const StencilSpec& spec, device::Context& context, void* workspace) {
      return CudaFormula<LinearSum, T>::make_with(box_kernel_of<BoxShape<T, radius, s>>(), spec, context, workspace);
    };
    all.push_back({"box2d", radius, type_of<T>(), "tiles {" + words + "}", make});
  };
  (add.template operator()<sizes>(), ...);
}

}  // namespace

std::vector<Variant> variants() {
  std::vector<Variant> all;
  // Cells, levels, warps, rows, slots, blocks.
  constexpr StreamForm star = StreamForm::star, box = StreamForm::box, separable = StreamForm::separable;
  add_streams<float, star, 5, StreamSizes{8, 1, 4, 2, 4, 3}, StreamSizes{8, 1, 4, 1, 4, 3},
              StreamSizes{8, 1, 3, 2, 4, 4}, StreamSizes{8, 1, 2, 1, 8, 6}>(all);
  add_streams<float, star, 6, StreamSizes{8, 1, 2, 2, 8, 4}, StreamSizes{8, 1, 4, 2, 4, 2},
              StreamSizes{8, 1, 4, 1, 4, 3}, StreamSizes{8, 1, 2, 1, 8, 5}>(all);
  add_streams<float, star, 7, StreamSizes{8, 1, 2, 2, 8, 4}, StreamSizes{8, 1, 2, 1, 8, 4},
              StreamSizes{8, 1, 3, 1, 8, 3}, StreamSizes{8, 1, 2, 1, 8, 5}>(all);
  add_streams<float, star, 8, StreamSizes{8, 1, 2, 2, 8, 4}, StreamSizes{8, 1, 2, 1, 8, 4},
              StreamSizes{8, 1, 2, 1, 8, 5}, StreamSizes{8, 1, 3, 1, 8, 3}>(all);
  add_boxes<float, 4, BoxSizes{8, 4, 8, 3}, BoxSizes{8, 8, 8, 2}, BoxSizes{8, 4, 4, 6}>(all);
  add_streams<float, box, 4, StreamSizes{8, 1, 4, 1, 4, 4}>(all);
  add_boxes<float, 8, BoxSizes{8, 4, 8, 3}, BoxSizes{8, 8, 8, 2}, BoxSizes{8, 4, 4, 6}>(all);
  add_streams<float, box, 8, StreamSizes{8, 1, 1, 1, 4, 11}>(all);
  add_boxes<double, 4, BoxSizes{8, 4, 4, 3}, BoxSizes{8, 4, 8, 2}, BoxSizes{4, 4, 8, 3}>(all);
  add_streams<double, box, 4, StreamSizes{4, 1, 4, 1, 8, 2}>(all);
  add_boxes<double, 8, BoxSizes{8, 4, 4, 3}, BoxSizes{8, 4, 8, 2}, BoxSizes{4, 4, 8, 3}>(all);
  add_streams<float, separable, 1, StreamSizes{8, 4, 4, 2, 4, 3}, StreamSizes{8, 4, 4, 2, 4, 4},
              StreamSizes{8, 3, 4, 2, 4, 4}>(all);
  add_streams<float, separable, 2, StreamSizes{8, 2, 4, 2, 4, 4}, StreamSizes{12, 2, 4, 2, 4, 3},
              StreamSizes{12, 1, 4, 2, 4, 4}>(all);
  add_streams<float, separable, 3, StreamSizes{8, 1, 4, 2, 4, 4}, StreamSizes{8, 2, 4, 2, 2, 3},
              StreamSizes{12, 1, 4, 2, 4, 3}, StreamSizes{12, 1, 4, 1, 4, 3}, StreamSizes{8, 2, 4, 1, 4, 3},
              StreamSizes{12, 1, 8, 1, 4, 1}>(all);
  add_streams<float, separable, 4, StreamSizes{8, 1, 4, 2, 4, 3}, StreamSizes{8, 1, 4, 1, 4, 4}>(all);
  add_streams<float, separable, 8, StreamSizes{8, 1, 2, 2, 4, 4}, StreamSizes{8, 1, 2, 1, 8, 4}>(all);
  add_streams<double, separable, 1, StreamSizes{4, 4, 4, 1, 8, 2}, StreamSizes{8, 2, 4, 1, 8, 3}>(all);
  add_streams<double, separable, 2, StreamSizes{4, 3, 4, 1, 8, 2}, StreamSizes{8, 1, 4, 1, 8, 3}>(all);
  add_streams<double, separable, 3, StreamSizes{8, 1, 4, 1, 8, 3}, StreamSizes{8, 1, 4, 1, 8, 2},
              StreamSizes{4, 2, 4, 1, 8, 2}, StreamSizes{4, 1, 4, 1, 8, 4}>(all);
  add_streams<double, separable, 4, StreamSizes{8, 1, 4, 1, 8, 2}, StreamSizes{4, 1, 4, 1, 8, 3}>(all);
  add_streams<double, separable, 8, StreamSizes{8, 1, 4, 1, 8, 2}, StreamSizes{8, 1, 2, 1, 8, 4}>(all);
  return all;
}

}  // namespace terrace::stencil::benchmark
