// Kernels that were compiled at run time, loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "kernels/compiled/compiler.hpp"

namespace terrace::compiled {

/// A binary that is loaded, on all devices of its architecture. Its kernels are in use only while it exists.
class Module {
 public:
  /// @throws DeviceError if the driver does not take it
  explicit Module(const Binary& binary);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  /// Kernel `number` of Source::kernels, for `device::Kernel<...>::function`.
  const void* kernel(std::size_t number) const { return kernels_.at(number); }
  /// Bytes of local memory of a thread of a kernel: values that do not fit into registers, or need an address; 0 on
  /// the simulated GPU. @throws DeviceError
  int local_bytes(std::size_t number) const;
  std::size_t kernels() const { return kernels_.size(); }
  /// The compiler that made it: "NVRTC 13.0".
  const std::string& compiler() const { return compiler_; }
  /// Bytes of the binary.
  std::size_t bytes() const { return bytes_; }

 private:
  std::shared_ptr<void> library_;
  std::vector<const void*> kernels_;
  std::string compiler_;
  std::size_t bytes_;
};

}  // namespace terrace::compiled
