// Other processes that write a file at present.
#pragma once

#include <optional>
#include <string>

namespace terrace::io {

/// The process that holds the file locked for writing (flock), as HDF5 does while it has a file open to write:
/// "process 4711 (python3)", or "another process" if the system does not tell. nullopt if nobody does, or the file
/// system has no locks. A shared lock is held for the moment of the question, which never waits.
std::optional<std::string> find_writer(int descriptor);

}  // namespace terrace::io
