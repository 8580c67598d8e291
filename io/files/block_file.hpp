// Files that are read and written block by block, many requests at a time, from and into the caller's own buffers.
#pragma once

#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "io/files/durable.hpp"
#include "io/files/io_threads.hpp"
#include "pipeline/base/box.hpp"

namespace terrace::io {

/// A row-major array that lies in a file without gaps.
struct FileArray {
  std::int64_t offset = 0;  // of its first byte in the file
  Extents shape;
  std::int64_t element_size = 1;  // bytes
};

/// A box of an array, and the buffer that holds it row-major, tightly packed.
struct BoxPart {
  Box box;
  const void* buffer = nullptr;
};

/// The result of `BlockFile::reserve`.
enum class Reservation {
  reserved,  // the blocks belong to the file: writing into them meets no full disk
  checked    // the file system cannot reserve; enough was free a moment ago, and the caller should warn
};

/// The path of the bytes of a request.
enum class Route {
  best,       // as BlockFile chooses
  page_cache  // for parts of what other requests read as a whole, or have just read
};

/// One named file with positioned asynchronous reads and writes.
///
/// The path of the bytes is chosen per request. The whole pages (4096 bytes of the file) of a request go directly
/// between disk and buffer, through STXXL, if the file system has direct I/O and buffer and offset agree modulo 4096.
/// The rest of a request at either end, and requests that do not agree, go through the page cache, on this object's
/// own threads. Thin rows of boxes go directly if all of them are whole pages (written rows also have to be 32 KiB
/// long), on threads for them alone, else through the page cache. So a page that two requests share is only written
/// through the page cache, where the kernel keeps parts apart. Direct writes use synchronous system calls: during one
/// the kernel lets no write of the other kind into the file, writes cached pages of the range back before it and
/// drops them after it, so that neither kind loses the other's bytes (Linux AIO would unlock the file before the end,
/// and the drop could fail: EIO at the next sync).
///
/// Requests may be handed over from several threads. Requests in flight that touch the same bytes, one of them
/// writing, have no order: wait for the first. Buffers stay the caller's and must live until `done`. A request that
/// fails does not affect others.
class BlockFile {
 public:
  enum class Mode {
    read,        // must exist
    read_write,  // must exist
    create       // made if missing, never truncated
  };
  /// Called once a request, on an I/O thread, with nothing or an IoError that names path and byte. It must not
  /// throw, nor destroy the file, nor wait for other requests.
  using Done = std::function<void(std::exception_ptr)>;

  /// @param threads do the I/O through the page cache; several files may share them; null: two of this file's own
  /// @throws IoError
  BlockFile(const Entry& file, Mode mode, std::shared_ptr<IoThreads> threads = nullptr);
  BlockFile(const BlockFile&) = delete;
  BlockFile& operator=(const BlockFile&) = delete;
  /// Waits for all requests. Makes nothing durable.
  ~BlockFile();

  const std::filesystem::path& path() const { return path_; }

  /// Moves bytes [offset, offset + bytes). A read past the end of the file is an error. @throws Error on a negative
  /// offset or length, or a write to a file opened for reading
  void read(std::int64_t offset, void* buffer, std::int64_t bytes, Done done);
  void write(std::int64_t offset, const void* buffer, std::int64_t bytes, Done done);

  /// Moves a box between the array in the file and a tightly packed row-major buffer. A full-width box is one
  /// request; rows of a MiB and more are requests of their own; thinner ones are written by one call a row on the
  /// own threads, and read together with the gaps between them if these are small. @throws Error if the box
  /// leaves the array
  void read_box(const FileArray& array, const Box& box, void* buffer, Done done, Route route = Route::best);
  void write_box(const FileArray& array, const Box& box, const void* buffer, Done done);
  /// Writes adjacent boxes: they have the same extents in all dimensions but the last, in which each begins where the
  /// one before ends. A row of all boxes is written by one call, since disks write long rows faster. @param parts at
  /// least one @throws Error if they are not adjacent, or leave the array
  void write_boxes(const FileArray& array, std::vector<BoxPart> parts, Done done);

  /// Waits until no request is in flight.
  void drain();

  /// Makes durable all bytes written by requests whose `done` was called (fdatasync).
  /// @throws IoError; after a failure the kernel has dropped what it could not write, so every later call fails too
  void sync();

  /// Makes the file at least `bytes` long and allocates its blocks, with fallocate(2). Takes no time if the file
  /// system has extents. @throws IoError naming path, needed and free bytes if they do not fit
  Reservation reserve(std::int64_t bytes);

  /// Makes the file at least `bytes` long, durably, without blocks for what is new: writing there may meet a full
  /// disk. @throws IoError
  void extend(std::int64_t bytes);

  /// Length in bytes. @throws IoError
  std::int64_t size() const;

  /// Bytes moved so far by requests that succeeded.
  std::int64_t bytes_read() const;
  std::int64_t bytes_written() const;
  /// The bytes read and written that went past the page cache.
  std::int64_t bytes_direct() const;

 private:
  class Transfers;

  void check_writable() const;

  std::filesystem::path path_;
  Mode mode_;
  Descriptor file_;
  std::mutex sync_mutex_;
  bool sync_failed_ = false;
  std::unique_ptr<Transfers> transfers_;
};

}  // namespace terrace::io
