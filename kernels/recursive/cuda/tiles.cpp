#include "kernels/recursive/cuda/tiles.hpp"

#include <string>

#include "kernels/recursive/semiring_list.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

/// Calls call(CudaTiles<T>{}) with the kernels' own type for a type of values.
template <class Call>
auto visit_tiles(ElementType type, const Call& call) {
  switch (type) {
    case ElementType::i16:
      return call(CudaTiles<device::i16>{});
    case ElementType::i32:
      return call(CudaTiles<device::i32>{});
    case ElementType::i64:
      return call(CudaTiles<device::i64>{});
    case ElementType::f32:
      return call(CudaTiles<float>{});
    case ElementType::f64:
      return call(CudaTiles<double>{});
    default:
      throw DeviceError("updates of tiles", "there are no kernels for " + std::string(name_of(type)) + " on CUDA");
  }
}

/// Calls call(CudaPaths<W>{}) with a table's type of trails.
template <class Call>
auto visit_trails(Table table, const Call& call) {
  return table == Table::long_paths ? call(CudaPaths<device::u64>{}) : call(CudaPaths<device::u32>{});
}

}  // namespace

std::size_t tiles_cuda_bytes(const TileSpec& spec, std::int64_t side) {
  if (has_bit_factors(spec.table)) return CudaBits::workspace(side);
  if (has_trails(spec.table)) {
    return visit_trails(spec.table, [&]<class Paths>(Paths) { return Paths::workspace(spec.value, side); });
  }
  return visit_tiles(spec.value, [&]<class Tiles>(Tiles) { return Tiles::workspace(spec.semiring, side); });
}

std::unique_ptr<device::BlockKernel> make_tiles_cuda(const TileSpec& spec, std::int64_t side,
                                                     device::Context& context, void* workspace) {
  if (has_bit_factors(spec.table)) return CudaBits::make(spec.table, side, context, workspace);
  if (has_trails(spec.table)) {
    return visit_trails(spec.table,
                        [&]<class Paths>(Paths) { return Paths::make(spec.value, side, context, workspace); });
  }
  return visit_tiles(spec.value,
                     [&]<class Tiles>(Tiles) { return Tiles::make(spec.semiring, side, context, workspace); });
}

}  // namespace terrace::recursive
