#include "io/files/block_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "io/files/block_transfers.hpp"

namespace terrace::io {

namespace {

constexpr int own_threads = 2;

int open_flags(BlockFile::Mode mode) {
  if (mode == BlockFile::Mode::read) return O_RDONLY;
  return O_RDWR | (mode == BlockFile::Mode::create ? O_CREAT : 0);
}

struct stat status_of(int descriptor, const std::filesystem::path& path) {
  struct stat status;
  if (fstat(descriptor, &status) != 0) throw system_error(path, "its size is not known", errno);
  return status;
}

std::byte* as_bytes(const void* buffer) { return const_cast<std::byte*>(static_cast<const std::byte*>(buffer)); }

bool has_no_fallocate(int error_number) { return error_number == EOPNOTSUPP || error_number == ENOSYS; }

int fallocate_again(int descriptor, std::int64_t bytes) {
  while (fallocate(descriptor, 0, 0, bytes) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

BlockFile::BlockFile(const Entry& file, Mode mode, std::shared_ptr<IoThreads> threads)
    : path_(file.path()), mode_(mode), file_(open_file(file, open_flags(mode))) {
  // Boxes are read in any order; read-ahead of the kernel would fetch bytes that nobody wants.
  posix_fadvise(file_.get(), 0, 0, POSIX_FADV_RANDOM);
  if (!threads) threads = std::make_shared<IoThreads>(own_threads);
  transfers_ = std::make_unique<Transfers>(path_, file_, mode != Mode::read, std::move(threads));
}

BlockFile::~BlockFile() = default;

void BlockFile::read(std::int64_t offset, void* buffer, std::int64_t bytes, Done done) {
  transfers_->move(Transfers::Way::read, offset, as_bytes(buffer), bytes, std::move(done));
}

void BlockFile::write(std::int64_t offset, const void* buffer, std::int64_t bytes, Done done) {
  check_writable();
  transfers_->move(Transfers::Way::write, offset, as_bytes(buffer), bytes, std::move(done));
}

void BlockFile::read_box(const FileArray& array, const Box& box, void* buffer, Done done, Route route) {
  transfers_->read_box(array, box, as_bytes(buffer), std::move(done), route);
}

void BlockFile::write_box(const FileArray& array, const Box& box, const void* buffer, Done done) {
  write_boxes(array, {{box, buffer}}, std::move(done));
}

void BlockFile::write_boxes(const FileArray& array, std::vector<BoxPart> parts, Done done) {
  check_writable();
  transfers_->write_boxes(array, std::move(parts), std::move(done));
}

void BlockFile::drain() { transfers_->drain(); }

void BlockFile::sync() {
  const std::lock_guard lock(sync_mutex_);
  if (sync_failed_) throw IoError(path_, "an earlier sync of this file failed; what it holds is not known");
  if (fdatasync(file_.get()) == 0) return;
  sync_failed_ = true;
  throw system_error(path_, "its data cannot be made durable", errno);
}

Reservation BlockFile::reserve(std::int64_t bytes) {
  check_writable();
  const struct stat status = status_of(file_.get(), path_);
  const std::int64_t owned = status.st_blocks * 512;
  check_free_space(path_, std::max<std::int64_t>(bytes - owned, 0));
  if (bytes <= 0) return Reservation::reserved;
  const int error_number = fallocate_again(file_.get(), bytes);
  if (error_number == 0) return Reservation::reserved;
  if (!has_no_fallocate(error_number)) {
    throw system_error(path_,
                       std::to_string(bytes) + " bytes cannot be reserved (" + std::to_string(free_space(path_)) +
                           " bytes are free)",
                       error_number);
  }
  if (status.st_size < bytes && ftruncate(file_.get(), bytes) != 0) {
    throw system_error(path_, "cannot be made " + std::to_string(bytes) + " bytes long", errno);
  }
  return Reservation::checked;
}

void BlockFile::extend(std::int64_t bytes) {
  check_writable();
  if (size() < bytes && ftruncate(file_.get(), bytes) != 0) {
    throw system_error(path_, "cannot be made " + std::to_string(bytes) + " bytes long", errno);
  }
  sync();
}

std::int64_t BlockFile::size() const { return status_of(file_.get(), path_).st_size; }

std::int64_t BlockFile::bytes_read() const { return transfers_->bytes_read; }
std::int64_t BlockFile::bytes_written() const { return transfers_->bytes_written; }
std::int64_t BlockFile::bytes_direct() const { return transfers_->bytes_direct; }

void BlockFile::check_writable() const {
  if (mode_ == Mode::read) throw Error(path_.string() + ": is open for reading only");
}

}  // namespace terrace::io
