// The accesses of blocks of a stencil.
#pragma once

namespace terrace::stages {

/// Names of the accesses of a block. The index of a slot is a field, of `array` the constant array.
enum class StencilSlot { rim_above, own, rim_below, array, carry, traces, left, target, changes };

}  // namespace terrace::stages
