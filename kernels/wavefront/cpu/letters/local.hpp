// Local alignments in narrow types: shared parts of their kernels and of their callers. Included by files that are
// compiled for newer instruction sets than the rest: no host library header.
//
// A group of lanes has as many lanes as a vector has bytes, for any type of values: a band computes some chunks in
// bytes and others, of the same rows and lanes, in 16 or 32 bits. Values of narrow types count from a base, which
// floor_of<T> represents; values of 32 bits are not shifted.
#pragma once

#include "kernels/wavefront/cpu/band.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront {

using device::i16;
using device::i32;
using device::i8;

/// True if P's scores are computed in this way: values below 0 become 0, and two letters score match or mismatch.
template <class P>
inline constexpr bool narrows_in_chunks = P::report == Report::best && !by_matrix<P>;

/// Represents the base; lower values are cut off here.
template <class T>
inline constexpr T floor_of = sizeof(T) == 4 ? T(0) : static_cast<T>(-(i64{1} << (8 * sizeof(T) - 1)));
/// Represents the largest value, and all above it.
template <class T>
inline constexpr T ceiling_of = static_cast<T>((i64{1} << (8 * sizeof(T) - 1)) - 1);
/// Largest distance above the base that T holds and that is certainly not cut off.
template <class T>
inline constexpr i64 span_of = i64(ceiling_of<T>) - i64(floor_of<T>) - 1;

struct LocalRange {
  i32 least, largest;
};

/// The kernels of one problem and one type. T must hold all of P's constants; if `best` reaches ceiling_of<T>
/// values may have been cut off. A band has vector_bytes lanes.
template <class T>
struct LocalKernels {
  AdvanceBand<T> advance = nullptr;
  /// Values from the least up to span_of<T> above the base, counted from it; and back.
  void (*narrow)(const i32* values, i64 count, i32 base, T* narrowed) = nullptr;
  void (*widen)(const T* narrowed, i64 count, i32 base, i32* values) = nullptr;
  T (*largest)(const T* narrowed, i64 count) = nullptr;
};

/// The types of one problem; without `advance` if it is not computed in this way.
struct LocalTypes {
  LocalKernels<i8> bytes;
  LocalKernels<i16> words;
  AdvanceBand<i32> advance_i32 = nullptr;
  LocalRange (*range)(const i32* values, i64 count) = nullptr;
};

namespace sse2 {
LocalTypes local_types(int problem);
}
namespace avx2 {
LocalTypes local_types(int problem);
}
namespace avx512 {
LocalTypes local_types(int problem);
}

}  // namespace terrace::wavefront
