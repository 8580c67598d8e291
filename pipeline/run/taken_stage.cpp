#include "pipeline/run/taken_stage.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "io/node_datasets.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/run/dataset_json.hpp"

namespace terrace::run {
namespace {

using Json = nlohmann::json;

constexpr const char* taken_key = "taken";

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

Json choices_of(const TakenPart& part) {
  Json arrays = Json::array(), small = Json::array(), attributes = Json::array();
  for (const io::StoredTiles& dataset : part.group.large) {
    arrays.push_back(spec_json(dataset.spec));
    arrays.back()["tile"] = extents_json(dataset.tiles.tile);
  }
  for (const io::SmallDataset& dataset : part.group.small) small.push_back(small_json(dataset));
  for (const io::StoredAttribute& attribute : part.group.attributes) attributes.push_back(json_of(attribute));
  return {{taken_key, {{"arrays", arrays}, {"small", small}, {"attributes", attributes}, {"record", part.record}}}};
}

/// The names in a dataset "/<stage>/<name>" with one dimension; nullopt if there is none, or it has no names.
std::optional<io::NodeNames::List> names_in(const std::vector<io::SmallDataset>& datasets, const char* name) {
  const auto at = std::find_if(datasets.begin(), datasets.end(), [&](const io::SmallDataset& dataset) {
    return array_name(dataset.spec.path) == name && dataset.spec.dimensions.size() == 1;
  });
  if (at == datasets.end()) return std::nullopt;
  if (const auto* texts = std::get_if<io::NodeNames::Texts>(&at->values)) return *texts;
  if (at->spec.type != ElementType::i64) return std::nullopt;
  const auto& bytes = std::get<std::vector<std::byte>>(at->values);
  io::NodeNames::Numbers numbers(bytes.size() / sizeof(std::int64_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(std::int64_t));
  return numbers;
}

}  // namespace

CompletedStage completed_by(const TakenPart& part) {
  CompletedStage stage;
  for (std::size_t i = 0; i < part.group.large.size(); ++i) {
    const std::vector<std::uint64_t>& checksums = part.group.large[i].tiles.checksums;
    if (!checksums.empty()) stage.tiles[static_cast<int>(i)] = checksums;
  }
  return stage;
}

TakenStage::TakenStage(const TakenPart& part) : TakenStage(choices_of(part)) {}

TakenStage::TakenStage(const Json& choices) : choices_(choices) {
  const Json& taken = choices_.at(taken_key);
  std::vector<ArraySpec> arrays;
  for (const Json& array : taken.at("arrays")) {
    const io::DatasetSpec& spec = specs_.emplace_back(spec_from(array));
    arrays.push_back({array_name(spec.path), Role::result, spec.type, spec.shape, extents_from(array.at("tile"))});
  }
  plan_ = std::make_unique<TakenPlan>(std::move(arrays));
  for (const Json& dataset : taken.at("small")) small_.push_back(small_from(dataset));
  for (const Json& attribute : taken.at("attributes")) {
    attributes_.push_back(to_attribute(attribute_from(attribute)));
  }
  if (auto names = names_in(small_, io::node_dataset)) {
    nodes_ = io::names_from_datasets(*std::move(names), names_in(small_, io::node_id_dataset));
    const auto sources = names_in(small_, io::source_dataset);
    if (sources) sources_ = io::rows_from_dataset(*sources, *nodes_);
  }
}

const Json& TakenStage::record() const { return choices_.at(taken_key).at("record"); }

bool is_taken(const Json& choices) { return choices.is_object() && choices.contains(taken_key); }

}  // namespace terrace::run
