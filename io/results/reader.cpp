#include "io/results/reader.hpp"

#include <array>
#include <charconv>

#include "io/child_check.hpp"
#include "io/hdf5/dataset.hpp"
#include "io/hdf5/handle.hpp"
#include "io/hdf5/storage.hpp"
#include "io/hdf5/values.hpp"
#include "io/input_file.hpp"
#include "io/results/dimensions.hpp"
#include "io/results/layout.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

template <class T>
std::vector<T> read_numbers(const Hdf5Values& values, hid_t memory) {
  std::vector<T> numbers(values.count());
  if (!numbers.empty()) values.read(memory, numbers.data());
  return numbers;
}

template <class T>
std::vector<std::string> numbers_as_texts(const Hdf5Values& values, hid_t memory) {
  std::vector<std::string> texts;
  for (const T number : read_numbers<T>(values, memory)) {
    std::array<char, 64> text{};
    const auto written = std::to_chars(text.data(), text.data() + text.size(), number);
    texts.emplace_back(text.data(), written.ptr);
  }
  return texts;
}

std::vector<std::string> read_texts(const Hdf5Values& values) {
  const H5T_class_t kind = H5Tget_class(values.type.get());
  if (kind == H5T_STRING) return read_strings(values);
  if (kind == H5T_INTEGER) return numbers_as_texts<long long>(values, H5T_NATIVE_LLONG);
  if (kind != H5T_FLOAT) throw IoError(values.where, "holds neither text nor numbers");
  if (H5Tget_size(values.type.get()) <= 4) return numbers_as_texts<float>(values, H5T_NATIVE_FLOAT);
  return numbers_as_texts<double>(values, H5T_NATIVE_DOUBLE);
}

std::string type_name(const Hdf5Handle& type) {
  const H5T_class_t kind = H5Tget_class(type.get());
  const std::string bits = std::to_string(8 * H5Tget_size(type.get()));
  if (kind == H5T_STRING) return "text";
  if (kind == H5T_FLOAT) return "f" + bits;
  if (kind == H5T_INTEGER) return (H5Tget_sign(type.get()) == H5T_SGN_2 ? "i" : "u") + bits;
  return "other";
}

/// True if a file begins as an HDF5 file. @throws IoError if it cannot be read
bool is_hdf5(const std::string& path) {
  silence_hdf5();
  return check_hdf5(H5Fis_hdf5(path.c_str()), path, "cannot be read") > 0;
}

/// The values of an object's attribute; nullopt if it is absent, or of another kind.
std::optional<std::string> text_attribute(hid_t object, const std::string& name, const std::string& where) {
  if (H5Aexists(object, name.c_str()) <= 0) return std::nullopt;
  const Hdf5Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), where, "has no attribute " + name);
  std::string all;
  for (const std::string& text : read_texts(values_of_attribute(attribute, where + ", attribute " + name))) {
    all += (all.empty() ? "" : ", ") + text;
  }
  return all;
}

/// Reads all attributes of an object that hold text or numbers.
void read_attributes(const Hdf5Handle& object, const std::string& where) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* list) noexcept {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return herr_t{0};
  };
  check_hdf5(H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add, &names), where,
             "its attributes cannot be listed");
  for (const std::string& name : names) {
    const Hdf5Handle attribute(H5Aopen(object.get(), name.c_str(), H5P_DEFAULT), where, "has no attribute " + name);
    const Hdf5Values values = values_of_attribute(attribute, where + ", attribute " + name);
    const H5T_class_t kind = H5Tget_class(values.type.get());
    if (kind == H5T_STRING || kind == H5T_INTEGER || kind == H5T_FLOAT) static_cast<void>(read_texts(values));
  }
}

}  // namespace

std::vector<std::optional<std::string>> root_texts(const std::filesystem::path& file,
                                                   const std::vector<std::string>& names) {
  // The system's own reason if the file cannot be read, since HDF5 may not give it.
  char first = 0;
  InputFile(file).read_some(0, 1, &first);
  std::vector<std::optional<std::string>> texts(names.size());
  if (!is_hdf5(file.string())) return texts;
  // Each text that is there after "=", and a byte 0 after each.
  const std::string found = call_in_child(file.string(), "HDF5", limits_for(file), [&] {
    const ResultReader reader(file);
    std::string all;
    for (const std::string& name : names) {
      const std::optional<std::string> text = reader.attribute(name);
      all += (text ? "=" + *text : "") + '\0';
    }
    return all;
  });
  std::size_t at = 0;
  for (std::optional<std::string>& text : texts) {
    const std::string part = found.substr(at, found.find('\0', at) - at);
    if (!part.empty()) text = part.substr(1);
    at += part.size() + 1;
  }
  return texts;
}

std::optional<std::string> root_text(const std::filesystem::path& file, const std::string& name) {
  return root_texts(file, {name}).front();
}

struct ResultReader::File {
  Hdf5Handle handle;
};

ResultReader::ResultReader(const std::filesystem::path& file) : path_(file.string()) {
  // Opened as inputs are: a process may not open a file in two ways at a time.
  const Hdf5Handle access = hdf5_read_access();
  if (!is_hdf5(path_)) throw IoError(path_, "is no HDF5 file, or its first bytes are damaged");
  Hdf5Handle opened(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.get()), path_,
                    "cannot be opened; the file is damaged, cut short, or still being written");
  file_ = std::make_unique<File>(File{std::move(opened)});
}

ResultReader::~ResultReader() = default;

std::vector<DatasetSummary> ResultReader::datasets() const {
  std::vector<DatasetSummary> summaries;
  for (const std::string& path : list_datasets(file_->handle.get(), path_)) summaries.push_back(summary_of(path));
  return summaries;
}

DatasetSummary ResultReader::summary_of(const std::string& path) const {
  DatasetSummary summary;
  summary.path = path;
  const Hdf5Handle dataset(H5Dopen2(file_->handle.get(), path.c_str(), H5P_DEFAULT), where(path), "cannot be opened");
  const Hdf5Values values = values_of_dataset(dataset, where(path));
  summary.type = type_name(values.type);
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = check_hdf5(H5Sget_simple_extent_dims(values.space.get(), extents.data(), nullptr), where(path),
                              "has a damaged shape");
  for (int d = 0; d < rank; ++d)
    summary.shape.push_back(static_cast<std::int64_t>(extents[static_cast<std::size_t>(d)]));
  summary.long_name = text_attribute(dataset.get(), "long_name", where(path)).value_or("");
  summary.units = text_attribute(dataset.get(), "units", where(path)).value_or("");
  const auto scale = text_attribute(dataset.get(), "NAME", where(path));
  summary.only_dimension = scale && scale->starts_with(no_variable);
  summary.coordinate = scale && !summary.only_dimension;
  return summary;
}

std::vector<std::string> ResultReader::dimensions(const std::string& dataset) const {
  const Hdf5Handle opened(H5Dopen2(file_->handle.get(), dataset.c_str(), H5P_DEFAULT), where(dataset),
                          "cannot be opened");
  const Hdf5Values values = values_of_dataset(opened, where(dataset));
  const int rank = check_hdf5(H5Sget_simple_extent_ndims(values.space.get()), where(dataset), "has a damaged shape");
  return dimension_names(opened, dataset, rank);
}

bool ResultReader::has(const std::string& dataset) const {
  for (std::size_t slash = dataset.find('/', 1);; slash = dataset.find('/', slash + 1)) {
    if (H5Lexists(file_->handle.get(), dataset.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) return false;
    if (slash == std::string::npos) return true;
  }
}

std::vector<std::string> ResultReader::texts(const std::string& dataset) const {
  const Hdf5Handle opened(H5Dopen2(file_->handle.get(), dataset.c_str(), H5P_DEFAULT), where(dataset),
                          "cannot be opened");
  return read_texts(values_of_dataset(opened, where(dataset)));
}

std::vector<double> ResultReader::numbers(const std::string& dataset) const {
  const Hdf5Handle opened(H5Dopen2(file_->handle.get(), dataset.c_str(), H5P_DEFAULT), where(dataset),
                          "cannot be opened");
  return read_numbers<double>(values_of_dataset(opened, where(dataset)), H5T_NATIVE_DOUBLE);
}

std::optional<std::string> ResultReader::attribute(const std::string& name) const {
  return text_attribute(file_->handle.get(), name, path_);
}

std::optional<std::string> ResultReader::attribute(const std::string& object, const std::string& name) const {
  if (!has(object)) throw IoError(path_ + ", " + object, "is not there");
  const Hdf5Handle opened(H5Oopen(file_->handle.get(), object.c_str(), H5P_DEFAULT), path_ + ", " + object,
                          "cannot be opened");
  return text_attribute(opened.get(), name, path_ + ", " + object);
}

void ResultReader::read_all_attributes() const {
  // No exception may pass through the library.
  std::vector<std::string> objects;
  const auto add = [](hid_t, const char* name, const H5O_info_t*, void* list) noexcept {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return herr_t{0};
  };
  check_hdf5(H5Ovisit2(file_->handle.get(), H5_INDEX_NAME, H5_ITER_NATIVE, add, &objects, H5O_INFO_BASIC), path_,
             "cannot be listed");
  for (const std::string& object : objects) {
    const Hdf5Handle opened(H5Oopen(file_->handle.get(), object.c_str(), H5P_DEFAULT), path_ + ", " + object,
                            "cannot be opened");
    read_attributes(opened, path_ + ", " + object);
    if (H5Iget_type(opened.get()) == H5I_DATASET) static_cast<void>(dimensions(object));
  }
}

}  // namespace terrace::io
