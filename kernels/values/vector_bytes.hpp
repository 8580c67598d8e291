// The bytes of a vector of each instruction set. Included by files that are compiled for newer instruction sets than
// the rest: no host library header, no code that leaves a common symbol.
#pragma once

namespace terrace::values {

namespace sse2 {
inline constexpr int vector_bytes = 16;
}
namespace avx2 {
inline constexpr int vector_bytes = 32;
}
namespace avx512 {
inline constexpr int vector_bytes = 64;
}

}  // namespace terrace::values
