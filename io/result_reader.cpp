#include "io/result_reader.hpp"

#include "io/hdf5_handle.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

std::string read_text(const std::filesystem::path& file, const std::string& name) {
  silence_hdf5();
  const std::string where = file.string();
  const Hdf5Handle access = hdf5_file_access();
  const Hdf5Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, access.get()), where, "cannot be opened");
  const Hdf5Handle attribute(H5Aopen(opened.get(), name.c_str(), H5P_DEFAULT), where, "has no attribute " + name);
  const Hdf5Handle type(H5Aget_type(attribute.get()), where, "has an unreadable attribute " + name);
  if (H5Tget_class(type.get()) != H5T_STRING) throw IoError(where, "attribute " + name + " is no text");
  if (H5Tis_variable_str(type.get()) > 0) {
    char* text = nullptr;
    check_hdf5(H5Aread(attribute.get(), type.get(), &text), where, "has an unreadable attribute " + name);
    std::string copy = text == nullptr ? "" : text;
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type.get()), '\0');
  check_hdf5(H5Aread(attribute.get(), type.get(), text.data()), where, "has an unreadable attribute " + name);
  return text.substr(0, text.find('\0'));
}

}  // namespace

std::optional<std::string> root_text(const std::filesystem::path& file, const std::string& name) {
  try {
    return read_text(file, name);
  } catch (const IoError&) {
    return std::nullopt;
  }
}

}  // namespace terrace::io
