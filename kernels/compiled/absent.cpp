// Compilation at run time in a build without the toolkit.
#include "kernels/compiled/compiler.hpp"
#include "kernels/compiled/module.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::compiled {

std::string Compiler::why_missing() { return "this program was built without the CUDA Toolkit"; }

std::string Compiler::options() { return ""; }

std::string Compiler::build() { return ""; }

Compiler::Compiler() { throw DeviceError("NVRTC", why_missing()); }

Binary Compiler::compile(const Source&, const std::string&) const { throw DeviceError("NVRTC", why_missing()); }

Module::Module(const Binary&) { throw DeviceError("NVRTC", Compiler::why_missing()); }

}  // namespace terrace::compiled
