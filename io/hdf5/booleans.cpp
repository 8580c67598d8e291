#include "io/hdf5/booleans.hpp"

#include <hdf5.h>

#include "io/hdf5/number_attribute.hpp"
#include "io/hdf5/values.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

bool is_false_and_true(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return false;
  for (const char* name : {"FALSE", "TRUE"}) {
    char value = 0;
    if (H5Tenum_valueof(type, name, &value) < 0 || value != (*name == 'T' ? 1 : 0)) return false;
  }
  return true;
}

}  // namespace

bool holds_booleans(const Hdf5Handle& dataset, const std::string& where) {
  try {
    const Hdf5Handle type(H5Dget_type(dataset.get()), where, "has a damaged type");
    if (H5Tget_size(type.get()) != 1) return false;
    if (H5Tget_class(type.get()) == H5T_ENUM) return is_false_and_true(type.get());
    constexpr const char* name = "dtype";
    if (H5Tget_class(type.get()) != H5T_INTEGER || !has_attribute(dataset, name)) return false;
    const Hdf5Handle attribute(H5Aopen(dataset.get(), name, H5P_DEFAULT), where, "has a damaged attribute");
    const Hdf5Values values = values_of_attribute(attribute, where);
    return H5Tget_class(values.type.get()) == H5T_STRING && values.count() == 1 &&
           read_strings(values).front() == "bool";
  } catch (const IoError&) {
    return false;  // a damaged attribute says nothing
  }
}

}  // namespace terrace::io
