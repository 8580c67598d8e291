#include "io/hdf5/stated_range.hpp"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "io/hdf5/number_attribute.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

/// The numbers of an attribute; empty where there is none of that name, or it does not hold `count` numbers.
std::vector<long double> numbers_of(const Hdf5Handle& dataset, const char* name, std::size_t count,
                                    const std::string& where) {
  auto found = number_attribute(dataset, name, where);
  return found && found->values.size() == count ? std::move(found->values) : std::vector<long double>();
}

long double least_of(ElementType type) {
  return dispatch(type, [](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    return static_cast<long double>(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
  });
}

long double largest_of(ElementType type) {
  return dispatch(type, [](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    return static_cast<long double>(Limits::has_infinity ? Limits::infinity() : Limits::max());
  });
}

std::string origin_of_range(const std::string& name) { return "its attribute `" + name + "`"; }

/// The range that a pair of numbers in one attribute states.
std::optional<KnownRange> pair_of(const Hdf5Handle& dataset, const char* name, const std::string& where) {
  const std::vector<long double> ends = numbers_of(dataset, name, 2, where);
  if (ends.empty() || !(ends[0] <= ends[1])) return std::nullopt;
  return KnownRange{ends[0], ends[1], {}, false, false, origin_of_range(name)};
}

std::optional<KnownRange> range_of_ends(const Hdf5Handle& dataset, ElementType type, const std::string& where) {
  const std::vector<long double> least = numbers_of(dataset, "valid_min", 1, where);
  const std::vector<long double> most = numbers_of(dataset, "valid_max", 1, where);
  if (least.empty() && most.empty()) return std::nullopt;
  KnownRange range;
  range.least = least.empty() ? least_of(type) : least[0];
  range.most = most.empty() ? largest_of(type) : most[0];
  if (!(range.least <= range.most)) return std::nullopt;
  range.origin = least.empty()  ? origin_of_range("valid_max")
                 : most.empty() ? origin_of_range("valid_min")
                                : "its attributes `valid_min` and `valid_max`";
  return range;
}

std::optional<KnownRange> read_range(const Hdf5Handle& dataset, ElementType type, const std::string& where) {
  for (const char* packed : {"scale_factor", "add_offset", "_Unsigned"}) {
    if (has_attribute(dataset, packed)) return std::nullopt;
  }
  std::optional<KnownRange> range = pair_of(dataset, "actual_range", where);
  if (range) range->exact = true;
  if (!range) range = pair_of(dataset, "valid_range", where);
  if (!range) range = range_of_ends(dataset, type, where);
  if (!range) return std::nullopt;
  range->least = as_element(range->least, type);
  range->most = as_element(range->most, type);
  for (const char* name : {"_FillValue", "missing_value"}) {
    for (const long double filler : numbers_of(dataset, name, 1, where)) {
      if (std::isnan(filler)) range->has_nan = true;
      else range->fillers.push_back(as_element(filler, type));
    }
  }
  return range;
}

}  // namespace

std::optional<KnownRange> stated_range(const Hdf5Handle& dataset, ElementType type, const std::string& where) {
  try {
    return read_range(dataset, type, where);
  } catch (const IoError&) {
    return std::nullopt;  // the elements can be read even so
  }
}

}  // namespace terrace::io
