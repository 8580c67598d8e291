// Work that may crash, never return or take any amount of memory, in a process of its own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace terrace::io {

/// Limits of a child.
struct ChildLimits {
  double seconds = 60;
  std::size_t memory = 0;  // bytes of address space, in addition to those of the process when the child begins
};

/// Limits for reading a file of that size, apart from its large arrays of numbers: texts are copied a few times on
/// the way. @param more bytes in addition
ChildLimits limits_for(const std::filesystem::path& file, std::size_t more = 0);

/// Calls `attempt` in a forked child within the limits, waits, and returns its result. The caller makes sure that no
/// other thread holds a lock that `attempt` needs.
/// @param where names the file in errors; @param library names the library in errors
/// @throws what `attempt` throws, as the nearest of JobError, DiskError, IoError and Error; IoError if the child
/// crashes, takes more memory, or is not done in time (it is killed then)
std::string call_in_child(const std::string& where, const std::string& library, const ChildLimits& limits,
                          const std::function<std::string()>& attempt);

/// call_in_child() for an attempt that returns nothing. If this returns, the caller may safely do the same in its own
/// process.
void try_in_child(const std::string& where, const std::string& library, const ChildLimits& limits,
                  const std::function<void()>& attempt);

}  // namespace terrace::io
