// The transfers of BlockFile: requests, their pieces, and the path that each piece takes.
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "io/files/block_file.hpp"
#include "io/files/box_runs.hpp"
#include "io/files/row_writes.hpp"
#include "io/files/stxxl_lanes.hpp"

namespace terrace::io {

/// The requests of one BlockFile. A request is cut into pieces; its `done` is called when the last of them has ended,
/// with the first error.
class BlockFile::Transfers {
 public:
  enum class Way { read, write };

  Transfers(std::filesystem::path path, const Descriptor& file, bool writable, std::shared_ptr<IoThreads> threads);
  ~Transfers() { drain(); }

  void move(Way way, std::int64_t offset, std::byte* buffer, std::int64_t bytes, Done done);
  void read_box(const FileArray& array, const Box& box, std::byte* buffer, Done done, Route route);
  void write_boxes(const FileArray& array, std::vector<BoxPart> parts, Done done);
  void drain();

  std::atomic<std::int64_t> bytes_read{0}, bytes_written{0}, bytes_direct{0};

 private:
  struct Request;
  using RequestPointer = std::shared_ptr<Request>;
  /// Contiguous bytes of the file and of the buffer.
  struct Piece {
    RequestPointer request;
    std::int64_t offset;
    std::byte* buffer;
    std::int64_t bytes;
  };
  using Rows = std::shared_ptr<const BoxRuns>;

  RequestPointer begin(Way way, Done done, Route route = Route::best);
  void hold(const RequestPointer& request);
  void release(const RequestPointer& request, std::exception_ptr error);
  void end(const RequestPointer& request, std::int64_t bytes, std::int64_t direct_bytes, std::exception_ptr error);

  void add_range(const RequestPointer& request, std::int64_t offset, std::byte* buffer, std::int64_t bytes);
  void add_direct(const Piece& piece);
  void add_buffered(const Piece& piece);
  void add_read_rows(const RequestPointer& request, const FileArray& array, const Rows& rows, std::byte* buffer);
  void add_written_rows(const RequestPointer& request, const std::shared_ptr<const RowWrites>& rows);
  bool rows_are_pages(const FileArray& array, const BoxRuns& rows, const std::byte* buffer);
  void read_rows_directly(const RequestPointer& request, std::int64_t array_offset, const Rows& rows,
                          std::byte* buffer);
  void write_rows_directly(const RequestPointer& request, const std::shared_ptr<const RowWrites>& rows);
  void post_rows(const RequestPointer& request, std::int64_t bytes, std::function<void()> direct,
                 std::function<void()> buffered);
  void post_buffered(const RequestPointer& request, std::int64_t bytes, std::function<void()> transfer);

  void transfer_buffered(Way way, std::int64_t offset, std::byte* buffer, std::int64_t bytes) const;
  void read_rows(std::int64_t array_offset, const BoxRuns& rows, std::int64_t first, std::int64_t last,
                 std::byte* buffer) const;
  void scatter_rows(std::int64_t array_offset, const BoxRuns& rows, std::int64_t first, std::int64_t last,
                    std::byte* buffer) const;
  void read_rows_with_gaps(std::int64_t array_offset, const BoxRuns& rows, std::int64_t first, std::int64_t last,
                           std::byte* buffer) const;
  void write_rows(const RowWrites& rows, std::int64_t first, std::int64_t last);
  void count_written(const RowWrites& rows, std::int64_t first, std::int64_t last);
  void check_readable(std::int64_t end) const;
  StxxlLanes* lanes();
  bool open_for_rows();

  const std::filesystem::path path_;
  const std::string reopening_path_;
  const int descriptor_;
  const bool writable_;
  std::atomic<bool> direct_;
  std::mutex mutex_;
  std::condition_variable idle_;
  std::int64_t under_way_ = 0;
  std::mutex regions_mutex_;
  std::unordered_map<std::int64_t, std::int64_t> regions_;  // bytes written as thin rows, of regions not yet whole
  std::once_flag lanes_opened_, rows_opened_;
  Descriptor rows_file_;                    // for rows that go past the page cache
  std::unique_ptr<StxxlLanes> lanes_;       // destroyed before what its completions use
  std::shared_ptr<IoThreads> threads_;      // ends early: its tasks use all of the above
  std::unique_ptr<IoThreads> row_threads_;  // ends first, for the same reason
};

}  // namespace terrace::io
