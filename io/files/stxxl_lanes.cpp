#include "io/files/stxxl_lanes.hpp"

#include <fcntl.h>
#include <stxxl/bits/io/disk_queues.h>
#include <stxxl/bits/io/serving_request.h>
#include <stxxl/bits/io/syscall_file.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "io/files/stxxl_setup.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {

namespace {

constexpr int first_queue = 1 << 20;  // clear of the numbers that STXXL gives to disks of its own

/// STXXL keeps its queues in a map that it does not guard.
std::mutex& queue_mutex() {
  static std::mutex mutex;
  return mutex;
}

/// A file of STXXL's that children do not inherit. (stxxl::create_file would also print STXXL's version to the
/// standard output.)
class OwnFile : public stxxl::syscall_file {
 public:
  OwnFile(const std::string& path, int mode, int queue) : stxxl::syscall_file(path, mode, queue) {
    fcntl(file_des, F_SETFD, FD_CLOEXEC);
  }
};

/// State of one request until it is complete. STXXL wants a second reference to the request while it serves it: the
/// request and this object hold each other until the request's end.
struct Transfer {
  stxxl::request_ptr request;
  StxxlLanes::Completed completed;
  std::atomic<std::int64_t>* bytes_waiting;
  std::int64_t bytes;
};

/// STXXL's reason, the last part of its message: "... rc=-1 : No space left on device".
std::string reason_of(const std::string& message) {
  const auto colon = message.rfind(" : ");
  return colon == std::string::npos ? message : message.substr(colon + 3);
}

std::string failure_of(stxxl::request& request) {
  try {
    request.check_errors();
    return {};
  } catch (const std::exception& error) {
    const std::string reason = reason_of(error.what());
    return reason.empty() ? "unknown failure" : reason;
  }
}

struct EndOfTransfer {
  std::shared_ptr<Transfer> transfer;

  void operator()(stxxl::request* request) const {
    const std::string failure = failure_of(*request);
    const StxxlLanes::Completed completed = std::move(transfer->completed);
    *transfer->bytes_waiting -= transfer->bytes;
    completed(failure);
    transfer->request = stxxl::request_ptr();
  }
};

}  // namespace

StxxlLanes::StxxlLanes(const std::filesystem::path& path, bool writable, const std::filesystem::path& named)
    : path_(named) {
  prepare_stxxl();
  const int mode = (writable ? stxxl::file::RDWR : stxxl::file::RDONLY) | stxxl::file::DIRECT | stxxl::file::NO_LOCK;
  try {
    for (int i = 0; i < count; ++i) {
      lanes_.push_back(std::make_unique<Lane>());
      lanes_.back()->file = std::make_unique<OwnFile>(path.string(), mode, first_queue + i);
    }
  } catch (const std::exception& error) {
    throw IoError(path_.string(), "cannot be opened for direct I/O: " + reason_of(error.what()));
  }
}

StxxlLanes::~StxxlLanes() {
  // A request touches its file once more after its completion handler.
  for (const auto& lane : lanes_) {
    while (lane->file && lane->file->get_request_nref() != 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
  }
}

bool StxxlLanes::supported(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECT | O_CLOEXEC);
  if (descriptor >= 0) ::close(descriptor);
  return descriptor >= 0;
}

void StxxlLanes::read(std::int64_t offset, void* buffer, std::int64_t bytes, Completed completed) {
  submit(false, offset, buffer, bytes, std::move(completed));
}

void StxxlLanes::write(std::int64_t offset, const void* buffer, std::int64_t bytes, Completed completed) {
  submit(true, offset, const_cast<void*>(buffer), bytes, std::move(completed));
}

StxxlLanes::Lane& StxxlLanes::least_busy() {
  Lane* best = lanes_[next_].get();
  for (const auto& lane : lanes_) {
    if (lane->bytes_waiting < best->bytes_waiting) best = lane.get();
  }
  next_ = (next_ + 1) % lanes_.size();
  return *best;
}

void StxxlLanes::submit(bool write, std::int64_t offset, void* buffer, std::int64_t bytes, Completed completed) {
  const auto transfer = std::make_shared<Transfer>();
  transfer->completed = std::move(completed);
  transfer->bytes = bytes;
  stxxl::file* file = nullptr;
  {
    const std::lock_guard lock(choosing_);
    Lane& lane = least_busy();
    lane.bytes_waiting += bytes;
    transfer->bytes_waiting = &lane.bytes_waiting;
    file = lane.file.get();
  }
  transfer->request = stxxl::request_ptr(new stxxl::serving_request(
      EndOfTransfer{transfer}, file, buffer, static_cast<stxxl::file::offset_type>(offset),
      static_cast<stxxl::file::size_type>(bytes), write ? stxxl::request::WRITE : stxxl::request::READ));
  stxxl::request_ptr request = transfer->request;
  const std::lock_guard lock(queue_mutex());
  stxxl::disk_queues::get_instance()->add_request(request, file->get_queue_id());
}

}  // namespace terrace::io
