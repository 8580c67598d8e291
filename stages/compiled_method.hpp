// The method of a plan whose kernel may have to be compiled when a worker is made.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/compiled/store.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/launch/method.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {

template <class Spec>
class CompiledMethod {
 public:
  using Method = device::Method<Spec>;
  /// The method that computes the same where one is not compiled; null: none does.
  using Instead = const Method* (*)(const Method&);

  CompiledMethod(const Method& method, Instead instead) : instead_(instead), method_(&method) {}

  /// The method that computes: another one than it was made with, once that one's kernel could not be compiled.
  const Method& method() const {
    const std::lock_guard lock(mutex_);
    return *method_;
  }
  /// A warning if that is so.
  std::vector<std::string> warnings(const std::string& stage) const {
    const std::lock_guard lock(mutex_);
    if (why_.empty()) return {};
    return {"stage '" + stage + "': its formulas were not compiled, and " + method_->name +
            " computed them, the same bits in more time: " + why_};
  }
  /// The kernel. Workers of several devices may be made at once. @throws compiled::NotCompiled if no other method
  /// computes the same
  std::unique_ptr<device::BlockKernel> make(const Spec& spec, device::Context& context,
                                            const device::Memory* workspace) {
    const Method& tried = method();
    try {
      return make_kernel(tried, spec, context, workspace);
    } catch (const compiled::NotCompiled& error) {
      const Method* instead = instead_(tried);
      if (instead == nullptr) throw;
      const std::lock_guard lock(mutex_);
      why_ = error.what();
      method_ = instead;
    }
    return make_kernel(method(), spec, context, workspace);
  }

 private:
  Instead instead_;
  mutable std::mutex mutex_;  // guards what follows
  const Method* method_;
  std::string why_;
};

}  // namespace terrace::stages
