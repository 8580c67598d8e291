// Products of real matrices on the CPU.
#include "kernels/recursive/cpu/blas_tiles.hpp"
#include "kernels/recursive/cpu/tiles.hpp"

namespace terrace::recursive {
namespace {

template <class T>
class ProductsOnCpu : public BlasTiles<T> {
 public:
  using BlasTiles<T>::BlasTiles;

 private:
  TileResult compute(const TileTask& task) override {
    TileResult result{};
    result.negative_pivot = -1;
    if (task.input != nullptr) this->begin(task, result);
    if (task.function == Function::inspect) return result;
    this->multiply({static_cast<T*>(task.x), task.x_stride}, {static_cast<const T*>(task.u), task.u_stride},
                   {static_cast<const T*>(task.v), task.v_stride}, task.rows, task.columns, task.depth,
                   task.empty != 0 ? T(0) : T(1), T(1));
    return result;
  }
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_products_cpu(const TileSpec& spec, device::ThreadPool& pool) {
  if (spec.value == ElementType::f32) return std::make_unique<ProductsOnCpu<float>>(pool, spec);
  return std::make_unique<ProductsOnCpu<double>>(pool, spec);
}

}  // namespace terrace::recursive
