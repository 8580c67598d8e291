#include "pipeline/app/submit/slurm.hpp"

#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr long usual_array_size = 1001;
constexpr int not_found = 127;  // the exit code of a shell

}  // namespace

long most_array_indices() {
  FILE* config = ::popen("scontrol show config 2>/dev/null", "r");
  if (config == nullptr) return usual_array_size;
  long size = usual_array_size;
  std::array<char, 4096> line{};
  while (std::fgets(line.data(), line.size(), config) != nullptr) {
    long found = 0;
    if (std::sscanf(line.data(), "MaxArraySize = %ld", &found) == 1 && found > 0) size = found;
  }
  ::pclose(config);
  return size;
}

void hand_to_sbatch(const std::string& script) {
  FILE* sbatch = ::popen("sbatch", "w");
  if (sbatch == nullptr) throw std::system_error(errno, std::generic_category(), "sbatch");
  std::fwrite(script.data(), 1, script.size(), sbatch);
  const int status = ::pclose(sbatch);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
  if (WIFEXITED(status) && WEXITSTATUS(status) == not_found)
    throw Error("there is no command sbatch here; --print shows the script");
  throw Error("sbatch has refused the script; --print shows it");
}

}  // namespace terrace::app
