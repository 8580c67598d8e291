// Memory of a context that one object owns.
#pragma once

#include <cstddef>

#include "kernels/device/context.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::device {

/// The memory in which an allocation lies: the memory that kernels compute in, or host memory that copies and kernels
/// of the context reach.
enum class In { device, host };

/// Bytes of a part of such memory, rounded up so that the next part is aligned for every access.
constexpr std::size_t aligned_bytes(std::size_t bytes) { return rounded_up(bytes, 256); }

/// Memory of a context, released with the object. The context outlives it.
class Memory {
 public:
  /// @param bytes 0: no memory, data() is null @throws DeviceError if there is not enough
  Memory(Context& context, std::size_t bytes, In in = In::device)
      : context_(context), bytes_(bytes), in_(in), data_(allocate()) {}
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() {
    if (data_ == nullptr) return;
    if (in_ == In::host) context_.release_host(data_, bytes_);
    else context_.release(data_, bytes_);
  }

  void* data() const { return data_; }
  template <class T = unsigned char>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  void* allocate() const {
    if (bytes_ == 0) return nullptr;
    return in_ == In::host ? context_.allocate_host(bytes_) : context_.allocate(bytes_);
  }

  Context& context_;
  std::size_t bytes_;
  In in_;
  void* data_;
};

}  // namespace terrace::device
