// Shared parts of the stages of the recursive family: types, rates, limits.
#pragma once

#include <string>

#include "kernels/recursive/methods.hpp"
#include "pipeline/run/stage.hpp"
#include "stages/recursive/dealt_lines.hpp"
#include "stages/recursive/tiles.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The default type of distances, or products, of elements of a type: its own, or the narrowest signed type of at
/// least 16 bits that holds all of it (i64 for u64).
ElementType distance_type(ElementType type);

/// The expected cost of an update.
device::Cost cost_of(const recursive::UpdateSpec& spec, const Resources& resources);

/// Sets the rate expected by a cost, and the limit of updates: on the CPU two operations, on 32 bits or the type's
/// share of them, of bits none; on a GPU the instructions of its kernels.
void set_rates(run::Prediction& prediction, const device::Cost& cost, const recursive::TileSpec& spec,
               const Resources& resources);

/// The same, but of sums of products of real numbers, whose limit is a fused multiply-add each.
void set_product_rates(run::Prediction& prediction, const recursive::UpdateSpec& spec, const Resources& resources);

/// Sets the rate and the limit of all devices among which a table is dealt, where those of one are set.
void set_devices(run::Prediction& prediction, const DealtLines& lines, const Resources& resources);

/// Sets the traffic of a table that is updated in place, and dealt.
/// @param once bytes read and written with any memory: the initial table, results
void set_traffic(run::Prediction& prediction, const UpdatedTable& table, const Traffic& once, const DealtLines& lines,
                 const Resources& resources);

/// Bytes of inputs that move once more because whole numbers are looked at before anything is computed.
double inspected_again(ElementType type, double inputs, std::size_t budget);

/// Sets the memory and size of blocks of such tiles.
void set_blocks(run::Prediction& prediction, const recursive::TileSpec& spec, std::int64_t tile,
                const Resources& resources);

/// "512 x 512 x 512".
std::string cube_shape(std::int64_t tile);

}  // namespace terrace::stages
