#include "io/hdf5/values.hpp"

namespace terrace::io {

std::size_t Hdf5Values::count() const {
  const hssize_t points = H5Sget_simple_extent_npoints(space.get());
  if (points < 0) throw_hdf5(where, "has a damaged shape");
  return static_cast<std::size_t>(points);
}

void Hdf5Values::read(hid_t memory, void* buffer) const {
  const auto read_dataset = [&] {
    const Hdf5Handle transfer = hdf5_transfer(memory, type.get(), count());
    return H5Dread(object, memory, H5S_ALL, H5S_ALL, transfer.get(), buffer);
  };
  check_hdf5(attribute ? H5Aread(object, memory, buffer) : read_dataset(), where, "cannot be read");
}

Hdf5Values values_of_dataset(const Hdf5Handle& dataset, const std::string& where) {
  return {{H5Dget_type(dataset.get()), where, "has a damaged type"},
          {H5Dget_space(dataset.get()), where, "has a damaged shape"},
          false,
          dataset.get(),
          where};
}

Hdf5Values values_of_attribute(const Hdf5Handle& attribute, const std::string& where) {
  return {{H5Aget_type(attribute.get()), where, "has a damaged type"},
          {H5Aget_space(attribute.get()), where, "has a damaged shape"},
          true,
          attribute.get(),
          where};
}

std::vector<std::string> read_strings(const Hdf5Values& values) {
  std::vector<std::string> texts;
  const std::size_t count = values.count();
  if (count == 0) return texts;
  if (H5Tis_variable_str(values.type.get()) > 0) {
    std::vector<char*> pointers(count, nullptr);
    values.read(values.type.get(), pointers.data());
    for (const char* text : pointers) texts.emplace_back(text == nullptr ? "" : text);
    H5Dvlen_reclaim(values.type.get(), values.space.get(), H5P_DEFAULT, pointers.data());
    return texts;
  }
  const std::size_t length = H5Tget_size(values.type.get());
  std::string all(length * count, '\0');
  values.read(values.type.get(), all.data());
  for (std::size_t i = 0; i < count; ++i) {
    const std::string text = all.substr(i * length, length);
    texts.push_back(text.substr(0, text.find('\0')));
  }
  return texts;
}

}  // namespace terrace::io
