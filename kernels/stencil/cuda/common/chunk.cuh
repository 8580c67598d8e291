// 16 bytes of values: what rows and planes are moved by.
#pragma once

namespace terrace::stencil {

/// 16 bytes of values.
template <class T>
struct alignas(16) ValueChunk {
  T values[16 / sizeof(T)];
};

}  // namespace terrace::stencil
