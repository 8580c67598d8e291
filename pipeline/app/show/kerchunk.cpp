#include "pipeline/app/show/kerchunk.hpp"

#include <cstring>
#include <string_view>
#include <vector>

#include "io/results/contents.hpp"
#include "pipeline/app/show/datasets.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t most_chunk_bytes = std::int64_t{64} << 20;
constexpr std::int64_t most_chunks = 100'000;

/// The largest divisor of `extent` that is at most `most`, and at least 1.
std::int64_t largest_divisor(std::int64_t extent, std::int64_t most) {
  std::int64_t found = 1;
  for (std::int64_t divisor = 1; divisor <= extent / divisor; ++divisor) {
    if (extent % divisor != 0) continue;
    if (divisor <= most) found = std::max(found, divisor);
    if (extent / divisor <= most) found = std::max(found, extent / divisor);
  }
  return found;
}

/// The shape of chunks that are contiguous and divide the array: 1 along the first axes, then a part of an axis, then
/// whole axes. The whole array if it would be more than 100,000 chunks.
Extents chunk_shape(const Extents& shape, std::int64_t element_bytes) {
  Extents chunk = shape;
  std::int64_t bytes = volume(shape) * element_bytes, chunks = 1;
  for (int axis = 0; axis < shape.rank() && bytes > most_chunk_bytes; ++axis) {
    const std::int64_t one = bytes / shape[axis];
    chunk[axis] = largest_divisor(shape[axis], most_chunk_bytes / one);
    chunks *= shape[axis] / chunk[axis];
    bytes = one * chunk[axis];
  }
  if (chunks > most_chunks) return shape;
  return chunk;
}

/// "<i4", as NumPy and Zarr name element types.
std::string zarr_type(ElementType type) {
  const char kind = is_floating(type) ? 'f' : is_signed(type) ? 'i' : 'u';
  return (size_of(type) == 1 ? "|" : "<") + std::string(1, kind) + std::to_string(size_of(type));
}

std::string base64(const std::string& bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = at; i < at + 3; ++i) {
      bits = bits << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += at + i <= bytes.size() ? digits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

void add_count(std::string& bytes, std::size_t count) {
  for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(count >> shift & 255);
}

/// Texts as the codec `vlen-utf8` of numcodecs writes them.
std::string coded_texts(const std::vector<std::string>& texts) {
  std::string bytes;
  add_count(bytes, texts.size());
  for (const std::string& text : texts) {
    add_count(bytes, text.size());
    bytes += text;
  }
  return bytes;
}

/// The value of an attribute: a text, a number, or a list of them.
Json value_of(const io::FoundAttribute& attribute) {
  std::vector<Json> values;
  const char* at = reinterpret_cast<const char*>(attribute.content.data());
  const char* end = at + attribute.content.size();
  if (const auto type = element_type_from(attribute.stored.type)) {
    dispatch(*type, [&](auto value) {
      for (; at < end; at += sizeof value) {
        std::memcpy(&value, at, sizeof value);
        if constexpr (std::is_floating_point_v<decltype(value)>) values.push_back(number_json(value));
        else values.emplace_back(value);
      }
    });
  } else {
    for (; at < end; at += values.back().get_ref<const std::string&>().size() + 1) values.emplace_back(at);
  }
  return attribute.stored.shape.rank() == 0 && values.size() == 1 ? values.front() : Json(values);
}

/// The reference, made dataset by dataset.
class References {
 public:
  References(std::string file, const io::ResultContents& contents) : file_(std::move(file)), contents_(contents) {}

  void add(const std::string& path, const io::FoundDataset& dataset) {
    if (!dataset.trouble.empty()) throw IoError(file_ + ", " + path, dataset.trouble);
    add_group(group_of(path));
    const std::string name = path.substr(1);
    const auto type = element_type_from(dataset.stored.type);
    const Extents& shape = dataset.stored.shape;
    const Extents chunk = type ? chunk_shape(shape, static_cast<std::int64_t>(size_of(*type))) : shape;
    Json attributes = attributes_of(path);
    attributes["_ARRAY_DIMENSIONS"] = dimensions_of(name, dataset);
    Json array = {{"zarr_format", 2},
                  {"shape", extents_json(shape)},
                  {"chunks", chunks_json(chunk)},
                  {"compressor", nullptr},
                  {"order", "C"},
                  {"filters", nullptr},
                  {"fill_value", nullptr},
                  {"dtype", type ? zarr_type(*type) : "|O"}};
    if (!type) array["filters"] = {{{"id", "vlen-utf8"}}};
    // Elements without space in the file are zeros.
    if (type && !dataset.offset) array["fill_value"] = 0;
    if (attributes.contains("_FillValue")) {
      array["fill_value"] = attributes["_FillValue"];
      attributes.erase("_FillValue");
    }
    add_text(name + "/.zarray", array);
    add_text(name + "/.zattrs", attributes);
    if (!type) add_texts(name, dataset);
    else if (dataset.offset)
      add_chunks(name, shape, chunk, *dataset.offset, static_cast<std::int64_t>(size_of(*type)));
  }

  bool empty() const { return references_.empty(); }
  Json take() && { return {{"version", 1}, {"refs", std::move(references_)}}; }

 private:
  /// A document of the store, whose content is a text.
  void add_text(const std::string& name, const Json& document) {
    references_[name] = document.dump(-1, ' ', true, Json::error_handler_t::replace);
  }

  void add_group(const std::string& path) {
    const std::string name = path.empty() ? "" : path.substr(1) + "/";
    if (references_.contains(name + ".zgroup")) return;
    if (!path.empty()) add_group(group_of(path));
    add_text(name + ".zgroup", {{"zarr_format", 2}});
    add_text(name + ".zattrs", attributes_of(path.empty() ? "/" : path));
  }

  Json attributes_of(const std::string& object) const {
    const std::string prefix = io::attribute_name(object, "");
    Json all = Json::object();
    for (auto at = contents_.attributes.lower_bound(prefix);
         at != contents_.attributes.end() && at->first.starts_with(prefix); ++at) {
      all[at->first.substr(prefix.size())] = value_of(at->second);
    }
    return all;
  }

  static Json dimensions_of(const std::string& name, const io::FoundDataset& dataset) {
    std::vector<std::string> names = dataset.dimensions;
    for (int axis = static_cast<int>(names.size()); axis < dataset.stored.shape.rank(); ++axis) {
      names.push_back(name_of("/" + name) + "_axis_" + std::to_string(axis));
    }
    return names;
  }

  /// Zarr has no chunks of extent 0.
  static Json chunks_json(Extents chunk) {
    for (int axis = 0; axis < chunk.rank(); ++axis) chunk[axis] = std::max<std::int64_t>(chunk[axis], 1);
    return extents_json(chunk);
  }

  void add_texts(const std::string& name, const io::FoundDataset& dataset) {
    if (dataset.texts.empty()) return;
    std::string key = name + "/0";
    for (int axis = 1; axis < dataset.stored.shape.rank(); ++axis) key += ".0";
    references_[key] = "base64:" + base64(coded_texts(dataset.texts));
  }

  void add_chunks(const std::string& name, const Extents& shape, const Extents& chunk, std::int64_t offset,
                  std::int64_t element_bytes) {
    const std::int64_t bytes = volume(chunk) * element_bytes;
    const std::int64_t count = bytes == 0 ? 0 : volume(shape) / volume(chunk);
    for (std::int64_t number = 0; number < count; ++number) {
      std::string key;
      std::int64_t rest = number;
      for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        const std::int64_t chunks = shape[axis] / chunk[axis];
        key = (axis > 0 ? "." : "") + std::to_string(rest % chunks) + key;
        rest /= chunks;
      }
      references_[name + "/" + (key.empty() ? "0" : key)] = {file_, offset + number * bytes, bytes};
    }
  }

  std::string file_;
  const io::ResultContents& contents_;
  Json references_ = Json::object();
};

}  // namespace

Json kerchunk_of(const std::filesystem::path& file, const std::string& stage) {
  const io::ResultContents contents = io::read_contents(file);
  References references(std::filesystem::absolute(file).lexically_normal().string(), contents);
  for (const auto& [path, dataset] : contents.datasets) {
    if (stage.empty() || path.starts_with("/" + stage + "/")) references.add(path, dataset);
  }
  if (references.empty()) {
    throw JobError(file.string() + (stage.empty() ? "" : ", /" + stage) +
                   ": holds no datasets (terrace show lists those that there are)");
  }
  return std::move(references).take();
}

}  // namespace terrace::app
