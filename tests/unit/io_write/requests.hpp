// Waiting for asynchronous requests in tests.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <exception>
#include <future>
#include <memory>
#include <string>

#include "io/files/block_file.hpp"

namespace terrace::io {

/// Page-aligned memory.
class PageBuffer {
 public:
  explicit PageBuffer(std::int64_t bytes)
      : bytes_(
            static_cast<std::byte*>(std::aligned_alloc(4096, static_cast<std::size_t>(bytes + 8191) / 4096 * 4096)),
            std::free) {}
  std::byte* data() const { return bytes_.get(); }

 private:
  std::unique_ptr<std::byte, decltype(&std::free)> bytes_;
};

/// Calls `submit(done)`, waits, and throws the request's error.
template <class Submit>
void wait_for(Submit&& submit) {
  std::promise<void> ended;
  submit([&ended](std::exception_ptr error) { error ? ended.set_exception(error) : ended.set_value(); });
  ended.get_future().get();
}

inline void write_now(BlockFile& file, std::int64_t offset, const void* buffer, std::int64_t bytes) {
  wait_for([&](BlockFile::Done done) { file.write(offset, buffer, bytes, std::move(done)); });
}
inline void read_now(BlockFile& file, std::int64_t offset, void* buffer, std::int64_t bytes) {
  wait_for([&](BlockFile::Done done) { file.read(offset, buffer, bytes, std::move(done)); });
}

/// The message of the IoError that `call` throws; "" if it throws no error.
template <class Call>
std::string io_error_of(Call&& call) {
  try {
    call();
  } catch (const IoError& error) {
    return error.what();
  }
  return {};
}

}  // namespace terrace::io
