#include "kernels/nest/cuda/bands.hpp"

#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/nest/cuda/state.hpp"
#include "kernels/nest/measured.hpp"
#include "kernels/wavefront/written.hpp"

namespace terrace::nest {
namespace {

/// The side of the largest block along a coordinate.
i64 side_of(const NestSpec& spec, std::size_t coordinate) {
  const i64 all = std::max<i64>(1, spec.nest->ranges()[coordinate].size());
  return coordinate < spec.block.size() ? std::clamp<i64>(spec.block[coordinate], 1, all) : all;
}

/// All but the problem.
wavefront::WrittenSweep sweep_of(const NestSpec& spec) {
  const BandsMemory memory(spec);
  wavefront::WrittenSweep sweep;
  sweep.has_values = is_floating(spec.nest->arrays.front().type);
  sweep.rows = memory.rows;
  sweep.columns = memory.columns;
  return sweep;
}

}  // namespace

BandsMemory::BandsMemory(const NestSpec& spec) : rows(side_of(spec, 0)), columns(side_of(spec, 1)) {
  constexpr std::size_t port_bytes = 1024;
  const auto words = [](i64 count) { return device::aligned_bytes(static_cast<std::size_t>(count) * sizeof(Word)); };
  port_at = device::aligned_bytes(sizeof(NestState));
  top_at = port_at + port_bytes;
  left_at = top_at + words(columns + 1);
  bottom_at = left_at + words(rows + 1);
  sweep_at = bottom_at + words(columns + 1);
}

std::string why_unfit_for_bands(const NestSpec& spec, const device::Limits&) { return pair_table(spec).unfit; }

device::Cost cost_of_bands(const NestSpec& spec, const device::Limits& limits) {
  const double rate =
      measured::cuda_bands_operations_per_second * wavefront::written_cuda_share(sweep_of(spec), limits);
  return {(spec.nest->statements.front().value.operations() + 2) / rate, 0, 1};
}

std::size_t bands_cuda_bytes(const NestSpec& spec, const device::Limits& limits) {
  return BandsMemory(spec).sweep_at + wavefront::written_cuda_bytes(sweep_of(spec), limits);
}

}  // namespace terrace::nest
