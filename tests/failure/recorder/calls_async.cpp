// Asynchronous writes, which reach the kernel through syscall(): recorded when they are submitted and again when
// their end has been seen. io_uring shares its queue with the kernel, unseen: it is refused.
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <map>

#include "tests/failure/recorder/recorder.hpp"

using recorder::Event;
using recorder::next;
using recorder::OpenFile;
using recorder::Recorder;

namespace {

using Syscall = long(long, ...);

/// Writes in flight, by the address of their control block. Used with the recorder's lock held.
class Requests {
 public:
  static Requests& instance() {
    static auto* const requests = new Requests;
    return *requests;
  }
  std::int64_t begin(const iocb* block) { return numbers_[reinterpret_cast<std::uint64_t>(block)] = ++begun_; }
  void begin_failing(const iocb* block) { numbers_[reinterpret_cast<std::uint64_t>(block)] = failing; }
  /// The number of a request that has ended; 0 if it is no recorded request.
  std::int64_t end(std::uint64_t block) {
    const auto at = numbers_.find(block);
    if (at == numbers_.end()) return 0;
    const auto number = at->second;
    numbers_.erase(at);
    return number;
  }
  static constexpr std::int64_t failing = -1;

 private:
  std::map<std::uint64_t, std::int64_t> numbers_;
  std::int64_t begun_ = 0;
};

bool writes(const iocb& block) {
  return block.aio_lio_opcode == IOCB_CMD_PWRITE || block.aio_lio_opcode == IOCB_CMD_PWRITEV;
}

void record_submitted(const iocb& block, const OpenFile& file) {
  iovec single{reinterpret_cast<void*>(block.aio_buf), block.aio_nbytes};
  const bool one = block.aio_lio_opcode == IOCB_CMD_PWRITE;
  const iovec* buffers = one ? &single : reinterpret_cast<const iovec*>(block.aio_buf);
  const int count = one ? 1 : static_cast<int>(block.aio_nbytes);
  std::size_t bytes = 0;
  for (int i = 0; i < count; ++i) bytes += buffers[i].iov_len;
  Event event("submit", "io_submit");
  event.number("file", file.number).number("offset", block.aio_offset);
  event.number("synced", (file.flags & O_DSYNC) != 0).number("request", Requests::instance().begin(&block));
  Recorder::instance().record(event, buffers, count, bytes);
}

/// One block. A write that is to fail is submitted as an empty read, and fails when its end is asked for.
long submit_one(Syscall* real, aio_context_t context, iocb* block) {
  Recorder& recorder = Recorder::instance();
  auto lock = recorder.lock();
  const OpenFile* file = writes(*block) ? recorder.file(static_cast<int>(block->aio_fildes)) : nullptr;
  if (!file) return real(SYS_io_submit, context, 1L, &block);
  if (recorder.write_fails()) {
    const iocb original = *block;
    block->aio_lio_opcode = IOCB_CMD_PREAD;
    block->aio_nbytes = 0;
    const long submitted = real(SYS_io_submit, context, 1L, &block);
    *block = original;
    if (submitted == 1) Requests::instance().begin_failing(block);
    return submitted;
  }
  recorder.before();
  const long submitted = real(SYS_io_submit, context, 1L, &block);
  if (submitted == 1) record_submitted(*block, *file);
  return submitted;
}

long record_submit(Syscall* real, aio_context_t context, long count, iocb** blocks) {
  for (long i = 0; i < count; ++i) {
    const long submitted = submit_one(real, context, blocks[i]);
    if (submitted != 1) return i > 0 ? i : submitted;
  }
  return count;
}

void record_ended(io_event* events, long count) {
  Recorder& recorder = Recorder::instance();
  auto lock = recorder.lock();
  for (long i = 0; i < count; ++i) {
    const auto request = Requests::instance().end(events[i].obj);
    if (request == Requests::failing) events[i].res = -ENOSPC;
    else if (request > 0)
      recorder.record(Event("complete", "io_getevents").number("request", request).number("bytes", events[i].res));
  }
}

/// The C library's syscall(). Found without the guard of a local static: a thread that waits for a guard calls
/// syscall(), which would wait for the guard again, and so on until its stack overflows.
Syscall* real_syscall() {
  static constinit std::atomic<Syscall*> found{nullptr};
  Syscall* real = found.load(std::memory_order_relaxed);
  if (!real) found.store(real = next<Syscall>("syscall"), std::memory_order_relaxed);
  return real;
}

/// True for the calls that the recorder sees or refuses. The others are made without it: they may come from a thread
/// that waits for the recorder to be made.
bool is_of_files(long number) {
  return number == SYS_io_uring_setup || number == SYS_io_submit || number == SYS_io_getevents ||
         number == SYS_io_pgetevents;
}

}  // namespace

extern "C" {
long syscall(long number, ...) noexcept {
  auto* const real = real_syscall();
  va_list list;
  va_start(list, number);
  long arguments[6];
  for (long& argument : arguments) argument = va_arg(list, long);
  va_end(list);
  const auto forward = [&] {
    return real(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
  };
  if (!is_of_files(number) || !Recorder::instance().on()) return forward();
  if (number == SYS_io_uring_setup) return errno = ENOSYS, -1;
  if (number == SYS_io_submit) {
    return record_submit(real, static_cast<aio_context_t>(arguments[0]), arguments[1],
                         reinterpret_cast<iocb**>(arguments[2]));
  }
  const long result = forward();
  if (result > 0) record_ended(reinterpret_cast<io_event*>(arguments[3]), result);
  return result;
}

// liburing's own functions, which call the kernel directly.
int io_uring_queue_init(unsigned, void*, unsigned) { return -ENOSYS; }
int io_uring_queue_init_params(unsigned, void*, void*) { return -ENOSYS; }
}
