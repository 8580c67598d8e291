// A shared object that was compiled at run time, loaded.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/compiled/compiler.hpp"

namespace terrace::compiled {

/// Its functions may be called while it exists.
class SharedObject {
 public:
  /// @param binary of a source with_variables() (cxx.hpp) @throws DeviceError if the loader does not take it
  explicit SharedObject(const Binary& binary);

  /// The address of kernel `number` of Source::kernels.
  const void* kernel(std::size_t number) const { return kernels_.at(number); }
  std::size_t kernels() const { return kernels_.size(); }

 private:
  std::shared_ptr<void> library_;
  std::vector<const void*> kernels_;
};

}  // namespace terrace::compiled
