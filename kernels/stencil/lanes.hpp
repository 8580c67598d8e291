// The values of a pack one by one, for formulas that a job writes: they mix types, which packs do not.
#pragma once

#include "kernels/device/host_device.hpp"
#include "kernels/device/integers.hpp"

namespace terrace::stencil {

using device::i32;

/// A scalar is a pack of one lane. Packs bring a specialisation.
template <class V>
struct Lanes {
  static constexpr i32 count = 1;
  TERRACE_HOST_DEVICE static V& of(V& pack, i32) { return pack; }
  TERRACE_HOST_DEVICE static const V& of(const V& pack, i32) { return pack; }
};

}  // namespace terrace::stencil
