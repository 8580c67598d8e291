#include "io/hdf5/stated_range.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "io/hdf5/values.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

bool has(const Hdf5Handle& dataset, const char* name) { return H5Aexists(dataset.get(), name) > 0; }

/// The numbers of an attribute; empty where there is none of that name, or it does not hold `count` numbers.
std::vector<long double> numbers_of(const Hdf5Handle& dataset, const char* name, std::size_t count,
                                    const std::string& where) {
  if (!has(dataset, name)) return {};
  const std::string place = where + ", attribute " + name;
  const Hdf5Handle attribute(H5Aopen(dataset.get(), name, H5P_DEFAULT), place, "cannot be opened");
  const Hdf5Values values = values_of_attribute(attribute, place);
  const H5T_class_t kind = H5Tget_class(values.type.get());
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || values.count() != count) return {};
  std::vector<long double> numbers(count);
  values.read(H5T_NATIVE_LDOUBLE, numbers.data());
  return numbers;
}

/// A number as an element of floating point has it: attributes may have more digits than the dataset.
long double as_element(long double number, ElementType type) {
  if (type == ElementType::f32) return static_cast<long double>(static_cast<float>(number));
  return number;
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
    if (has(dataset, packed)) return std::nullopt;
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
