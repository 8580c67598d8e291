#include "io/results/stored_group.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <span>

#include "io/files/durable.hpp"
#include "io/results/checksums.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

/// "/align/table" of "/align/table@units".
std::string object_of(const std::string& name) { return name.substr(0, name.rfind('@')); }

/// True if the dataset, or the object of the attribute, is the group or lies in it.
bool lies_in(const std::string& name, const std::string& group) {
  const std::string object = object_of(name);
  return object == group || object.starts_with(group + "/");
}

std::vector<std::string> texts_from(const std::vector<std::byte>& content) {
  std::vector<std::string> texts;
  const auto* bytes = reinterpret_cast<const char*>(content.data());
  for (std::size_t at = 0; at < content.size(); at += texts.back().size() + 1) texts.emplace_back(bytes + at);
  return texts;
}

template <class T>
std::vector<T> numbers_from(const std::vector<std::byte>& content) {
  std::vector<T> numbers(content.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), content.data(), numbers.size() * sizeof(T));
  return numbers;
}

/// A value of numbers: one, or a list if results have attributes with lists of that type.
template <class T>
std::optional<Attribute::Value> value_from(const StoredAttribute& attribute) {
  const std::vector<T> numbers = numbers_from<T>(attribute.content);
  const int rank = attribute.stored.shape.rank();
  if (rank == 0 && numbers.size() == 1) return numbers.front();
  if constexpr (sizeof(T) == 8) {
    if (rank == 1) return numbers;
  }
  return std::nullopt;
}

std::optional<Attribute::Value> value_of(const StoredAttribute& attribute) {
  const std::string& type = attribute.stored.type;
  if (type == text_type) {
    std::vector<std::string> texts = texts_from(attribute.content);
    const int rank = attribute.stored.shape.rank();
    if (rank == 0 && texts.size() == 1) return texts.front();
    return rank == 1 ? std::optional<Attribute::Value>(std::move(texts)) : std::nullopt;
  }
  if (type == "i64") return value_from<std::int64_t>(attribute);
  if (type == "f64") return value_from<double>(attribute);
  if (type == "i32") return value_from<std::int32_t>(attribute);
  if (type == "i16") return value_from<std::int16_t>(attribute);
  return std::nullopt;
}

}  // namespace

Attribute to_attribute(const StoredAttribute& attribute) {
  std::optional<Attribute::Value> value = value_of(attribute);
  if (!value) throw Error("attribute " + attribute_name(attribute.object, attribute.name) + " is of an unknown type");
  return {attribute.object, attribute.name, *std::move(value)};
}

StoredResult::StoredResult(std::filesystem::path file) : file_(std::move(file)), contents_(read_contents(file_)) {
  if (!contents_.record) throw IoError(file_.string(), "has no record of checksums");
  try {
    record_ = record_from(*contents_.record);
  } catch (const Error& error) {
    throw IoError(where(attribute_name("/", checksums_attribute)), std::string("is damaged: ") + error.what());
  }
}

std::optional<std::string> StoredResult::text(const std::string& name) const {
  const std::string full = attribute_name("/", name);
  const auto entry =
      std::find_if(record_.begin(), record_.end(), [&](const RecordedChecksum& line) { return line.name == full; });
  if (entry == record_.end()) return std::nullopt;
  const auto texts = texts_from(attribute(*entry).content);
  return texts.size() == 1 ? std::optional(texts.front()) : std::nullopt;
}

std::vector<std::string> StoredResult::datasets(const std::string& group) const {
  std::vector<std::string> names;
  for (const RecordedChecksum& entry : record_) {
    if (!is_attribute(entry.name) && lies_in(entry.name, "/" + group)) names.push_back(entry.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<std::string> StoredResult::added() const {
  std::set<std::string> known;
  for (const RecordedChecksum& entry : record_) {
    known.insert(entry.name);
    if (entry.stored.tile) known.insert(checksum_table_of(entry.name));
  }
  for (const auto& [name, found] : contents_.datasets) {
    if (found.trouble.empty() && !known.contains(name)) return name;
  }
  for (const auto& [name, found] : contents_.attributes) {
    if (found.trouble.empty() && !known.contains(name)) return name;
  }
  return std::nullopt;
}

StoredGroup StoredResult::group(const std::string& name, const std::string& as) const {
  const std::string from = "/" + name, to = "/" + as;
  StoredGroup group;
  for (const RecordedChecksum& entry : record_) {
    if (!lies_in(entry.name, from)) continue;
    if (is_attribute(entry.name)) {
      group.attributes.push_back(attribute(entry));
      std::string& object = group.attributes.back().object;
      object = to + object.substr(from.size());
      continue;
    }
    const FoundDataset& found = find(entry);
    DatasetSpec* spec = nullptr;
    if (entry.stored.tile) spec = &group.large.emplace_back(tiles(entry, found)).spec;
    else spec = &group.small.emplace_back(small(entry, found)).spec;
    spec->path = to + entry.name.substr(from.size());
    spec->shape = entry.stored.shape;
    spec->dimensions = found.dimensions;
    if (const auto type = element_type_from(entry.stored.type)) spec->type = *type;
    if (static_cast<int>(found.dimensions.size()) != entry.stored.shape.rank()) {
      throw IoError(where(entry.name), "has lost the names of its dimensions");
    }
  }
  return group;
}

/// @throws IoError unless the dataset is stored as it was written
const FoundDataset& StoredResult::find(const RecordedChecksum& entry) const {
  const auto at = contents_.datasets.find(entry.name);
  if (at == contents_.datasets.end()) throw IoError(where(entry.name), "is missing");
  if (!at->second.trouble.empty()) throw IoError(where(entry.name), at->second.trouble);
  StoredAs written = entry.stored;
  written.tile.reset();
  if (at->second.stored != written) throw IoError(where(entry.name), differs_from_written);
  return at->second;
}

/// @throws IoError unless all elements of a dataset of numbers, if it has any, lie in the file
void StoredResult::check_place(const RecordedChecksum& entry, const FoundDataset& found) const {
  if (volume(entry.stored.shape) == 0) return;
  const std::int64_t bytes = bytes_of_numbers(entry.stored);
  const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file_));
  if (bytes > 0 && found.offset && bytes <= size - *found.offset) return;
  throw IoError(where(entry.name), found.offset ? "goes beyond the end of the file" : "has no place in the file");
}

/// All elements of a small dataset of numbers, as they are in the file.
std::vector<std::byte> StoredResult::numbers(const RecordedChecksum& entry, const FoundDataset& found) const {
  check_place(entry, found);
  std::vector<std::byte> content(static_cast<std::size_t>(bytes_of_numbers(entry.stored)));
  if (content.empty()) return content;
  read_fully(open_file(file_, O_RDONLY).get(), content, *found.offset, file_);
  return content;
}

StoredTiles StoredResult::tiles(const RecordedChecksum& entry, const FoundDataset& found) const {
  const TileGrid grid(entry.stored.shape, *entry.stored.tile);
  const RecordedChecksum table{checksum_table_of(entry.name), {"u64", {grid.count()}, {}}};
  const std::vector<std::byte> content = numbers(table, find(table));
  if (recorded_checksum(entry.stored, content) != entry.checksum)
    throw IoError(where(table.name), differs_from_written);
  StoredTiles result;
  result.tiles = {*entry.stored.tile, numbers_from<std::uint64_t>(content)};
  check_place(entry, found);
  result.offset = found.offset.value_or(0);
  return result;
}

SmallDataset StoredResult::small(const RecordedChecksum& entry, const FoundDataset& found) const {
  SmallDataset dataset;
  if (entry.stored.type == text_type) {
    if (recorded_checksum(entry.stored, content_of(found.texts)) != entry.checksum) {
      throw IoError(where(entry.name), differs_from_written);
    }
    dataset.values = found.texts;
    return dataset;
  }
  std::vector<std::byte> content = numbers(entry, found);
  if (recorded_checksum(entry.stored, content) != entry.checksum)
    throw IoError(where(entry.name), differs_from_written);
  dataset.values = std::move(content);
  return dataset;
}

StoredAttribute StoredResult::attribute(const RecordedChecksum& entry) const {
  const auto at = contents_.attributes.find(entry.name);
  if (at == contents_.attributes.end()) throw IoError(where(entry.name), "is missing");
  const FoundAttribute& found = at->second;
  if (!found.trouble.empty()) throw IoError(where(entry.name), found.trouble);
  if (found.stored != entry.stored || recorded_checksum(entry.stored, found.content) != entry.checksum) {
    throw IoError(where(entry.name), differs_from_written);
  }
  return {object_of(entry.name), entry.name.substr(entry.name.rfind('@') + 1), entry.stored, found.content};
}

}  // namespace terrace::io
