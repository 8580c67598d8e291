// Compilation at run time for the simulated GPU: by the compiler of C++ that the program was built with, against the
// headers of the source tree, to a shared object.
#include "kernels/compiled/compiler.hpp"

#include <unistd.h>

#include <cstdlib>
#include <sstream>

#include "kernels/compiled/compile_error.hpp"
#include "kernels/compiled/cxx.hpp"
#include "kernels/compiled/file_build.hpp"

namespace terrace::compiled {
namespace {

constexpr std::chrono::minutes most_time{10};  // under sanitizers

/// The compiler that the program was built with, or another file that a test names in its place.
std::string compiler() {
  const char* named = std::getenv("TERRACE_SIMULATED_COMPILER");
  return named != nullptr ? named : TERRACE_CXX_COMPILER;
}

}  // namespace

std::string Compiler::why_missing() {
  return access(compiler().c_str(), X_OK) == 0 ? "" : compiler() + " is not there";
}

std::string Compiler::options() { return TERRACE_CXX_OPTIONS; }

/// It compiles against headers of the source tree, and calls functions of the program.
std::string Compiler::build() {
  const std::string cxx = cxx_build(compiler());
  return cxx.empty() ? "" : cxx + " for " + file_build("/proc/self/exe");
}

Compiler::Compiler() : identity_(compiler()) {
  if (const std::string why = why_missing(); !why.empty()) throw DeviceError("the simulated GPU's compiler", why);
}

Binary Compiler::compile(const Source& source, const std::string&) const {
  WithVariables variables = with_variables(source);
  std::vector<std::string> command{identity_};
  std::istringstream options(Compiler::options());
  for (std::string option; std::getline(options, option, '|');) command.push_back(option);
  BuiltObject built = build_shared_object(std::move(command), variables.text, {}, most_time);
  if (built.bytes.empty()) throw compile_error(identity_, built.log);
  return {identity_, std::move(built.bytes), std::move(variables.symbols)};
}

}  // namespace terrace::compiled
