#include "kernels/wavefront/methods.hpp"

#include "kernels/wavefront/costs.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/tile_sizes.hpp"

namespace terrace::wavefront {
namespace {

using device::Backend;
using device::Limits;

std::string unfit_for_bits(const SweepSpec& spec, const Limits&) {
  if (!description_of(spec)->bits) return "the problem has no bit-parallel form";
  return spec.table ? "it keeps no table" : "";
}

std::string unfit_for_cells(const SweepSpec& spec, const Limits&) {
  return description_of(spec)->items == Items::grid ? "it computes letters and values" : "";
}

std::string unfit_for_sums(const SweepSpec& spec, const Limits&) {
  return description_of(spec)->items == Items::grid ? "" : "it sums grids";
}

std::string unfit_for_tiles(const SweepSpec& spec, const Limits&) {
  return description_of(spec)->in_tiles ? "" : "the papers' schedules compute letters, values and sums";
}

template <CellForm form>
device::Cost cost(const SweepSpec& spec, const Limits& limits) {
  return sweep_cost(spec, Backend::cpu, limits, form);
}

std::size_t workspace(const SweepSpec& spec, const Limits& limits) {
  return cpu_workspace_bytes(spec, limits.processors);
}

template <CellForm form>
std::unique_ptr<device::BlockKernel> make(const SweepSpec& spec, device::Context& context, void*) {
  return make_cpu_sweep(spec, context, form);
}

constexpr SweepMethod in_tiles_of(const char* schedule, const char* help) {
  return {schedule,
          help,
          Backend::cpu,
          schedule,
          false,
          unfit_for_tiles,
          cost<CellForm::tiles>,
          workspace,
          make<CellForm::tiles>};
}

constexpr SweepMethod cpu_methods[] = {
    {"bits", "differences of cells, a bit a row", Backend::cpu, "", true, unfit_for_bits, cost<CellForm::bits>,
     workspace, make<CellForm::bits>},
    {"cells", "anti-diagonals in vectors, bands of rows handed from thread to thread", Backend::cpu, "", true,
     unfit_for_cells, cost<CellForm::cells>, workspace, make<CellForm::cells>},
    {"sums", "rows of sums in vectors", Backend::cpu, "", true, unfit_for_sums, cost<CellForm::cells>, workspace,
     make<CellForm::cells>},
    in_tiles_of("square_barrier", "square tiles, a barrier between their anti-diagonals"),
    in_tiles_of("hyperplane_barrier", "tiles along the anti-diagonals, a barrier"),
    in_tiles_of("peer_square", "square tiles, flags between neighbours (PeerWave)"),
    in_tiles_of("peer_hyperplane", "tiles along the anti-diagonals, flags (PeerWave)"),
    in_tiles_of("peer_flexible", "the same, as wide as PeerWave's model says"),
    in_tiles_of("shared_hyperplane", "tiles along the anti-diagonals, a counter a row of tiles (Li)")};

}  // namespace

std::span<const SweepMethod> wavefront_methods() {
  static const auto all = device::joined_methods<SweepSpec>(wavefront_cuda_methods(), cpu_methods);
  return all;
}

const SweepMethod& choose_sweep_method(const SweepSpec& spec, Backend backend, const Limits& limits) {
  const std::string schedule = in_tiles(spec) ? name_of(spec.schedule) : "auto";
  return device::chosen_method("wavefront sweep of " + spec.problem, wavefront_methods(), backend, schedule, spec,
                               limits);
}

std::size_t sweep_workspace_bytes(const SweepSpec& spec, Backend backend, const Limits& limits) {
  return backend == Backend::cpu ? 0 : choose_sweep_method(spec, backend, limits).workspace(spec, limits);
}

std::unique_ptr<device::BlockKernel> make_sweep(const SweepSpec& spec, device::Context& context, void* workspace) {
  return choose_sweep_method(spec, backend_of(context), context.limits()).make(spec, context, workspace);
}

}  // namespace terrace::wavefront
