// The meaning of stored numbers by attributes of their file: fill values, valid ranges, scale and offset.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/data_error.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// The meaning of an array's stored elements by the attributes of its file, in the conventions of CF and of the
/// netCDF Users Guide. An element is missing if it equals one of `fills`, or lies outside of the valid range; any
/// other stands for scale * element + offset.
struct Packing {
  struct Fill {
    long double value;
    std::string origin;  // "attribute `_FillValue`"
  };
  struct Bound {
    long double value;
    std::string origin;
    bool unpacked = false;  // a bound of scaled values, not of stored elements
  };

  bool unpack = false;                         // the job's `unpack: true`; else no attribute may change a value
  ElementType element = ElementType::f64;      // of stored elements, with the sign that `_Unsigned` gives them
  bool other_sign = false;                     // the file stores them with the other sign
  std::vector<Fill> fills = {};                // values of type `element`, NaN not among them
  std::optional<Bound> least = {}, most = {};  // of the valid range
  double scale = 1, offset = 0;
  std::string scale_origin = "attributes `scale_factor` and `add_offset`";
  ElementType scaled = ElementType::f64;  // type of scaled values

  bool is_scaled() const { return scale != 1 || offset != 0; }
  /// False if unpacking leaves every element as it is.
  bool changes_values() const { return is_scaled() || other_sign || !fills.empty() || least || most; }
};

/// All of a packing as text: two that are the same have the same.
std::string text_of(const Packing& packing);

/// The array of a packed source for a reader of numbers: unpacked, or, where the job does not say `unpack`, as it is
/// stored, with the first element that an attribute would change as a DataError. A missing element becomes NaN if
/// `takes_nan`, in floating point (integers become f64), and is a DataError otherwise; then NaN is one, too.
/// @return the source itself if it has no Source::packing()
std::shared_ptr<Source> unpacked(std::shared_ptr<Source> source, DataLabel label, bool takes_nan);

/// The element of a reader that has one for "no value": no edge of a graph.
struct NoValue {
  ElementType type;  // of all elements: the array's own, or a wider one
  long double value;
  std::optional<long double> also = {};  // another one that the reader takes for "no value"
};

/// unpacked() for a reader that has an element for "no value", which missing elements become.
/// @param array as unpacked() has returned it @return the array itself if it comes from no packed source
std::shared_ptr<Source> with_no_value(std::shared_ptr<Source> array, const NoValue& none);

}  // namespace terrace::io
