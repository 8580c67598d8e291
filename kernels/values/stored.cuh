// Values of borders and tables whose type is known when a sweep is made, but not when its kernel is compiled.
#pragma once

#include "kernels/device/instructions.cuh"
#include "kernels/values/real.cuh"

namespace terrace::values {

using device::i16;
using device::u32;
using device::u64;

/// The types that arrays are stored in; numbered like ElementType.
enum class Stored : device::u8 { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 };

/// Calls call(T{}) with the type that `type` stands for.
template <class Call>
__device__ __forceinline__ void dispatch_stored(Stored type, const Call& call) {
  switch (type) {
    case Stored::u8:
      return call(device::u8{});
    case Stored::i8:
      return call(device::i8{});
    case Stored::u16:
      return call(device::u16{});
    case Stored::i16:
      return call(device::i16{});
    case Stored::u32:
      return call(device::u32{});
    case Stored::i32:
      return call(device::i32{});
    case Stored::u64:
      return call(device::u64{});
    case Stored::i64:
      return call(device::i64{});
    case Stored::f32:
      return call(float{});
    case Stored::f64:
      return call(double{});
  }
}

/// True if borders and tables of cells may have that type: signed types of at least 16 bits.
template <class T>
inline constexpr bool holds_cells = T(-1)<T(0) && sizeof(T)> 1;

/// Element `index` of a border, as a V; sees writes of other threads and copies. Borders are rarely accessed: one
/// copy of the code keeps kernels short.
template <class V>
__device__ __noinline__ V load_stored(Stored type, const void* array, i64 index) {
  V value = V(0);
  dispatch_stored(type, [&]<class T>(T) {
    if constexpr (holds_cells<T>) value = static_cast<V>(device::load_past_l1(static_cast<const T*>(array) + index));
  });
  return value;
}

/// Words are integers: numbers with a fraction do not arise.
template <>
__device__ __forceinline__ Word load_stored<Word>(Stored type, const void* array, i64 index) {
  return Word(load_stored<i64>(type, array, index));
}

template <class Target, class V>
__device__ __forceinline__ void put(void* array, i64 index, V value) {
  static_cast<Target*>(array)[index] = static_cast<Target>(value);
}

template <class Target, class T>
__device__ __forceinline__ void put(void* array, i64 index, Real<T> value) {
  static_cast<Target*>(array)[index] = static_cast<Target>(value.value);
}

/// Writes element `index` of a border or a table.
template <class V>
__device__ __noinline__ void store_stored(Stored type, void* array, i64 index, V value) {
  dispatch_stored(type, [&]<class T>(T) {
    if constexpr (holds_cells<T>) put<T>(array, index, value);
  });
}

/// Writes an integer cell to a table; one of numbers with a fraction gets the true value, `scale` times smaller.
template <class V>
__device__ __noinline__ void store_cell(Stored type, void* array, i64 index, V value, double scale) {
  dispatch_stored(type, [&]<class T>(T) {
    if constexpr (holds_cells<T> && T(0.5) != T(0)) {
      put<T>(array, index, static_cast<double>(static_cast<i64>(value)) / scale);
    } else if constexpr (holds_cells<T>) {
      put<T>(array, index, static_cast<i64>(value));
    }
  });
}

/// Real values are not scaled.
template <class T>
__device__ __forceinline__ void store_cell(Stored type, void* array, i64 index, Real<T> value, double) {
  store_stored(type, array, index, value);
}

/// The type of 32 bits in which a table of cells is stored without conversion.
template <class V>
inline constexpr Stored own_type = Stored::i32;
template <>
inline constexpr Stored own_type<Real<float>> = Stored::f32;

/// Words are integers: numbers with a fraction do not arise.
template <>
__device__ __forceinline__ void store_stored<Word>(Stored type, void* array, i64 index, Word value) {
  store_stored(type, array, index, static_cast<i64>(value));
}

}  // namespace terrace::values
