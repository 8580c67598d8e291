// Trying what may crash or never return in a process of its own.
#pragma once

#include <functional>
#include <string>

namespace terrace::io {

/// Runs `attempt` in a forked child and waits for it. What it throws and returns counts for nothing: only that it
/// comes back. The caller makes sure that no other thread holds a lock that `attempt` needs.
/// @param where names the file in errors; @param library names what is tried; @param seconds time limit
/// @throws IoError where the child crashes or is not done in time (it is killed then)
void try_in_child(const std::string& where, const std::string& library, double seconds,
                  const std::function<void()>& attempt);

}  // namespace terrace::io
