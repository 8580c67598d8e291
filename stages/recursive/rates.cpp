#include "stages/recursive/rates.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/recursive/blas.hpp"
#include "stages/recursive/measured.hpp"
#include "stages/recursive/tiles.hpp"

namespace terrace::stages {
namespace {

const measured::UpdateRate& rate_of(ElementType type) {
  return *std::find_if(std::begin(measured::update_rates), std::end(measured::update_rates),
                       [&](const measured::UpdateRate& rate) { return !rate.type || *rate.type == type; });
}

/// Updates of an element a second of one core.
double cpu_rate(ElementType type) { return rate_of(type).cpu; }
/// The same of a GPU.
double cuda_rate(ElementType type) { return rate_of(type).cuda; }

/// Updates of an element a second that instructions of a GPU allow: of 32 bits two sums and a minimum of three in
/// three instructions, of others an instruction each, of 16 bits for two elements. @param minima of 32 bits a second
double cuda_limit(ElementType type, double minima) {
  const auto size = static_cast<double>(size_of(type));
  return size == 4 ? minima * 4 / 3 : minima * 4 / size;
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

void set_rates(run::Prediction& prediction, ElementType type, const Resources& resources) {
  const device::Limits& device = resources.device;
  prediction.operations_per_second = resources.cuda ? cuda_rate(type) : cpu_rate(type) * device.processors;
  prediction.limit = resources.cuda ? cuda_limit(type, device.operations_per_second)
                                    : device.operations_per_second * 4 / static_cast<double>(size_of(type)) / 2;
  if (prediction.limit <= 0) return;
  prediction.limit_kind = "operations";
  prediction.operations_per_second = std::min(prediction.operations_per_second, prediction.limit);
}

void set_product_rates(run::Prediction& prediction, const recursive::TileSpec& spec, const Resources& resources) {
  if (!recursive::has_blas(spec)) return set_rates(prediction, spec.value, resources);
  // A GPU's multiply-adds are twice as many as its minima. cuBLAS lets tensor cores do as many in f64.
  const bool by_cuda_blas = resources.cuda && !recursive::cuda_blas_kind().empty();
  using Shares = measured::ProductShares;
  const double share = by_cuda_blas ? Shares::cuda_blas : resources.cuda ? Shares::cuda : Shares::cpu;
  const double multiply_adds =
      resources.cuda ? 2 * resources.device.operations_per_second : resources.device.multiply_adds_per_second;
  prediction.limit = multiply_adds * (by_cuda_blas ? 1 : 4 / static_cast<double>(size_of(spec.value)));
  prediction.operations_per_second =
      prediction.limit > 0 ? share * prediction.limit : cpu_rate(spec.value) * resources.device.processors;
  if (prediction.limit > 0) prediction.limit_kind = "multiply-adds";
}

void set_traffic(run::Prediction& prediction, const UpdatedTable& table, const Traffic& once,
                 const Resources& resources) {
  const Traffic disk = traffic_again(table, resources.host_budget);
  prediction.bytes_read = once.in + disk.in;
  prediction.bytes_written = once.out + disk.out;
  if (!resources.cuda) return;
  const Traffic link = traffic_again(table, resources.device_budget);
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
