#include "kernels/device/cpu_features.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>
#include <sstream>
#include <thread>

namespace terrace::device {
namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The number in a file; nullopt if there is no file, or it holds "max" or another word.
std::optional<double> read_number(const std::string& path) {
  std::istringstream text(read_text(path));
  double value = 0;
  if (text >> value) return value;
  return std::nullopt;
}

void limit_processors(const std::string& folder, ControlGroupLimits& limits) {
  std::istringstream both(read_text(folder + "/cpu.max"));
  double quota = 0, period = 0;
  if (!(both >> quota >> period)) {
    quota = read_number(folder + "/cpu.cfs_quota_us").value_or(-1);
    period = read_number(folder + "/cpu.cfs_period_us").value_or(0);
  }
  if (quota > 0 && period > 0) limits.processors = std::min(limits.processors, quota / period);
}

void limit_memory(const std::string& folder, ControlGroupLimits& limits) {
  auto most = read_number(folder + "/memory.max");
  auto used = read_number(folder + "/memory.current");
  if (!most) {
    most = read_number(folder + "/memory.limit_in_bytes");
    used = read_number(folder + "/memory.usage_in_bytes");
  }
  if (!most || *most >= 0x1p62) return;
  const double left = std::max(0.0, *most - used.value_or(0));
  limits.memory_bytes = std::min(limits.memory_bytes, static_cast<std::size_t>(*most));
  limits.memory_free = std::min(limits.memory_free, static_cast<std::size_t>(left));
}

/// A group and its parents, up to the mount.
void limit_by_group(const std::string& mount, std::string group, ControlGroupLimits& limits) {
  while (!group.empty() && group.back() == '/') group.pop_back();
  for (;;) {
    limit_processors(mount + group, limits);
    limit_memory(mount + group, limits);
    const auto slash = group.rfind('/');
    if (slash == std::string::npos) return;
    group.resize(slash);
  }
}

ControlGroupLimits own_limits() { return control_group_limits("/sys/fs/cgroup", read_text("/proc/self/cgroup")); }

/// Bytes of "Name:  12345 kB" in /proc/meminfo.
std::size_t memory_entry(const std::string& text, const std::string& name) {
  const auto at = text.find(name + ":");
  if (at == std::string::npos) return 0;
  return static_cast<std::size_t>(std::stoull(text.substr(at + name.size() + 1))) * 1024;
}

}  // namespace

ControlGroupLimits control_group_limits(const std::string& root, const std::string& membership) {
  ControlGroupLimits limits;
  std::istringstream lines(membership);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    limit_by_group(controllers.empty() ? root : root + "/" + controllers, line.substr(second + 1), limits);
  }
  return limits;
}

InstructionSet best_instruction_set() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq")) {
    return InstructionSet::avx512;
  }
  return __builtin_cpu_supports("avx2") ? InstructionSet::avx2 : InstructionSet::sse2;
}

std::string_view name_of(InstructionSet set) {
  switch (set) {
    case InstructionSet::sse2:
      return "sse2";
    case InstructionSet::avx2:
      return "avx2";
    case InstructionSet::avx512:
      break;
  }
  return "avx512";
}

int usable_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  int count = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
                                                          : static_cast<int>(std::thread::hardware_concurrency());
  const double allowed = std::ceil(own_limits().processors);
  if (allowed < count) count = static_cast<int>(allowed);
  return std::max(1, count);
}

std::string cpu_model_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "CPU";
}

MemoryRoom memory_room() {
  const std::string text = read_text("/proc/meminfo");
  const ControlGroupLimits limits = own_limits();
  return {std::min(memory_entry(text, "MemTotal"), limits.memory_bytes),
          std::min(memory_entry(text, "MemAvailable"), limits.memory_free)};
}

}  // namespace terrace::device
