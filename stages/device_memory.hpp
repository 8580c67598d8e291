// Device memory that a stage holds in addition to its tiles.
#pragma once

#include <cstddef>

#include "kernels/device/context.hpp"

namespace terrace::stages {

/// Memory of one device; released with it.
class DeviceMemory {
 public:
  DeviceMemory(device::Context& context, std::size_t bytes)
      : context_(context), bytes_(bytes), data_(context.allocate(bytes)) {}
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;
  ~DeviceMemory() { context_.release(data_, bytes_); }
  void* data() const { return data_; }

 private:
  device::Context& context_;
  std::size_t bytes_;
  void* data_;
};

}  // namespace terrace::stages
