#include "kernels/recursive/limits.hpp"

#include <string_view>

#include "kernels/device/ceilings.hpp"
#include "kernels/recursive/problems.hpp"

namespace terrace::recursive {
namespace {

namespace ceilings = device::ceilings;

/// The limit of elements of 64 bits: by one or two minima of each, or its product. Sums have other pipes, or wait for
/// no more than minima do.
double limit_of_wide(const TileSpec& spec, std::string_view semiring, const device::Limits& limits) {
  // A product of 64 bits is three of 32.
  if (semiring == "plus_times") return device::ceiling_of(limits, ceilings::i32_multiply_add) / 3;
  const char* minimum = is_floating(spec.value) ? ceilings::f64_minimum : ceilings::i64_minimum;
  return device::ceiling_of(limits, minimum) / (semiring == "max_min" ? 2 : 1);
}

/// The same of 32 bits, and of 16 that are not added.
double limit_of_words(const TileSpec& spec, std::string_view semiring, const device::Limits& limits) {
  const bool real = is_floating(spec.value);
  if (semiring == "plus_times") return device::ceiling_of(limits, ceilings::i32_multiply_add);
  if (semiring == "min_plus" || (semiring == "max_plus" && !real)) {
    return device::ceiling_of(limits, ceilings::f32_add_minimum_of_three);
  }
  const double minima = device::ceiling_of(limits, real ? ceilings::f32_minimum : ceilings::i32_minimum);
  return minima / (semiring == "max_min" ? 2 : 1);
}

}  // namespace

double cuda_limit_of_updates(const TileSpec& spec, const device::Limits& limits) {
  if (has_bit_factors(spec.table)) return device::ceiling_of(limits, ceilings::bit_products);
  const std::string_view semiring = semirings()[static_cast<std::size_t>(spec.semiring)].name;
  const std::size_t bytes = size_of(spec.value);
  if (bytes == 8) return limit_of_wide(spec, semiring, limits);
  const bool sums = semiring == "min_plus" || semiring == "max_plus";
  if (bytes == 2 && sums) return 2 * device::ceiling_of(limits, ceilings::i16x2_add_maximum);
  return limit_of_words(spec, semiring, limits);
}

}  // namespace terrace::recursive
