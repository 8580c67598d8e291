#include "io/results/objects.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"

namespace terrace::io {

namespace {

/// @throws Error if a text has a byte 0 inside: HDF5 would cut it there
const char* pointer_to(const std::string& text) {
  if (text.find('\0') != std::string::npos) throw Error("a text for a result holds a byte 0");
  return text.c_str();
}

std::vector<const char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  pointers.reserve(texts.size());
  for (const std::string& text : texts) pointers.push_back(pointer_to(text));
  return pointers;
}

Extents length_of(std::size_t count) { return {static_cast<std::int64_t>(count)}; }

/// An attribute's types, shape and first byte, for one call of H5Awrite.
struct AttributeData {
  Hdf5Handle text_type;  // set for strings
  hid_t file_type, memory_type;
  Extents shape;
  const void* data;
};

template <class T>
AttributeData numbers(const T* data, const Extents& shape) {
  const ElementType type = element_type_of<T>();
  return {{}, hdf5_file_type(type), hdf5_memory_type(type), shape, data};
}

AttributeData texts(const std::vector<const char*>& pointers, const Extents& shape) {
  Hdf5Handle type = hdf5_text_type();
  const hid_t id = type.get();
  return {std::move(type), id, id, shape, pointers.data()};
}

}  // namespace

Hdf5Handle hdf5_text_type() {
  Hdf5Handle type(H5Tcopy(H5T_C_S1), "HDF5", "cannot copy the type of strings");
  check_hdf5(H5Tset_size(type.get(), H5T_VARIABLE), "HDF5", "cannot make a type of strings of any length");
  check_hdf5(H5Tset_cset(type.get(), H5T_CSET_UTF8), "HDF5", "cannot make a type of UTF-8 strings");
  return type;
}

Hdf5Handle hdf5_space(const Extents& shape) {
  if (shape.rank() == 0) return {H5Screate(H5S_SCALAR), "HDF5", "cannot make a scalar data space"};
  const std::vector<hsize_t> lengths(shape.begin(), shape.end());
  return {H5Screate_simple(shape.rank(), lengths.data(), nullptr), "HDF5",
          "cannot make a data space of " + to_string(shape)};
}

Hdf5Handle ResultObjects::make_dataset(const DatasetSpec& dataset, hid_t type, const Hdf5Handle& creation) const {
  const Hdf5Handle links = hdf5_properties(H5P_LINK_CREATE);
  check_hdf5(H5Pset_create_intermediate_group(links.get(), 1), where(dataset.path), "cannot make its group");
  check_hdf5(H5Pset_char_encoding(links.get(), H5T_CSET_UTF8), where(dataset.path), "cannot have a UTF-8 name");
  const Hdf5Handle space = hdf5_space(dataset.shape);
  return {H5Dcreate2(file_.get(), dataset.path.c_str(), type, space.get(), links.get(), creation.get(), H5P_DEFAULT),
          where(dataset.path), "the dataset of " + to_string(dataset.shape) + " cannot be made"};
}

void ResultObjects::remove_dataset(const std::string& name) const {
  if (H5Lexists(file_.get(), name.c_str(), H5P_DEFAULT) <= 0) return;
  check_hdf5(H5Ldelete(file_.get(), name.c_str(), H5P_DEFAULT), where(name), "cannot be removed");
}

Hdf5Handle ResultObjects::open_object(const std::string& name) const {
  return {H5Oopen(file_.get(), name.c_str(), H5P_DEFAULT), where(name), "there is no such group or dataset"};
}

void ResultObjects::write_values(const Hdf5Handle& dataset, const SmallDataset& values) const {
  const auto points = static_cast<std::size_t>(volume(values.spec.shape));
  const auto* strings = std::get_if<std::vector<std::string>>(&values.values);
  const auto* bytes = std::get_if<std::vector<std::byte>>(&values.values);
  const bool fits = strings ? strings->size() == points : bytes->size() == points * size_of(values.spec.type);
  if (!fits) throw Error("result dataset " + values.spec.path + ": its values do not fill its shape");
  if (points == 0) return;
  const Hdf5Handle text_type = strings ? hdf5_text_type() : Hdf5Handle();
  const std::vector<const char*> pointers = strings ? pointers_to(*strings) : std::vector<const char*>();
  const hid_t type = strings ? text_type.get() : hdf5_memory_type(values.spec.type);
  const void* data = strings ? static_cast<const void*>(pointers.data()) : bytes->data();
  const Hdf5Handle stored(H5Dget_type(dataset.get()), where(values.spec.path), "has a damaged type");
  const Hdf5Handle transfer = hdf5_transfer(type, stored.get(), points);
  check_hdf5(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, transfer.get(), data), where(values.spec.path),
             "its values cannot be written");
}

void ResultObjects::write_box(const Hdf5Handle& dataset, const DatasetSpec& spec, const Box& box,
                              const void* values) const {
  const Extents shape = box.shape();
  const std::vector<hsize_t> begin(box.begin.begin(), box.begin.end()), count(shape.begin(), shape.end());
  const Hdf5Handle space = hdf5_space(spec.shape), memory = hdf5_space(shape);
  const std::string place = where(spec.path);
  check_hdf5(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, begin.data(), nullptr, count.data(), nullptr), place,
             "a part of it cannot be chosen");
  check_hdf5(H5Dwrite(dataset.get(), hdf5_memory_type(spec.type), memory.get(), space.get(), H5P_DEFAULT, values),
             place, "a part of it cannot be written");
}

void ResultObjects::set_attribute(const Hdf5Handle& object, const Attribute& attribute) const {
  std::vector<const char*> pointers;
  const auto data = std::visit(
      [&pointers](const auto& value) {
        using Type = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Type, std::string>) {
          pointers = {pointer_to(value)};
          return texts(pointers, {});
        } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
          pointers = pointers_to(value);
          return texts(pointers, length_of(value.size()));
        } else if constexpr (std::is_arithmetic_v<Type>) {
          return numbers(&value, {});
        } else {
          return numbers(value.data(), length_of(value.size()));
        }
      },
      attribute.value);
  const std::string place = where(attribute.object) + ", attribute " + attribute.name;
  const Hdf5Handle space = hdf5_space(data.shape);
  const Hdf5Handle made(
      H5Acreate2(object.get(), attribute.name.c_str(), data.file_type, space.get(), H5P_DEFAULT, H5P_DEFAULT), place,
      "cannot be made");
  if (volume(data.shape) > 0)
    check_hdf5(H5Awrite(made.get(), data.memory_type, data.data), place, "cannot be written");
}

void ResultObjects::close() {
  check_hdf5(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), path_.string(), "its metadata cannot be written");
  file_.close(path_.string());
}

}  // namespace terrace::io
