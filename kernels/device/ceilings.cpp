#include "kernels/device/ceilings.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace terrace::device {
namespace {

/// Chips of which something was measured.
constexpr std::array<std::string_view, 2> chips{"NVIDIA H200", "NVIDIA H100 80GB HBM3"};

struct Row {
  std::string_view name;
  double a_clock;                            // of a multiprocessor, as operations_a_clock()
  std::array<double, chips.size()> at = {};  // measured, operations or bytes a second; 0: not
};

/// Operations a clock are those of NVIDIA's documents, unless said. H200: the higher one of what was measured by hand
/// (2026-11-21, CUDA 13.0) and by benchmark_limits_cuda (2026-12-01). H100: the product of bits 2026-11-28.
constexpr Row rows[] = {
    {ceilings::memory_read, 0, {4.65e12}},
    {ceilings::memory_write, 0, {4.32e12}},
    {ceilings::memory_copy, 0, {4.3e12, 3.0e12}},
    // 7.6 to 8.4 T.
    {ceilings::l2_read, 0, {8.4e12}},
    {ceilings::l2_copy, 0, {7.16e12}},
    {ceilings::shared_read, 128, {33.1e12}},
    {ceilings::link_up, 0, {55.6e9, 55.0e9}},
    {ceilings::link_down, 0, {55.3e9}},
    {ceilings::link_both, 0, {101.7e9}},
    {ceilings::f32_multiply_add, 128, {32.5e12}},
    {ceilings::f32_add, 128, {32.5e12}},
    {ceilings::f32_minimum, 64, {16.5e12}},
    {ceilings::f32_add_minimum, 64, {15.8e12}},
    // Three instructions of 128 lanes a clock for two.
    {ceilings::f32_add_minimum_of_three, 128.0 * 2 / 3, {21.3e12}},
    {ceilings::f64_multiply_add, 64, {16.7e12}},
    {ceilings::f64_add, 64, {16.7e12}},
    // A comparison on the pipe of f64, and two selections of words.
    {ceilings::f64_minimum, 32, {7.83e12}},
    // Compilers make half of them multiply-adds, which start on another pipe; of 64 bits they are two each.
    {ceilings::i32_add, 128, {32.1e12}},
    {ceilings::i32_multiply_add, 64, {16.7e12}},
    {ceilings::i32_minimum, 64, {16.5e12}},
    {ceilings::i32_maximum_of_three, 64, {16.6e12}},
    {ceilings::i32_add_maximum, 64, {16.6e12, 16.6e12}},
    {ceilings::i16x2_add_maximum, 64, {16.5e12}},
    {ceilings::i16x2_maximum_of_three, 64, {16.5e12}},
    {ceilings::i64_add, 64, {15.0e12}},
    // Two comparisons and two selections of words.
    {ceilings::i64_minimum, 16, {4.16e12}},
    {ceilings::logic, 64, {16.5e12}},
    {ceilings::popc, 16, {4.06e12}},
    {ceilings::shuffle, 32, {8.35e12}},
    // No document says it: what was measured of the H200's 132 multiprocessors at 1.98 GHz.
    {ceilings::bit_products, 5154e12 / (132 * 1.98e9), {5154e12, 5054e12}},
    {ceilings::f64_products, 128, {32.9e12}},
};

/// Operations a clock of `Limits::operations_per_second`.
constexpr double usual_a_clock = 64;

const Row* find_row(std::string_view name) {
  const auto* row = std::ranges::find(rows, name, &Row::name);
  return row == std::end(rows) ? nullptr : row;
}

}  // namespace

double measured_ceiling(std::string_view chip, std::string_view name) {
  const Row* row = find_row(name);
  const auto at = static_cast<std::size_t>(std::ranges::find(chips, chip) - chips.begin());
  return row == nullptr || at == chips.size() ? 0 : row->at[at];
}

double operations_a_clock(std::string_view name) {
  const Row* row = find_row(name);
  return row == nullptr ? 0 : row->a_clock;
}

double ceiling_of(const Limits& limits, std::string_view name) {
  const double measured = measured_ceiling(limits.name, name);
  return measured > 0 ? measured : operations_a_clock(name) / usual_a_clock * limits.operations_per_second;
}

}  // namespace terrace::device
