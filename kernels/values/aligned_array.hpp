// Arrays that begin on a cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

namespace terrace::values {

/// `size` values of a plain type, zeroed, aligned to 64 bytes.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::int64_t size) {
    const std::size_t bytes = (static_cast<std::size_t>(size) * sizeof(T) + 63) / 64 * 64 + 64;
    values_.reset(static_cast<T*>(std::aligned_alloc(64, bytes)));
    if (!values_) throw std::bad_alloc();
    std::fill_n(values_.get(), size, T{});
  }
  T* data() { return values_.get(); }
  const T* data() const { return values_.get(); }
  T& operator[](std::int64_t i) { return values_.get()[i]; }
  const T& operator[](std::int64_t i) const { return values_.get()[i]; }

 private:
  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::unique_ptr<T, Free> values_;
};

}  // namespace terrace::values
