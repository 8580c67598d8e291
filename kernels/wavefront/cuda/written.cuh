// Makes sweeps of problems that are in no list: the kernel of letters and values, compiled at run time. Included by
// the source that the build makes from cuda/written.cu.in.
#pragma once

#include "kernels/compiled/store.hpp"
#include "kernels/wavefront/costs.hpp"
#include "kernels/wavefront/cuda/band_launches.cuh"
#include "kernels/wavefront/cuda/letters/sweep.cuh"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/written.hpp"
#include "kernels/wavefront/written_base.hpp"

namespace terrace::wavefront {

/// The constants of a written problem: they are in its source.
struct NoConstants {};

/// A block of a written problem as a sweep of a table.
inline SweepSpec spec_of(const WrittenSweep& sweep) {
  auto description = std::make_shared<Description>();
  description->name = "written";
  SweepSpec spec;
  spec.problem = description->name;
  spec.rows = spec.block_rows = std::max<std::int64_t>(1, sweep.rows);
  spec.columns = spec.block_columns = std::max<std::int64_t>(1, sweep.columns);
  spec.value = sweep.has_values ? ElementType::f32 : ElementType::i32;
  spec.border = sweep.has_values ? ElementType::f64 : ElementType::i64;
  spec.description = std::move(description);
  return spec;
}

/// Calls call() with the types and sizes by which a block is swept: many rows a lane where bands fill the device.
template <class Call>
auto with_written(const WrittenSweep& sweep, const device::Limits& limits, const Call& call) {
  using Sizes = measured::CudaLetters;
  const std::int64_t filling = resident_warps(limits) / measured::CudaLaunches::filling_share * 32 * Sizes::many_rows;
  const bool many = sweep.rows >= filling;
  if (sweep.has_values && many) {
    return call.template operator()<Items::values, Real<float>, Sizes::many_rows, Sizes::columns>();
  }
  if (sweep.has_values) {
    return call.template operator()<Items::values, Real<float>, Sizes::few_rows, Sizes::columns_of_values>();
  }
  if (many) return call.template operator()<Items::letters, Word, Sizes::many_rows, Sizes::columns>();
  return call.template operator()<Items::letters, Word, Sizes::few_rows, Sizes::columns>();
}

inline CudaWorkspace written_workspace(const WrittenSweep& sweep, const device::Limits& limits) {
  return with_written(sweep, limits, [&]<Items, class V, int R, int>() {
    const BlockGrid grid = grid_of(spec_of(sweep));
    return plan_workspace(grid, 32 * R, grid.block_columns * TaggedCell<V, 1>::words, resident_warps(limits));
  });
}

inline compiled::Source written_source(const WrittenSweep& sweep, const device::Limits& limits) {
  const std::string sizes = with_written(sweep, limits, [&]<Items items, class V, int R, int C>() {
    return std::string(items == Items::values ? "Real<float>" : "Word") + ", " + std::to_string(R) + ", " +
           std::to_string(C);
  });
  compiled::Source source;
  source.text =
      "#include \"kernels/values/exact.hpp\"\n#include \"kernels/wavefront/cuda/bands/kernel.cuh\"\n"
      "#include \"kernels/wavefront/cuda/letters/sweep.cuh\"\n#include \"kernels/wavefront/written_base.hpp\"\n"
      "namespace terrace::wavefront {\n" +
      sweep.source + "using WrittenCells = LetterSweep<Written, " + sizes +
      ", Keep::borders, false>;\n}  // namespace terrace::wavefront\n";
  source.kernels = {"terrace::wavefront::sweep_bands_kernel<terrace::wavefront::WrittenCells>"};
  return source;
}

/// The compiled kernel and its launches.
class WrittenOnCuda final : public device::BlockKernel {
 public:
  WrittenOnCuda(const WrittenSweep& sweep, device::Context& context, void* workspace) {
    if (context.modules() == nullptr) throw DeviceError("wavefront sweep", "there is no place for kernels of nests");
    modules_ = context.modules()->module(written_source(sweep, context.limits()), context);
    const device::Kernel<SweepArguments, NoConstants> kernel{modules_->kernel(0), "sweep_bands_kernel"};
    with_written(sweep, context.limits(), [&]<Items items, class V, int R, int C>() {
      // The sizes do not depend on the cell.
      using Swept = LetterSweep<WrittenBase<items>, V, R, C, Keep::borders, false>;
      launches_ = std::make_unique<CudaSweep<NoConstants>>(
          spec_of(sweep), kernel, written_workspace(sweep, context.limits()),
          BlockShape{Swept::threads, Swept::sweepers}, sizeof(typename Swept::Memory), false, context, workspace,
          CudaTrial{}, NoConstants{});
    });
  }

  void run(const device::Port& port) override { launches_->run(port); }

 private:
  std::shared_ptr<const compiled::Module> modules_;
  std::unique_ptr<CudaSweep<NoConstants>> launches_;
};

std::size_t written_cuda_bytes(const WrittenSweep& sweep, const device::Limits& limits) {
  return written_workspace(sweep, limits).bytes;
}

double written_cuda_share(const WrittenSweep& sweep, const device::Limits& limits) {
  return filled_share(spec_of(sweep), limits);
}

std::unique_ptr<device::BlockKernel> make_written_cuda(const WrittenSweep& sweep, device::Context& context,
                                                       void* workspace) {
  return std::make_unique<WrittenOnCuda>(sweep, context, workspace);
}

}  // namespace terrace::wavefront
