#include "io/hdf5/stored_packing.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <utility>

#include "io/hdf5/number_attribute.hpp"
#include "io/hdf5/values.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

ElementType of_other_sign(ElementType type) {
  const int number = static_cast<int>(type);
  return static_cast<ElementType>(is_signed(type) ? number - 1 : number + 1);
}

long double default_fill(ElementType type) {
  switch (type) {
    case ElementType::i16:
      return -32767;
    case ElementType::u16:
      return 65535;
    case ElementType::i32:
      return -2147483647;
    case ElementType::u32:
      return 4294967295u;
    case ElementType::i64:
      return -9223372036854775806ll;
    case ElementType::u64:
      return 18446744073709551614ull;
    case ElementType::f32:
      return 9.9692099683868690e+36f;
    default:
      return 9.9692099683868690e+36;
  }
}

/// True if the netCDF library, or one that writes as it does, wrote the file of the dataset.
bool is_of_netcdf(const Hdf5Handle& dataset, const std::string& where) {
  const Hdf5Handle file(H5Iget_file_id(dataset.get()), where, "its file cannot be asked for");
  return H5Aexists_by_name(file.get(), "/", "_NCProperties", H5P_DEFAULT) > 0;
}

class PackingReader {
 public:
  PackingReader(const Hdf5Handle& dataset, ElementType type, std::string where)
      : dataset_(dataset), where_(std::move(where)), stored_(type) {
    packing_.element = type;
  }

  StoredPacking read() && {
    read_sign();
    read_scale();
    read_fills();
    read_range();
    return {std::move(packing_), std::move(faults_)};
  }

 private:
  void fault(const std::string& name, const std::string& what) { faults_.push_back("`" + name + "` " + what); }

  /// The numbers of an attribute; nullopt if it has none, or is damaged: the elements can be read even so.
  std::optional<NumberAttribute> all_numbers(const std::string& name) const {
    try {
      return number_attribute(dataset_, name, where_);
    } catch (const IoError&) {
      return std::nullopt;
    }
  }

  /// The finite numbers of an attribute, as many as `count` says; nullopt if there is no such attribute.
  std::optional<NumberAttribute> numbers(const std::string& name, std::size_t count) {
    if (!has_attribute(dataset_, name)) return std::nullopt;
    std::optional<NumberAttribute> found = all_numbers(name);
    const auto finite = [](long double value) { return std::isfinite(value); };
    if (found && found->values.size() == count && std::all_of(found->values.begin(), found->values.end(), finite)) {
      return found;
    }
    fault(name, count == 1 ? "is not one number" : "is not a pair of numbers");
    return std::nullopt;
  }

  void read_sign() {
    constexpr const char* name = "_Unsigned";
    if (!has_attribute(dataset_, name) || is_floating(stored_)) return;
    const std::optional<bool> is_unsigned = truth(name);
    if (!is_unsigned) return fault(name, "is neither true nor false");
    if (*is_unsigned != is_signed(stored_)) return;
    packing_.other_sign = true;
    packing_.element = of_other_sign(stored_);
  }

  std::optional<bool> truth(const char* name) const {
    try {
      if (const auto number = number_attribute(dataset_, name, where_)) {
        return number->values.size() == 1 ? std::optional(number->values[0] != 0) : std::nullopt;
      }
      const std::string place = where_ + ", attribute " + name;
      const Hdf5Handle attribute(H5Aopen(dataset_.get(), name, H5P_DEFAULT), place, "cannot be opened");
      const Hdf5Values values = values_of_attribute(attribute, place);
      if (H5Tget_class(values.type.get()) != H5T_STRING || values.count() != 1) return std::nullopt;
      std::string text = read_strings(values).front();
      for (char& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
      if (text == "true" || text == "false") return text == "true";
    } catch (const IoError&) {
      // Damaged, as in all_numbers().
    }
    return std::nullopt;
  }

  void read_scale() {
    const auto scale = numbers("scale_factor", 1), offset = numbers("add_offset", 1);
    if (scale) packing_.scale = static_cast<double>(scale->values[0]);
    if (offset) packing_.offset = static_cast<double>(offset->values[0]);
    const auto narrow = [](const std::optional<NumberAttribute>& given) {
      return !given || (given->floating && given->bytes <= 4);
    };
    if (narrow(scale) && narrow(offset) && stored_ != ElementType::f64) packing_.scaled = ElementType::f32;
  }

  void read_fills() {
    for (const std::string name : {"_FillValue", "missing_value"}) {
      if (!has_attribute(dataset_, name)) continue;
      const auto given = all_numbers(name);
      if (!given) fault(name, "is no number");
      else
        for (const long double value : given->values) add_fill(value, "attribute `" + name + "`");
    }
    if (!has_attribute(dataset_, "_FillValue") && size_of(stored_) > 1 && is_of_netcdf(dataset_, where_)) {
      add_fill(default_fill(stored_), "file's attribute `_NCProperties` (netCDF's default fill value)");
    }
  }

  void add_fill(long double value, const std::string& origin) {
    if (std::isnan(value)) return;
    const long double element = as_element(with_sign(value), packing_.element);
    if (std::isinf(element) && !std::isinf(value)) return;
    const bool there = std::any_of(packing_.fills.begin(), packing_.fills.end(),
                                   [&](const Packing::Fill& fill) { return fill.value == element; });
    if (!there) packing_.fills.push_back({element, origin});
  }

  /// The number that the bits of a stored one are with the sign of `_Unsigned`.
  long double with_sign(long double value) const {
    if (!packing_.other_sign) return value;
    const long double all = std::ldexp(1.0L, static_cast<int>(8 * size_of(stored_)));
    if (!is_signed(packing_.element)) return value < 0 ? value + all : value;
    return value >= all / 2 ? value - all : value;
  }

  void read_range() {
    if (const auto range = numbers("valid_range", 2)) {
      return add_range("valid_range", bound(range->values[0], *range, "valid_range"),
                       bound(range->values[1], *range, "valid_range"));
    }
    const auto least = numbers("valid_min", 1), most = numbers("valid_max", 1);
    std::optional<Packing::Bound> low, high;
    if (least) low = bound(least->values[0], *least, "valid_min");
    if (most) high = bound(most->values[0], *most, "valid_max");
    add_range("valid_max", std::move(low), std::move(high));
  }

  Packing::Bound bound(long double value, const NumberAttribute& given, const char* name) const {
    const bool wider = given.floating && (!is_floating(stored_) || given.bytes > size_of(stored_));
    const bool unpacked = packing_.is_scaled() && wider;
    return {unpacked ? value : as_element(with_sign(value), packing_.element),
            "attribute `" + std::string(name) + "`", unpacked};
  }

  void add_range(const char* name, std::optional<Packing::Bound> low, std::optional<Packing::Bound> high) {
    const bool comparable = low && high && low->unpacked == high->unpacked;
    if (comparable && low->value > high->value) return fault(name, "lies below the least valid value");
    packing_.least = std::move(low);
    packing_.most = std::move(high);
  }

  const Hdf5Handle& dataset_;
  std::string where_;
  ElementType stored_;
  Packing packing_;
  std::vector<std::string> faults_;
};

}  // namespace

StoredPacking stored_packing(const Hdf5Handle& dataset, ElementType type, const std::string& where) {
  return PackingReader(dataset, type, where).read();
}

}  // namespace terrace::io
