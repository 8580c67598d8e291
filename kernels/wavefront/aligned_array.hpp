// Arrays that begin on a cache line, by their short name.
#pragma once

#include "kernels/device/aligned_array.hpp"

namespace terrace::wavefront {

using device::AlignedArray;

}  // namespace terrace::wavefront
