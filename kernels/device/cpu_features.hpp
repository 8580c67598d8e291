// The CPU's features, and the limits of this process.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace terrace::device {

/// The instruction sets that kernels are compiled for, each holding those before it.
enum class InstructionSet { sse2, avx2, avx512 };

/// The best that this CPU and its operating system run; avx512 means F, BW, VL and DQ.
InstructionSet best_instruction_set();
/// "sse2", "avx2", "avx512".
std::string_view name_of(InstructionSet set);

/// Threads that the process may use at once, by its CPU affinity and the limits of its control groups; at least 1.
int usable_threads();
/// The CPU's name as the operating system gives it.
std::string cpu_model_name();

struct MemoryRoom {
  std::size_t total;  // bytes of the machine, or of the tightest control group
  std::size_t free;   // bytes that can still be had
};
/// The machine's memory, within the limits of the process's control groups.
MemoryRoom memory_room();

/// Limits of control groups (versions 1 and 2); without a limit a field keeps its largest value.
struct ControlGroupLimits {
  double processors = 1e9;
  std::size_t memory_bytes = static_cast<std::size_t>(-1);
  std::size_t memory_free = static_cast<std::size_t>(-1);
};
/// Reads the limits of the groups that `membership` (the text of /proc/self/cgroup) names, and of their parents.
/// @param root mount point of the control group file system, /sys/fs/cgroup
ControlGroupLimits control_group_limits(const std::string& root, const std::string& membership);

}  // namespace terrace::device
