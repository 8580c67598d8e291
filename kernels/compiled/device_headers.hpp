// The texts of the program's device headers, for sources that are compiled at run time.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace terrace::compiled {

/// A header by the name that includes it, as "kernels/device/host_device.hpp".
struct DeviceHeader {
  std::string_view name;
  const char* text;
};

/// All of them, ordered by name. The build makes this function (cmake/EmbedDeviceHeaders.cmake).
std::span<const DeviceHeader> device_headers();

/// Those that a text includes, also by way of others, ordered by name.
std::vector<DeviceHeader> headers_of(std::string_view text);

}  // namespace terrace::compiled
