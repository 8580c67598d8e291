// 16 bytes of values: what rows are moved by.
#pragma once

namespace terrace::stencil {

/// 16 bytes of values.
template <class T>
struct alignas(16) StreamChunk {
  T values[16 / sizeof(T)];
};

}  // namespace terrace::stencil
