#include "io/files/block_transfers.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

namespace terrace::io {

namespace {

constexpr std::int64_t least_direct = 64 << 10;   // shorter middles are not worth a request of their own
constexpr std::int64_t largest_direct = 8 << 20;  // longer requests go over several lanes
constexpr std::int64_t thick_row = 1 << 20;       // rows from here on are requests of their own
constexpr std::int64_t rows_task = 4 << 20;       // bytes of thin rows that one task moves
constexpr std::int64_t direct_rows_task = 1 << 20;
constexpr std::int64_t least_written_row = 32 << 10;  // the page cache takes shorter ones as fast
constexpr std::int64_t least_read_row = 4 << 10;
constexpr int row_threads = 8;                           // each has one row at a time on its way to the disk
constexpr std::int64_t largest_gap = 32 << 10;           // between rows that are read together
constexpr std::int64_t most_together = 8 << 20;          // bytes of rows and gaps that are read together
constexpr std::int64_t least_scattered_pitch = 4 << 10;  // of rows that are read into their places at once
constexpr std::int64_t most_scattered_rows = 512;        // by one call, with as many gaps: IOV_MAX
constexpr std::int64_t region_bytes = 64 << 20;          // that the kernel is told to write, once they are full

std::int64_t page_down(std::int64_t value) { return value / direct_alignment * direct_alignment; }
std::int64_t page_up(std::int64_t value) { return page_down(value + direct_alignment - 1); }

}  // namespace

struct BlockFile::Transfers::Request {
  Way way;
  Route route;
  Done done;
  std::mutex mutex;
  std::int64_t pieces = 1;  // the one is held while pieces are still added
  std::int64_t bytes = 0, direct_bytes = 0;
  std::exception_ptr error;
};

BlockFile::Transfers::Transfers(std::filesystem::path path, const Descriptor& file, bool writable,
                                std::shared_ptr<IoThreads> threads)
    : path_(std::move(path)),
      reopening_path_(reopening_path(file)),
      descriptor_(file.get()),
      writable_(writable),
      direct_(StxxlLanes::supported(reopening_path_)),
      threads_(std::move(threads)) {}

void BlockFile::Transfers::move(Way way, std::int64_t offset, std::byte* buffer, std::int64_t bytes, Done done) {
  if (offset < 0 || bytes < 0) throw Error(path_.string() + ": a request with a negative offset or length");
  const RequestPointer request = begin(way, std::move(done));
  try {
    if (way == Way::read) check_readable(offset + bytes);
    add_range(request, offset, buffer, bytes);
    release(request, nullptr);
  } catch (...) {
    release(request, std::current_exception());
  }
}

void BlockFile::Transfers::read_box(const FileArray& array, const Box& box, std::byte* buffer, Done done,
                                    Route route) {
  const auto rows = std::make_shared<const BoxRuns>(array.shape, array.element_size, box);
  if (array.offset < 0) throw Error(path_.string() + ": an array with a negative offset");
  const RequestPointer request = begin(Way::read, std::move(done), route);
  try {
    if (rows->count() > 0) check_readable(array.offset + rows->end());
    if (rows->count() > 1 && rows->run_bytes() < thick_row) {
      add_read_rows(request, array, rows, buffer);
    } else {
      for (std::int64_t row = 0; row < rows->count(); ++row) {
        add_range(request, array.offset + rows->offset(row), buffer + row * rows->run_bytes(), rows->run_bytes());
      }
    }
    release(request, nullptr);
  } catch (...) {
    release(request, std::current_exception());
  }
}

void BlockFile::Transfers::write_boxes(const FileArray& array, std::vector<BoxPart> parts, Done done) {
  auto* const first = static_cast<std::byte*>(const_cast<void*>(parts.at(0).buffer));
  const bool alone = parts.size() == 1;
  const auto rows = std::make_shared<const RowWrites>(array, std::move(parts));
  if (array.offset < 0) throw Error(path_.string() + ": an array with a negative offset");
  const RequestPointer request = begin(Way::write, std::move(done));
  try {
    if (!alone || (rows->count() > 1 && rows->row_bytes() < thick_row)) {
      add_written_rows(request, rows);
    } else {
      for (std::int64_t row = 0; row < rows->count(); ++row) {
        add_range(request, rows->offset(row), first + row * rows->row_bytes(), rows->row_bytes());
      }
    }
    release(request, nullptr);
  } catch (...) {
    release(request, std::current_exception());
  }
}

void BlockFile::Transfers::drain() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [this] { return under_way_ == 0; });
}

// Requests

BlockFile::Transfers::RequestPointer BlockFile::Transfers::begin(Way way, Done done, Route route) {
  auto request = std::make_shared<Request>();
  request->way = way;
  request->route = route;
  request->done = std::move(done);
  const std::lock_guard lock(mutex_);
  ++under_way_;
  return request;
}

void BlockFile::Transfers::hold(const RequestPointer& request) {
  const std::lock_guard lock(request->mutex);
  ++request->pieces;
}

/// Ends the handing over. The last piece may already have ended; `done` is always called on an I/O thread.
void BlockFile::Transfers::release(const RequestPointer& request, std::exception_ptr error) {
  {
    const std::lock_guard lock(request->mutex);
    if (request->pieces > 1) {
      --request->pieces;
      if (error && !request->error) request->error = error;
      return;
    }
  }
  threads_->post([this, request, error] { end(request, 0, 0, error); });
}

void BlockFile::Transfers::end(const RequestPointer& request, std::int64_t bytes, std::int64_t direct_bytes,
                               std::exception_ptr error) {
  {
    const std::lock_guard lock(request->mutex);
    if (error && !request->error) request->error = error;
    request->bytes += bytes;
    request->direct_bytes += direct_bytes;
    if (--request->pieces > 0) return;
  }
  if (!request->error) {
    (request->way == Way::read ? bytes_read : bytes_written) += request->bytes;
    bytes_direct += request->direct_bytes;
  }
  if (request->done) std::exchange(request->done, nullptr)(request->error);
  const std::lock_guard lock(mutex_);
  if (--under_way_ == 0) idle_.notify_all();
}

// Ranges

void BlockFile::Transfers::add_range(const RequestPointer& request, std::int64_t offset, std::byte* buffer,
                                     std::int64_t bytes) {
  if (bytes == 0) return;
  const std::int64_t first_page = page_up(offset), last_page = page_down(offset + bytes);
  const bool agree = (reinterpret_cast<std::uintptr_t>(buffer) - static_cast<std::uint64_t>(offset)) %
                         static_cast<std::uint64_t>(direct_alignment) ==
                     0;
  if (request->route == Route::page_cache || !direct_ || !agree || last_page - first_page < least_direct ||
      !lanes()) {
    add_buffered({request, offset, buffer, bytes});
    return;
  }
  if (offset < first_page) add_buffered({request, offset, buffer, first_page - offset});
  for (std::int64_t at = first_page; at < last_page; at += largest_direct) {
    add_direct({request, at, buffer + (at - offset), std::min(largest_direct, last_page - at)});
  }
  if (last_page < offset + bytes) {
    add_buffered({request, last_page, buffer + (last_page - offset), offset + bytes - last_page});
  }
}

/// A piece that fails here is done again through the page cache, once: its system calls name the reason exactly, and
/// a file system that takes O_DIRECT at opening may still refuse requests. After that no piece goes directly.
void BlockFile::Transfers::add_direct(const Piece& piece) {
  hold(piece.request);
  auto completed = [this, piece](const std::string& failure) {
    if (failure.empty()) return end(piece.request, piece.bytes, piece.bytes, nullptr);
    direct_ = false;
    add_buffered(piece);
    end(piece.request, 0, 0, nullptr);
  };
  if (piece.request->way == Way::read) {
    lanes_->read(piece.offset, piece.buffer, piece.bytes, std::move(completed));
  } else {
    lanes_->write(piece.offset, piece.buffer, piece.bytes, std::move(completed));
  }
}

void BlockFile::Transfers::add_buffered(const Piece& piece) {
  post_buffered(piece.request, piece.bytes,
                [this, piece] { transfer_buffered(piece.request->way, piece.offset, piece.buffer, piece.bytes); });
}

void BlockFile::Transfers::post_buffered(const RequestPointer& request, std::int64_t bytes,
                                         std::function<void()> transfer) {
  hold(request);
  threads_->post([this, request, bytes, transfer = std::move(transfer)] {
    std::exception_ptr error;
    try {
      transfer();
    } catch (...) {
      error = std::current_exception();
    }
    end(request, bytes, 0, error);
  });
}

void BlockFile::Transfers::transfer_buffered(Way way, std::int64_t offset, std::byte* buffer,
                                             std::int64_t bytes) const {
  const auto count = static_cast<std::size_t>(bytes);
  if (way == Way::read) {
    read_fully(descriptor_, {buffer, count}, offset, path_);
  } else {
    write_fully(descriptor_, {buffer, count}, offset, path_);
  }
}

// Thin rows

void BlockFile::Transfers::add_read_rows(const RequestPointer& request, const FileArray& array, const Rows& rows,
                                         std::byte* buffer) {
  if (request->route == Route::best && rows_are_pages(array, *rows, buffer))
    return read_rows_directly(request, array.offset, rows, buffer);
  const std::int64_t step = std::max<std::int64_t>(rows_task / rows->run_bytes(), 1);
  for (std::int64_t first = 0; first < rows->count(); first += step) {
    const std::int64_t last = std::min(first + step, rows->count());
    post_buffered(
        request, (last - first) * rows->run_bytes(),
        [this, offset = array.offset, rows, first, last, buffer] { read_rows(offset, *rows, first, last, buffer); });
  }
}

/// True if rows are whole pages, go past the page cache, and the gaps between them are too large to read along.
bool BlockFile::Transfers::rows_are_pages(const FileArray& array, const BoxRuns& rows, const std::byte* buffer) {
  const auto page = [](std::int64_t value) { return value % direct_alignment == 0; };
  const std::int64_t pitch = rows.offset(1) - rows.offset(0);
  return direct_ && rows.run_bytes() >= least_read_row && pitch - rows.run_bytes() > largest_gap &&
         page(array.offset + rows.offset(0)) && page(rows.run_bytes()) &&
         page(array.shape[array.shape.rank() - 1] * array.element_size) &&
         page(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(buffer))) && open_for_rows();
}

/// Urgent, before rows to be written: readers wait for what they read.
void BlockFile::Transfers::read_rows_directly(const RequestPointer& request, std::int64_t array_offset,
                                              const Rows& rows, std::byte* buffer) {
  const std::int64_t step = std::max<std::int64_t>(direct_rows_task / rows->run_bytes(), 1);
  for (std::int64_t first = 0; first < rows->count(); first += step) {
    const std::int64_t last = std::min(first + step, rows->count());
    const auto direct = [this, array_offset, rows, first, last, buffer] {
      const auto bytes = static_cast<std::size_t>(rows->run_bytes());
      for (std::int64_t row = first; row < last; ++row) {
        read_fully(rows_file_.get(), {buffer + row * rows->run_bytes(), bytes}, array_offset + rows->offset(row),
                   path_);
      }
    };
    post_rows(request, (last - first) * rows->run_bytes(), direct, [this, array_offset, rows, first, last, buffer] {
      read_rows(array_offset, *rows, first, last, buffer);
    });
  }
}

void BlockFile::Transfers::read_rows(std::int64_t array_offset, const BoxRuns& rows, std::int64_t first,
                                     std::int64_t last, std::byte* buffer) const {
  for (std::int64_t row = first; row < last;) {
    const bool far_apart = row + 1 < last && rows.offset(row + 1) - rows.offset(row) >= least_scattered_pitch;
    const std::int64_t most_rows = far_apart ? most_scattered_rows : last;
    std::int64_t next = row + 1;
    while (next < last && rows.offset(next) - rows.offset(next - 1) - rows.run_bytes() <= largest_gap &&
           rows.offset(next) + rows.run_bytes() - rows.offset(row) <= most_together && next - row < most_rows) {
      ++next;
    }
    if (next - row == 1) {
      transfer_buffered(Way::read, array_offset + rows.offset(row), buffer + row * rows.run_bytes(),
                        rows.run_bytes());
    } else if (far_apart) {
      scatter_rows(array_offset, rows, row, next, buffer);
    } else {
      read_rows_with_gaps(array_offset, rows, row, next, buffer);
    }
    row = next;
  }
}

/// Reads rows into their places, and what lies between them into a buffer that nobody looks at.
void BlockFile::Transfers::scatter_rows(std::int64_t array_offset, const BoxRuns& rows, std::int64_t first,
                                        std::int64_t last, std::byte* buffer) const {
  std::array<std::byte, largest_gap> gap;
  std::vector<iovec> pieces;
  for (std::int64_t row = first; row < last; ++row) {
    pieces.push_back({buffer + row * rows.run_bytes(), static_cast<std::size_t>(rows.run_bytes())});
    if (row + 1 == last) break;
    const std::int64_t between = rows.offset(row + 1) - rows.offset(row) - rows.run_bytes();
    if (between > 0) pieces.push_back({gap.data(), static_cast<std::size_t>(between)});
  }
  read_fully(descriptor_, pieces, array_offset + rows.offset(first), path_);
}

void BlockFile::Transfers::read_rows_with_gaps(std::int64_t array_offset, const BoxRuns& rows, std::int64_t first,
                                               std::int64_t last, std::byte* buffer) const {
  const std::int64_t begin = rows.offset(first);
  const auto run_bytes = static_cast<std::size_t>(rows.run_bytes());
  std::vector<std::byte> staging(static_cast<std::size_t>(rows.offset(last - 1) - begin) + run_bytes);
  read_fully(descriptor_, staging, array_offset + begin, path_);
  for (std::int64_t row = first; row < last; ++row) {
    std::copy_n(staging.data() + (rows.offset(row) - begin), run_bytes, buffer + row * rows.run_bytes());
  }
}

void BlockFile::Transfers::add_written_rows(const RequestPointer& request,
                                            const std::shared_ptr<const RowWrites>& rows) {
  if (direct_ && rows->row_bytes() >= least_written_row && rows->are_pages() && open_for_rows()) {
    return write_rows_directly(request, rows);
  }
  const std::int64_t step = std::max<std::int64_t>(rows_task / rows->row_bytes(), 1);
  for (std::int64_t first = 0; first < rows->count(); first += step) {
    const std::int64_t last = std::min(first + step, rows->count());
    post_buffered(request, (last - first) * rows->row_bytes(),
                  [this, rows, first, last] { write_rows(*rows, first, last); });
  }
}

void BlockFile::Transfers::write_rows_directly(const RequestPointer& request,
                                               const std::shared_ptr<const RowWrites>& rows) {
  const std::int64_t step = std::max<std::int64_t>(direct_rows_task / rows->row_bytes(), 1);
  for (std::int64_t first = 0; first < rows->count(); first += step) {
    const std::int64_t last = std::min(first + step, rows->count());
    post_rows(
        request, (last - first) * rows->row_bytes(),
        [this, rows, first, last] { rows->write(rows_file_.get(), first, last, path_); },
        [this, rows, first, last] { write_rows(*rows, first, last); });
  }
}

/// Moves rows past the page cache. As with other pieces, rows that fail are done again through it.
void BlockFile::Transfers::post_rows(const RequestPointer& request, std::int64_t bytes, std::function<void()> direct,
                                     std::function<void()> buffered) {
  hold(request);
  auto move = [this, request, bytes, direct = std::move(direct), buffered = std::move(buffered)] {
    std::exception_ptr error;
    bool is_direct = direct_;
    try {
      if (is_direct) direct();
    } catch (const IoError&) {
      is_direct = direct_ = false;
    }
    try {
      if (!is_direct) buffered();
    } catch (...) {
      error = std::current_exception();
    }
    end(request, bytes, is_direct ? bytes : 0, error);
  };
  if (request->way == Way::read) row_threads_->post_urgent(std::move(move));
  else row_threads_->post(std::move(move));
}

void BlockFile::Transfers::write_rows(const RowWrites& rows, std::int64_t first, std::int64_t last) {
  rows.write(descriptor_, first, last, path_);
  count_written(rows, first, last);
}

/// Lets the kernel begin to write a region of the file once thin rows have filled it, instead of at the sync only.
/// The sync reports failures.
void BlockFile::Transfers::count_written(const RowWrites& rows, std::int64_t first, std::int64_t last) {
  for (std::int64_t row = first; row < last;) {
    // A row counts for the region that it begins in.
    const std::int64_t region = rows.offset(row) / region_bytes;
    std::int64_t bytes = 0;
    for (; row < last && rows.offset(row) / region_bytes == region; ++row) bytes += rows.row_bytes();
    {
      const std::lock_guard lock(regions_mutex_);
      if ((regions_[region] += bytes) < region_bytes - thick_row) continue;
      regions_.erase(region);
    }
    sync_file_range(descriptor_, region * region_bytes, region_bytes, SYNC_FILE_RANGE_WRITE);
  }
}

// The file

void BlockFile::Transfers::check_readable(std::int64_t end_offset) const {
  struct stat status;
  if (fstat(descriptor_, &status) != 0) throw system_error(path_, "its size is not known", errno);
  if (end_offset <= status.st_size) return;
  throw IoError(path_.string() + ", byte " + std::to_string(status.st_size),
                "the file ends here, but bytes up to " + std::to_string(end_offset) + " are asked for");
}

StxxlLanes* BlockFile::Transfers::lanes() {
  std::call_once(lanes_opened_, [this] {
    try {
      lanes_ = std::make_unique<StxxlLanes>(reopening_path_, writable_, path_);
    } catch (const IoError&) {
      direct_ = false;  // no descriptors left, say; the page cache does as well
    }
  });
  return lanes_.get();
}

bool BlockFile::Transfers::open_for_rows() {
  std::call_once(rows_opened_, [this] {
    try {
      rows_file_ = open_file(reopening_path_, (writable_ ? O_RDWR : O_RDONLY) | O_DIRECT);
      row_threads_ = std::make_unique<IoThreads>(row_threads);
    } catch (const std::exception&) {
      direct_ = false;  // as above
    }
  });
  return row_threads_ != nullptr;
}

}  // namespace terrace::io
