#include "pipeline/run/taken_stage.hpp"

#include <utility>
#include <vector>

#include "pipeline/base/json.hpp"

namespace terrace::run {
namespace {

using Json = nlohmann::json;

constexpr const char* taken_key = "taken";

std::string hex_of(const std::vector<std::byte>& bytes) {
  return to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::vector<std::byte> bytes_from(const Json& json) {
  const std::string text = from_hex(json);
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

ElementType type_from(const Json& json) {
  const auto type = element_type_from(json.get<std::string>());
  if (!type) throw std::invalid_argument("there is no type " + json.get<std::string>());
  return *type;
}

Json json_of(const io::DatasetSpec& spec) {
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

Json json_of(const io::SmallDataset& dataset) {
  Json json = json_of(dataset.spec);
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

Json json_of(const io::StoredAttribute& attribute) {
  return {{"object", attribute.object},
          {"name", attribute.name},
          {"type", attribute.stored.type},
          {"shape", extents_json(attribute.stored.shape)},
          {"content", hex_of(attribute.content)}};
}

io::StoredAttribute attribute_from(const Json& json) {
  return {json.at("object"),
          json.at("name"),
          {json.at("type"), extents_from(json.at("shape")), {}},
          bytes_from(json.at("content"))};
}

std::string state_of(const io::StoredGroup& group) {
  Json json{{"small", Json::array()}, {"attributes", Json::array()}};
  for (const io::SmallDataset& dataset : group.small) json["small"].push_back(json_of(dataset));
  for (const io::StoredAttribute& attribute : group.attributes) json["attributes"].push_back(json_of(attribute));
  return json.dump();
}

class TakenTally : public Tally {
 public:
  void fold(const Phase&, std::int64_t, const void*) override {}
  std::string save() const override { return state_; }
  void load(const std::string& state) override {
    const Json json = Json::parse(state);
    small.clear();
    attributes.clear();
    for (const Json& dataset : json.at("small")) small.push_back(small_from(dataset));
    for (const Json& attribute : json.at("attributes")) attributes.push_back(to_attribute(attribute_from(attribute)));
    state_ = state;
  }

  std::vector<io::SmallDataset> small;
  std::vector<io::Attribute> attributes;

 private:
  std::string state_;
};

class TakenPlan : public Plan {
 public:
  explicit TakenPlan(std::vector<ArraySpec> arrays) : arrays_(std::move(arrays)) {}

  const std::vector<ArraySpec>& arrays() const override { return arrays_; }
  std::optional<Phase> phase(std::int64_t, const Tally&) const override { return std::nullopt; }
  bool depends_on_results(std::int64_t) const override { return false; }
  Block block(const Phase&, std::int64_t) const override { return {}; }
  std::size_t descriptor_bytes() const override { return 0; }
  std::size_t result_bytes() const override { return 0; }
  std::unique_ptr<Worker> make_worker(device::Context&) const override { return nullptr; }

 private:
  std::vector<ArraySpec> arrays_;
};

/// "table" of "/align/table".
std::string array_name(const std::string& path) { return path.substr(path.find('/', 1) + 1); }

class TakenStage : public Stage {
 public:
  /// @param choices have the specs and tiles of all large datasets
  explicit TakenStage(const Json& choices) : choices_(choices), plan_(arrays_from(choices)) {
    for (const Json& array : choices.at(taken_key).at("arrays")) specs_.push_back(spec_from(array));
  }

  const Plan& plan() const override { return plan_; }
  Tally& tally() override { return tally_; }
  io::DatasetSpec dataset(int array) const override { return specs_.at(static_cast<std::size_t>(array)); }
  std::vector<io::SmallDataset> small() const override { return tally_.small; }
  std::vector<io::Attribute> attributes() const override { return tally_.attributes; }
  Prediction prediction() const override { return {}; }
  Json choices() const override { return choices_; }

 private:
  static std::vector<ArraySpec> arrays_from(const Json& choices) {
    std::vector<ArraySpec> arrays;
    for (const Json& array : choices.at(taken_key).at("arrays")) {
      const io::DatasetSpec spec = spec_from(array);
      arrays.push_back({array_name(spec.path), Role::result, spec.type, spec.shape, extents_from(array.at("tile"))});
    }
    return arrays;
  }

  Json choices_;
  TakenPlan plan_;
  TakenTally tally_;
  std::vector<io::DatasetSpec> specs_;
};

}  // namespace

CompletedStage completed_by(const TakenPart& part) {
  CompletedStage stage;
  stage.folded = state_of(part.group);
  for (std::size_t i = 0; i < part.group.large.size(); ++i) {
    const std::vector<std::uint64_t>& checksums = part.group.large[i].tiles.checksums;
    if (!checksums.empty()) stage.tiles[static_cast<int>(i)] = checksums;
  }
  return stage;
}

std::unique_ptr<Stage> make_taken_stage(const io::StoredGroup& group, const Json& record) {
  Json arrays = Json::array();
  for (const io::StoredTiles& dataset : group.large) {
    arrays.push_back(json_of(dataset.spec));
    arrays.back()["tile"] = extents_json(dataset.tiles.tile);
  }
  return make_taken_stage({{taken_key, {{"arrays", arrays}, {"record", record}}}});
}

std::unique_ptr<Stage> make_taken_stage(const Json& choices) { return std::make_unique<TakenStage>(choices); }

bool is_taken(const Json& choices) { return choices.is_object() && choices.contains(taken_key); }

Json record_of(const Json& choices) { return choices.at(taken_key).at("record"); }

}  // namespace terrace::run
