// One process at a time in a run's folder.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>

#include "io/files/durable.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {

/// Somebody else holds the lock.
class LockHeld : public IoError {
 public:
  /// @param holder its own description: "host node7, process 4711, since 2026-11-21T10:02:03Z"
  LockHeld(const std::filesystem::path& path, const std::string& holder)
      : IoError(path.string(), "another run is under way (" + holder + "); wait for it or stop it"),
        holder_(holder) {}
  const std::string& holder() const { return holder_; }

 private:
  std::string holder_;
};

/// A file by its device and its number there.
using LockedFile = std::pair<dev_t, ino_t>;

/// A lock file held through the kernel (a record lock of fcntl): it is free again when the process ends, for whatever
/// reason. The file names the holder. No other process shares the lock: neither a forked child, which may outlive a
/// killed parent for a moment, nor a program that this one starts. Within the process there is one holder as well.
class RunLock {
 public:
  /// Makes the file if it is missing and takes the lock, or fails at once. The locked file is the one that has the
  /// name: if another process removed it in between, it tries again.
  /// @throws LockHeld, IoError (also if the file system has no locks)
  explicit RunLock(const Entry& file);
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;
  /// Gives up the lock; the file stays.
  ~RunLock();

  const std::filesystem::path& path() const { return entry_.path(); }
  /// True if the locked file still has its name: false after somebody removed the folder or the file.
  bool still_there() const;
  /// Removes the lock file while the lock is held, for the end of a run. @throws IoError
  void remove();

 private:
  Entry entry_;
  Descriptor file_;
  LockedFile identity_;
};

/// The last holder of a lock, and whether it still holds it.
struct LockState {
  std::string holder;      // as LockHeld names it
  bool held = false;       // by a process of this machine
  bool elsewhere = false;  // taken on another machine: this machine cannot tell if it is held
};

/// Looks at a lock without taking it, so that it blocks nobody. @return nullopt if there is no such file
std::optional<LockState> look_at_lock(const Entry& file);

}  // namespace terrace::io
