#include "pipeline/run/dataset_json.hpp"

#include <stdexcept>
#include <utility>

#include "pipeline/base/json.hpp"

namespace terrace::run {

using Json = nlohmann::json;

namespace {

ElementType type_from(const Json& json) {
  const auto type = element_type_from(json.get<std::string>());
  if (!type) throw std::invalid_argument("there is no type " + json.get<std::string>());
  return *type;
}

}  // namespace

std::string hex_of(const std::vector<std::byte>& bytes) {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::vector<std::byte> bytes_from(const Json& json) {
  const std::string text = from_hex(json);
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

Json spec_json(const io::DatasetSpec& spec) {
  return {{"path", spec.path},
          {"type", name_of(spec.type)},
          {"shape", extents_json(spec.shape)},
          {"dimensions", spec.dimensions}};
}

io::DatasetSpec spec_from(const Json& json) {
  io::DatasetSpec spec;
  spec.path = json.at("path");
  spec.type = type_from(json.at("type"));
  spec.shape = extents_from(json.at("shape"));
  spec.dimensions = json.at("dimensions").get<std::vector<std::string>>();
  return spec;
}

Json small_json(const io::SmallDataset& dataset) {
  Json json = spec_json(dataset.spec);
  if (const auto* bytes = std::get_if<std::vector<std::byte>>(&dataset.values)) {
    json["bytes"] = hex_of(*bytes);
    return json;
  }
  Json& texts = json["texts"] = Json::array();
  for (const std::string& text : std::get<std::vector<std::string>>(dataset.values)) texts.push_back(text_json(text));
  return json;
}

io::SmallDataset small_from(const Json& json) {
  io::SmallDataset dataset{spec_from(json), {}};
  if (json.contains("bytes")) {
    dataset.values = bytes_from(json["bytes"]);
    return dataset;
  }
  std::vector<std::string> texts;
  for (const Json& text : json.at("texts")) texts.push_back(text_from(text));
  dataset.values = std::move(texts);
  return dataset;
}

}  // namespace terrace::run
