// Direct I/O on one file through STXXL's file layer.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace stxxl {
class file;
}

namespace terrace::io {

/// Offsets, lengths and addresses of direct I/O are multiples of this.
inline constexpr std::int64_t direct_alignment = 4096;

/// Transfers several requests at a time between one file and aligned buffers, past the page cache.
///
/// STXXL's "linuxaio" files ignore the results of their requests: a full disk or a bad sector passes as success. Its
/// "syscall" files report them, but serve one request at a time. So the file is opened several times as a "syscall"
/// file, each on a queue (a thread) of STXXL's of its own, and each request goes to the opening with the least to
/// do. The queues serve all files of the process.
class StxxlLanes {
 public:
  /// Called on one of STXXL's threads; the text is empty on success, else STXXL's own message for the failure.
  using Completed = std::function<void(const std::string& failure)>;
  static constexpr int count = 8;

  /// @param writable true if the file is opened for writing too
  /// @param named    the path for messages; `path` may be one that reopens an open file
  /// @throws IoError if the file cannot be opened with O_DIRECT (see `supported`)
  StxxlLanes(const std::filesystem::path& path, bool writable, const std::filesystem::path& named);
  StxxlLanes(const std::filesystem::path& path, bool writable) : StxxlLanes(path, writable, path) {}
  StxxlLanes(const StxxlLanes&) = delete;
  StxxlLanes& operator=(const StxxlLanes&) = delete;
  /// Waits for all requests.
  ~StxxlLanes();

  /// True if the existing file's file system takes O_DIRECT.
  static bool supported(const std::filesystem::path& path);

  /// @param offset, bytes, buffer multiples of `direct_alignment`; a read must lie within the file
  void read(std::int64_t offset, void* buffer, std::int64_t bytes, Completed completed);
  void write(std::int64_t offset, const void* buffer, std::int64_t bytes, Completed completed);

 private:
  struct Lane {
    std::unique_ptr<stxxl::file> file;
    std::atomic<std::int64_t> bytes_waiting{0};
  };
  void submit(bool write, std::int64_t offset, void* buffer, std::int64_t bytes, Completed completed);
  Lane& least_busy();

  std::filesystem::path path_;
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::mutex choosing_;
  std::size_t next_ = 0;
};

}  // namespace terrace::io
