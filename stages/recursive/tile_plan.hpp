// Parts that plans of tables of tiles share: their phases, the slots of their blocks, and their workers.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/recursive/task.hpp"
#include "kernels/recursive/tiles.hpp"
#include "pipeline/run/slots.hpp"
#include "stages/kernel_worker.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/order.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

/// The value of a phase.
struct TilePhase {
  std::int64_t inspects;  // not 0: the blocks look at inputs and update nothing
  std::int64_t clamps;    // not 0: results of updates from half of infinity on become infinity in the end
};

/// Names of the accesses of a block: fields of TileTask.
enum class TileSlot { x, x_trail, u, u_trail, v, v_trail, input, output };

/// Trails have the strides of the tiles that they belong to.
inline constexpr run::SlotField<recursive::TileTask> tile_slots[] = {
    run::field<&recursive::TileTask::x, &recursive::TileTask::x_stride>(TileSlot::x, "x"),
    run::field<&recursive::TileTask::x_trail>(TileSlot::x_trail, "x_trail"),
    run::field<&recursive::TileTask::u, &recursive::TileTask::u_stride>(TileSlot::u, "u"),
    run::field<&recursive::TileTask::u_trail>(TileSlot::u_trail, "u_trail"),
    run::field<&recursive::TileTask::v, &recursive::TileTask::v_stride>(TileSlot::v, "v"),
    run::field<&recursive::TileTask::v_trail>(TileSlot::v_trail, "v_trail"),
    run::field<&recursive::TileTask::input, &recursive::TileTask::input_stride>(TileSlot::input, "input"),
    run::field<&recursive::TileTask::output, &recursive::TileTask::output_stride>(TileSlot::output, "output"),
};

/// The function of an update in place, by the factors that tile x itself is.
inline recursive::Function function_of(const Update& at) {
  using recursive::Function;
  if (at.i == at.k) return at.j == at.k ? Function::a : Function::b;
  return at.j == at.k ? Function::c : Function::d;
}

/// A worker of the plan on tiles of at most `side` rows and columns.
template <class P>
std::unique_ptr<run::Worker> make_tile_worker(const P& plan, const recursive::TileSpec& spec, std::int64_t side,
                                              device::Context& context) {
  const recursive::UpdateSpec updates{spec, recursive::Form::product, side};
  const recursive::UpdateMethod& method = update_method(updates, backend_of(context), context.limits());
  auto workspace = workspace_for(method, updates, context);
  auto kernel = make_kernel(method, updates, context, workspace.get());
  return std::make_unique<KernelWorker<P>>(plan, std::move(kernel), std::move(workspace));
}

}  // namespace terrace::stages
