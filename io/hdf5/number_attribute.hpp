// Attributes of HDF5 datasets that hold numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/hdf5/handle.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// The numbers of an attribute.
struct NumberAttribute {
  std::vector<long double> values;
  bool floating;      // stored as floating point
  std::size_t bytes;  // of each number as it is stored
};

bool has_attribute(const Hdf5Handle& dataset, const std::string& name);

/// The attribute of that name; nullopt if there is none, or it holds no numbers, or more than 1000.
/// @throws IoError if it is damaged
std::optional<NumberAttribute> number_attribute(const Hdf5Handle& dataset, const std::string& name,
                                                const std::string& where);

/// A number as an element of floating point has it: attributes may have more digits than the dataset.
long double as_element(long double number, ElementType type);

}  // namespace terrace::io
