#include "io/hdf5/number_attribute.hpp"

#include "io/hdf5/values.hpp"

namespace terrace::io {

bool has_attribute(const Hdf5Handle& dataset, const std::string& name) {
  return H5Aexists(dataset.get(), name.c_str()) > 0;
}

std::optional<NumberAttribute> number_attribute(const Hdf5Handle& dataset, const std::string& name,
                                                const std::string& where) {
  if (!has_attribute(dataset, name)) return std::nullopt;
  constexpr std::size_t most = 1000;
  const std::string place = where + ", attribute " + name;
  const Hdf5Handle attribute(H5Aopen(dataset.get(), name.c_str(), H5P_DEFAULT), place, "cannot be opened");
  const Hdf5Values values = values_of_attribute(attribute, place);
  const H5T_class_t kind = H5Tget_class(values.type.get());
  if ((kind != H5T_INTEGER && kind != H5T_FLOAT) || values.count() > most) return std::nullopt;
  NumberAttribute found{std::vector<long double>(values.count()), kind == H5T_FLOAT, H5Tget_size(values.type.get())};
  if (!found.values.empty()) values.read(H5T_NATIVE_LDOUBLE, found.values.data());
  return found;
}

long double as_element(long double number, ElementType type) {
  if (type == ElementType::f32) return static_cast<long double>(static_cast<float>(number));
  return number;
}

}  // namespace terrace::io
