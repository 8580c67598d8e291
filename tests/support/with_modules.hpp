// A CUDA device for tests whose kernels are compiled while they run.
#pragma once

#include <iostream>
#include <memory>
#include <string>

#include "kernels/compiled/compiler.hpp"
#include "kernels/compiled/store.hpp"
#include "tests/support/cuda_device.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::test {

/// A device whose kernels are compiled in a folder of the test; null if there is none, or no compiler.
class WithModules {
 public:
  WithModules() : context_(cuda_context()), store_(io::Entry(folder_.path() / "modules")) {
    if (!context_) return;
    if (const std::string why = compiled::Compiler::why_missing(); !why.empty()) {
      std::cout << "SKIPPED: " << why << std::endl;
      context_.reset();
      return;
    }
    context_->take_modules_from(&store_);
  }
  device::Context* context() const { return context_.get(); }

 private:
  TempFolder folder_;
  decltype(cuda_context()) context_;
  compiled::Store store_;
};

}  // namespace terrace::test
