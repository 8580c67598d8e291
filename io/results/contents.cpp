#include "io/results/contents.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include "io/child_check.hpp"
#include "io/hdf5/handle.hpp"
#include "io/hdf5/values.hpp"
#include "io/results/dimensions.hpp"
#include "io/results/layout.hpp"
#include "io/results/packing.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr const char* other_type = "other";
constexpr std::int64_t no_offset = -1;
constexpr std::size_t most_attribute_bytes = 64u << 20;
constexpr std::size_t text_bytes = 16;  // that a text takes in its dataset, at least

struct Object {
  std::string path;  // "/", "/align", "/align/table"
  bool dataset;
};

herr_t keep_object(hid_t, const char* name, const H5O_info_t* info, void* objects) noexcept {
  try {
    const std::string path = std::string_view(name) == "." ? "/" : std::string("/") + name;
    static_cast<std::vector<Object>*>(objects)->push_back({path, info->type == H5O_TYPE_DATASET});
  } catch (...) {
    return -1;
  }
  return 0;
}

bool belongs_to_scales(const std::string& attribute) {
  constexpr std::array<std::string_view, 4> names{"CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST"};
  return std::find(names.begin(), names.end(), attribute) != names.end();
}

/// The element type of an HDF5 type; nullopt if results have no such elements.
std::optional<ElementType> element_of(const Hdf5Handle& type) {
  for (int number = 0; number <= static_cast<int>(ElementType::f64); ++number) {
    const auto element = static_cast<ElementType>(number);
    if (H5Tequal(type.get(), hdf5_file_type(element)) > 0) return element;
  }
  return std::nullopt;
}

/// @throws IoError
StoredAs stored_as(const Hdf5Values& values) {
  StoredAs stored;
  const auto element = element_of(values.type);
  if (element) stored.type = name_of(*element);
  else stored.type = H5Tis_variable_str(values.type.get()) > 0 ? text_type : other_type;
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = check_hdf5(H5Sget_simple_extent_dims(values.space.get(), extents.data(), nullptr), values.where,
                              "has a damaged shape");
  for (int d = 0; d < rank; ++d)
    stored.shape.push_back(static_cast<std::int64_t>(extents[static_cast<std::size_t>(d)]));
  return stored;
}

/// The offset of a dataset's numbers in the file; nullopt if they have none, or are in pieces.
std::optional<std::int64_t> offset_of(const Hdf5Handle& dataset, const std::string& where) {
  const Hdf5Handle creation(H5Dget_create_plist(dataset.get()), where, "has damaged properties");
  if (H5Pget_layout(creation.get()) != H5D_CONTIGUOUS || H5Pget_external_count(creation.get()) != 0) return {};
  H5D_space_status_t status = H5D_SPACE_STATUS_ERROR;
  if (H5Dget_space_status(dataset.get(), &status) < 0 || status != H5D_SPACE_STATUS_ALLOCATED) return {};
  const haddr_t offset = H5Dget_offset(dataset.get());
  if (offset == HADDR_UNDEF || offset > INT64_MAX) return {};
  return static_cast<std::int64_t>(offset);
}

FoundAttribute read_attribute(const Hdf5Handle& attribute, const std::string& where) {
  const Hdf5Values values = values_of_attribute(attribute, where);
  FoundAttribute found{stored_as(values), {}};
  if (found.stored.type == other_type) return found;
  const std::size_t count = values.count();
  if (count > most_attribute_bytes / text_bytes) throw IoError(where, "has a damaged shape");
  if (found.stored.type == text_type) {
    found.content = content_of(read_strings(values));
  } else {
    found.content.resize(count * H5Tget_size(values.type.get()));
    if (count > 0) values.read(values.type.get(), found.content.data());
  }
  return found;
}

/// Reads the objects of one file.
class Contents {
 public:
  explicit Contents(const std::filesystem::path& path) : path_(path.string()) {
    silence_hdf5();
    size_ = std::filesystem::file_size(path);
    if (H5Fis_hdf5(path_.c_str()) <= 0) throw IoError(path_, "is no HDF5 file, or its first bytes are damaged");
    const Hdf5Handle access = hdf5_file_access();
    file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, access.get()), path_,
                       "cannot be opened; the file is damaged or cut short");
  }

  ResultContents read() {
    std::vector<Object> objects;
    check_hdf5(H5Ovisit2(file_.get(), H5_INDEX_NAME, H5_ITER_INC, keep_object, &objects, H5O_INFO_BASIC), path_,
               "its datasets cannot be listed; the file is damaged");
    for (const Object& object : objects) {
      try {
        read(object);
      } catch (const Error& error) {
        contents_.datasets[object.path].trouble = error.what();
      }
    }
    return std::move(contents_);
  }

 private:
  std::string where(const std::string& object) const { return path_ + ", " + object; }

  void read(const Object& object) {
    const Hdf5Handle opened(H5Oopen(file_.get(), object.path.c_str(), H5P_DEFAULT), where(object.path),
                            "cannot be opened");
    if (object.dataset) {
      if (stands_for_a_length(opened, object.path)) return;
      contents_.datasets[object.path] = read_dataset(opened, object.path);
    }
    read_attributes(opened, object.path);
  }

  bool stands_for_a_length(const Hdf5Handle& dataset, const std::string& path) const {
    if (H5Aexists(dataset.get(), "NAME") <= 0) return false;
    const Hdf5Handle attribute(H5Aopen(dataset.get(), "NAME", H5P_DEFAULT), where(path), "has a damaged name");
    const Hdf5Values values = values_of_attribute(attribute, where(path));
    if (H5Tget_class(values.type.get()) != H5T_STRING || values.count() != 1) return false;
    return read_strings(values).front().starts_with(no_variable);
  }

  FoundDataset read_dataset(const Hdf5Handle& dataset, const std::string& path) const {
    const Hdf5Values values = values_of_dataset(dataset, where(path));
    FoundDataset found{stored_as(values), {}};
    found.dimensions = dimension_names(dataset, path, found.stored.shape.rank());
    if (found.stored.type != text_type) {
      found.offset = offset_of(dataset, where(path));
      return found;
    }
    if (values.count() > size_ / text_bytes) throw IoError(where(path), "has a damaged shape");
    found.texts = read_strings(values);
    return found;
  }

  void read_attributes(const Hdf5Handle& object, const std::string& path) {
    const int count = check_hdf5(H5Aget_num_attrs(object.get()), where(path), "has damaged attributes");
    for (int i = 0; i < count; ++i) {
      const Hdf5Handle attribute(H5Aopen_by_idx(object.get(), ".", H5_INDEX_NAME, H5_ITER_INC,
                                                static_cast<hsize_t>(i), H5P_DEFAULT, H5P_DEFAULT),
                                 where(path), "has a damaged attribute");
      const ssize_t length =
          check_hdf5(H5Aget_name(attribute.get(), 0, nullptr), where(path), "has a damaged attribute");
      std::string name(static_cast<std::size_t>(length), '\0');
      H5Aget_name(attribute.get(), name.size() + 1, name.data());
      if (!belongs_to_scales(name)) add(attribute, path, name);
    }
  }

  void add(const Hdf5Handle& attribute, const std::string& object, const std::string& name) {
    const std::string full = attribute_name(object, name);
    FoundAttribute found;
    try {
      found = read_attribute(attribute, where(full));
    } catch (const Error& error) {
      found.trouble = error.what();
    }
    if (object == "/" && name == checksums_attribute) {
      // Its text ends with a byte 0.
      const auto* text = reinterpret_cast<const char*>(found.content.data());
      contents_.record = std::string(text, found.content.empty() ? 0 : found.content.size() - 1);
    } else {
      contents_.attributes[full] = std::move(found);
    }
  }

  std::string path_;
  std::uintmax_t size_ = 0;
  Hdf5Handle file_;
  ResultContents contents_;
};

// Contents on their way from a child.

void pack(const StoredAs& stored, Packer& packer) {
  packer.add(stored.type);
  packer.add(stored.shape.rank());
  for (const std::int64_t extent : stored.shape) packer.add(extent);
}

StoredAs unpack_stored(Unpacker& from) {
  StoredAs stored{std::string(from.text()), {}, {}};
  for (std::int64_t rank = from.number(); rank > 0; --rank) stored.shape.push_back(from.number());
  return stored;
}

std::string packed(const ResultContents& contents) {
  Packer packer;
  packer.add(std::ssize(contents.datasets));
  for (const auto& [name, found] : contents.datasets) {
    packer.add(name);
    pack(found.stored, packer);
    packer.add(found.offset.value_or(no_offset));
    packer.add(std::ssize(found.texts));
    for (const std::string& text : found.texts) packer.add(text);
    packer.add(std::ssize(found.dimensions));
    for (const std::string& dimension : found.dimensions) packer.add(dimension);
    packer.add(found.trouble);
  }
  packer.add(std::ssize(contents.attributes));
  for (const auto& [name, found] : contents.attributes) {
    packer.add(name);
    pack(found.stored, packer);
    packer.add({reinterpret_cast<const char*>(found.content.data()), found.content.size()});
    packer.add(found.trouble);
  }
  packer.add(contents.record ? 1 : 0);
  packer.add(contents.record.value_or(""));
  return packer.take();
}

ResultContents contents_from(const std::string& bytes) {
  Unpacker from(bytes);
  ResultContents contents;
  for (std::int64_t count = from.number(); count > 0; --count) {
    FoundDataset& dataset = contents.datasets[std::string(from.text())];
    dataset.stored = unpack_stored(from);
    if (const std::int64_t offset = from.number(); offset != no_offset) dataset.offset = offset;
    for (std::int64_t texts = from.number(); texts > 0; --texts) dataset.texts.emplace_back(from.text());
    for (std::int64_t rank = from.number(); rank > 0; --rank) dataset.dimensions.emplace_back(from.text());
    dataset.trouble = from.text();
  }
  for (std::int64_t count = from.number(); count > 0; --count) {
    FoundAttribute& attribute = contents.attributes[std::string(from.text())];
    attribute.stored = unpack_stored(from);
    const auto content = std::as_bytes(std::span(from.text()));
    attribute.content.assign(content.begin(), content.end());
    attribute.trouble = from.text();
  }
  const bool recorded = from.number() != 0;
  const std::string_view record = from.text();
  if (recorded) contents.record = record;
  return contents;
}

}  // namespace

ResultContents read_contents(const std::filesystem::path& result) {
  return contents_from(
      call_in_child(result.string(), "HDF5", limits_for(result), [&] { return packed(Contents(result).read()); }));
}

}  // namespace terrace::io
