// The rates that CUDA devices reach at most, of which the limits are made that plans and results print.
//
// tests/benchmarks/limits_cuda.cu measures them under the same names: its lines are what the table of ceilings.cpp
// has.
#pragma once

#include <string_view>

#include "kernels/device/context.hpp"

namespace terrace::device {

namespace ceilings {

inline constexpr const char* memory_read = "device memory read";
inline constexpr const char* memory_write = "device memory write";
inline constexpr const char* memory_copy = "device memory copy (read + write)";
inline constexpr const char* l2_read = "L2 read";
inline constexpr const char* l2_copy = "L2 copy (read + write)";
inline constexpr const char* shared_read = "shared memory read";
inline constexpr const char* link_up = "host to device, pinned";
inline constexpr const char* link_down = "device to host, pinned";
inline constexpr const char* link_both = "both ways at once, pinned";
inline constexpr const char* f32_multiply_add = "f32 multiply-add";
inline constexpr const char* f32_add = "f32 add";
inline constexpr const char* f32_minimum = "f32 minimum";
inline constexpr const char* f32_add_minimum = "f32 add and minimum";
/// Two sums, and a minimum of them and a third number: two updates of a shortest distance.
inline constexpr const char* f32_add_minimum_of_three = "f32 add and minimum, two by a minimum of three";
inline constexpr const char* f64_multiply_add = "f64 multiply-add";
inline constexpr const char* f64_add = "f64 add";
inline constexpr const char* f64_minimum = "f64 minimum";
inline constexpr const char* i32_add = "i32 add";
inline constexpr const char* i32_multiply_add = "i32 multiply-add";
inline constexpr const char* i32_minimum = "i32 minimum";
inline constexpr const char* i32_maximum_of_three = "i32 maximum of three";
inline constexpr const char* i32_add_maximum = "i32 add-maximum, fused";
/// Of words: each is two operations on 16 bits.
inline constexpr const char* i16x2_add_maximum = "i16x2 add-maximum, fused, words";
inline constexpr const char* i16x2_maximum_of_three = "i16x2 maximum of three, words";
inline constexpr const char* i64_add = "i64 add";
inline constexpr const char* i64_minimum = "i64 minimum";
inline constexpr const char* logic = "logic of three words";
inline constexpr const char* popc = "popc";
inline constexpr const char* shuffle = "shuffle";
/// Multiply-adds of matrices of bits, and of f64, on tensor cores.
inline constexpr const char* bit_products = "b1 m16n8k256 and.popc, multiply-adds";
inline constexpr const char* f64_products = "f64 m16n8k4, multiply-adds";

}  // namespace ceilings

/// What was measured of a chip, in operations or bytes a second; 0: not measured. @param name one of `ceilings`
double measured_ceiling(std::string_view chip, std::string_view name);

/// Operations or bytes that one multiprocessor of compute capability 9.0 starts in a clock; 0: not known.
double operations_a_clock(std::string_view name);

/// A ceiling of a CUDA device, in operations or bytes a second: measured of its chip, else derived from what its
/// multiprocessors start in a clock and `limits.operations_per_second`; 0 if nothing is known.
double ceiling_of(const Limits& limits, std::string_view name);

}  // namespace terrace::device
