#include "stages/cell_compiler.hpp"

#include <string>

#include "kernels/compiled/cache.hpp"
#include "kernels/compiled/compiler.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {
namespace {

constexpr const char* never = "the job says `compile: never`";

}  // namespace

compiled::CxxCompiler cell_compiler(const Resources& resources) {
  if (!resources.compiles) return {"", never};
  if (const std::string fault = compiled::fault_of_cache_variable(); !fault.empty()) throw JobError(fault);
  return compiled::find_cxx();
}

std::optional<CpuAlone> cpu_alone_without_compiler(const char* what, bool compiles) {
  const std::string why = compiles ? compiled::Compiler::why_missing() : never;
  if (why.empty()) return std::nullopt;
  return CpuAlone{"cells", std::string(what) + " cannot run on CUDA: " + why};
}

}  // namespace terrace::stages
