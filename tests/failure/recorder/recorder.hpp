// A shim, preloaded into a program, that records the program's changes to the files of one folder, in order, and that
// kills the program or fails its calls at a chosen one. `rebuild.py` makes from the record the states that a power
// cut could have left.
//
//   RECORD_FOLDER       the folder; nothing outside it is recorded
//   RECORD_LOG          the log to write (must not exist; outside the folder): a line of JSON a call; the bytes
//                       written go to the same name with `.data`. Unset: calls are counted and not recorded
//   RECORD_KILL_AT      N or N:after: SIGKILL right after the N-th recorded call (from 1); N:before: instead of it
//   RECORD_FAIL_SYNC_AT N: the N-th fsync or fdatasync (from 1) fails with EIO
//   RECORD_NO_SPACE_AT  N: writes and reservations fail with ENOSPC from the N-th on (from 1)
//   RECORD_FAIL_DIRECT_AT N: writes to files that were opened with O_DIRECT fail with EIO from the N-th on (from 1)
//
// Recorded calls are made one after another, so that the log's order is the order of their effects. Failed calls
// change nothing and are neither recorded nor counted, except failed syncs. The shim sees calls through the C
// library's functions and through syscall() (asynchronous I/O); io_uring is refused. It does not see buffered output
// of stdio (fwrite) and stores through shared mappings: `rebuild.py verify` finds the first, a mapping is recorded as
// not supported. One process records: a forked child may open and close existing files; a child that changes the
// folder is ended with a message.
#pragma once

#include <dlfcn.h>
#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace recorder {

/// The function that a name stands for beyond this shim.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// One line of the log: a change and the call that made it.
class Event {
 public:
  Event(const char* kind, const char* call);
  Event& number(const char* key, std::int64_t value);
  Event& text(const char* key, std::string_view value);
  /// Marks a call that changes nothing in the folder, as opening a file for reading.
  Event& harmless(bool is_harmless = true);
  bool is_harmless() const { return harmless_; }
  const std::string& fields() const { return fields_; }

 private:
  std::string fields_;
  bool harmless_ = false;
};

/// An open file of the folder; duplicated descriptors share it.
struct OpenFile {
  std::int64_t number;  // from 1, in the order of opening
  dev_t device;
  ino_t inode;
  int flags;  // as given to open()
};

/// The process's one recorder. Every member but `on` and `lock` is called with the lock held.
class Recorder {
 public:
  static Recorder& instance();

  bool on() const { return !folder_.empty(); }
  std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }

  /// The path relative to the folder ("." for itself); nullopt if it lies outside.
  /// @param folder a descriptor or AT_FDCWD, where relative paths start
  /// @param follow true if a link at the path's end is followed
  std::optional<std::string> inside(int folder, const char* path, bool follow) const;

  /// The folder's file of a descriptor; null for others.
  const OpenFile* file(int descriptor);
  const OpenFile& opened(int descriptor, int flags);
  void duplicated(int descriptor, int copy);
  void closed(int descriptor) { files_.erase(descriptor); }

  /// To be called before a call that may change the folder: kills the process if it is the one to be killed before.
  void before() const;
  /// Records a call that succeeded; kills the process if it is the one to be killed after.
  void record(const Event& event) { record(event, nullptr, 0, 0); }
  /// The same with `bytes` bytes of data from the buffers.
  void record(Event event, const iovec* buffers, int count, std::size_t bytes);

  /// True if this write or reservation, the next in order, must fail for lack of space.
  bool write_fails() { return ++writes_ >= no_space_at_; }
  /// True if this write past the page cache, the next in order, must fail.
  bool direct_write_fails() { return ++direct_writes_ >= fail_direct_at_; }
  /// True if this sync, the next in order, must fail.
  bool sync_fails() { return ++syncs_ == fail_sync_at_; }

 private:
  Recorder();
  void open_log();
  bool in_child() const;
  void append(int descriptor, const void* bytes, std::size_t count) const;

  std::mutex mutex_;
  std::string folder_;
  std::string log_path_;
  std::map<int, OpenFile> files_;
  std::int64_t files_opened_ = 0;
  std::int64_t recorded_ = 0, kill_at_ = 0, fail_sync_at_ = 0, syncs_ = 0, no_space_at_ = 0, writes_ = 0;
  std::int64_t fail_direct_at_ = 0, direct_writes_ = 0;
  bool kill_before_ = false;
  pid_t process_ = 0;
  int log_ = -1, data_ = -1;
  std::int64_t data_bytes_ = 0;
};

/// Ends the process with a message: a record that is not whole must not pass for one.
[[noreturn]] void give_up(const std::string& why);

}  // namespace recorder
