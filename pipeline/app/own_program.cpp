#include "pipeline/app/own_program.hpp"

#include <sys/prctl.h>

#include <cerrno>
#include <string>

namespace terrace::app {
namespace {

/// Stays the file of this process if another one gets its name.
constexpr const char* own_file = "/proc/self/exe";

bool is_started_by_loader() {
  std::error_code ignored;
  return std::filesystem::read_symlink(own_file, ignored).filename().string().starts_with("ld-");
}

}  // namespace

std::filesystem::path own_program() { return is_started_by_loader() ? program_invocation_name : own_file; }

void name_process() {
  if (is_started_by_loader()) ::prctl(PR_SET_NAME, "terrace");
}

}  // namespace terrace::app
