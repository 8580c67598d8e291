// Properties of a CUDA device.
#pragma once

#include "kernels/device/context.hpp"

namespace terrace::device {

/// Name, kind, memory and ceilings of CUDA device `index`: measured ones for chips in the table, else derived from
/// clocks and widths; 0 if nothing is known. Makes the device current. @throws DeviceError
Limits cuda_limits(int index);

}  // namespace terrace::device
