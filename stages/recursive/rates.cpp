#include "stages/recursive/rates.hpp"

#include <algorithm>

#include "kernels/recursive/limits.hpp"
#include "stages/recursive/methods.hpp"
#include "stages/recursive/tiles.hpp"

namespace terrace::stages {
namespace {

/// The limit of updates that have no BLAS; 0 if it is not known.
double limit_of(const recursive::TileSpec& spec, const Resources& resources) {
  if (resources.cuda) return recursive::cuda_limit_of_updates(spec, resources.device);
  // No limit of bits is known on the CPU.
  if (recursive::has_bit_factors(spec.table)) return 0;
  return resources.device.operations_per_second * 4 / static_cast<double>(size_of(spec.value)) / 2;
}

}  // namespace

ElementType distance_type(ElementType type) {
  switch (type) {
    case ElementType::u8:
    case ElementType::i8:
      return ElementType::i16;
    case ElementType::u16:
      return ElementType::i32;
    case ElementType::u32:
    case ElementType::u64:
      return ElementType::i64;
    default:
      return type;
  }
}

void set_rates(run::Prediction& prediction, const device::Cost& cost, const recursive::TileSpec& spec,
               const Resources& resources) {
  prediction.operations_per_second = 1 / cost.seconds;
  prediction.limit = limit_of(spec, resources);
  if (prediction.limit <= 0) return;
  prediction.limit_kind = recursive::has_bit_factors(spec.table) ? "tensor operations" : "operations";
  prediction.operations_per_second = std::min(prediction.operations_per_second, prediction.limit);
}

device::Cost cost_of(const recursive::UpdateSpec& spec, const Resources& resources) {
  const auto backend = resources.backend();
  return update_method(spec, backend, resources.device).cost(spec, resources.device);
}

void set_product_rates(run::Prediction& prediction, const recursive::UpdateSpec& spec, const Resources& resources) {
  const device::Cost cost = cost_of(spec, resources);
  if (!recursive::has_blas(spec.tiles)) return set_rates(prediction, cost, spec.tiles, resources);
  const auto backend = resources.backend();
  prediction.limit = recursive::multiply_adds_of(spec.tiles, backend, resources.device);
  prediction.operations_per_second = 1 / cost.seconds;
  if (prediction.limit > 0) prediction.limit_kind = "multiply-adds";
}

void set_devices(run::Prediction& prediction, const DealtLines& lines, const Resources& resources) {
  prediction.operations_per_second *= lines.gain(resources.devices);
  prediction.limit *= lines.devices(resources.devices);
}

void set_traffic(run::Prediction& prediction, const UpdatedTable& table, const Traffic& once, const DealtLines& lines,
                 const Resources& resources) {
  const Traffic disk = traffic_again(table, resources.host_budget);
  prediction.bytes_read = once.in + disk.in;
  prediction.bytes_written = once.out + disk.out;
  if (!resources.cuda) return;
  const auto devices = static_cast<std::size_t>(lines.devices(resources.devices));
  const Traffic link = traffic_again(table, devices * resources.device_budget);
  prediction.bytes_up = once.in + link.in;
  prediction.bytes_down = once.out + link.out;
}

double inspected_again(ElementType type, double inputs, std::size_t budget) {
  return !is_floating(type) && inputs > static_cast<double>(budget) ? inputs : 0;
}

void set_blocks(run::Prediction& prediction, const recursive::TileSpec& spec, std::int64_t tile,
                const Resources& resources) {
  prediction.workspace_bytes = static_cast<std::size_t>(workspace_bytes(spec, tile, resources));
  prediction.block_shape = cube_shape(tile);
  prediction.block_bytes = static_cast<std::size_t>(block_bytes(spec, tile));
}

std::string cube_shape(std::int64_t tile) {
  const std::string side = std::to_string(tile);
  return side + " x " + side + " x " + side;
}

}  // namespace terrace::stages
