#include "pipeline/app/show/result_json.hpp"

#include <cstdlib>

#include "io/results/reader.hpp"
#include "pipeline/app/show/datasets.hpp"
#include "pipeline/app/show/result.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

constexpr const char* profile_of_stages = "/profile/stages/";

bool is_number(const std::string& type) { return type.size() <= 3 && std::string_view("uif").find(type[0]) < 3; }

/// A value that a result holds, from its text. @param type "i32", "f64", "text"
Json value_json(const std::string& type, const std::string& text) {
  if (!is_number(type)) return text_json(text);
  if (type[0] == 'f') return number_json(std::strtod(text.c_str(), nullptr));
  if (type[0] == 'u') return std::strtoull(text.c_str(), nullptr, 10);
  return std::strtoll(text.c_str(), nullptr, 10);
}

Json values_json(const io::ResultReader& reader, const io::DatasetSummary& dataset) {
  Json values = Json::array();
  for (const std::string& text : reader.texts(dataset.path)) values.push_back(value_json(dataset.type, text));
  return values;
}

Json shape_json(const Extents& shape) {
  Json extents = Json::array();
  for (int axis = 0; axis < shape.rank(); ++axis) extents.push_back(shape[axis]);
  return extents;
}

Json dataset_json(const io::ResultReader& reader, const io::DatasetSummary& dataset) {
  Json found = {{"path", text_json(dataset.path)},
                {"type", dataset.type},
                {"shape", shape_json(dataset.shape)},
                {"meaning", text_json(dataset.long_name)},
                {"units", text_json(dataset.units)}};
  if (is_small(dataset)) found["values"] = values_json(reader, dataset);
  return found;
}

/// The stages of the profile: a column is a key of each.
Json stages_json(const io::ResultReader& reader, const std::string& stage) {
  std::vector<Json> rows;
  for (const io::DatasetSummary& dataset : reader.datasets()) {
    if (!dataset.path.starts_with(profile_of_stages) || dataset.only_dimension || dataset.shape.rank() != 1) continue;
    const Json values = values_json(reader, dataset);
    if (rows.empty()) rows.resize(values.size(), Json::object());
    const std::string column = dataset.path.substr(std::string_view(profile_of_stages).size());
    for (std::size_t row = 0; row < std::min(rows.size(), values.size()); ++row) rows[row][column] = values[row];
  }
  Json found = Json::array();
  for (Json& row : rows) {
    if (stage.empty() || row.value("name", "") == stage) found.push_back(std::move(row));
  }
  return found;
}

}  // namespace

Json result_json(const std::filesystem::path& file, const std::string& stage) {
  const io::ResultReader reader(file);
  check_is_result(reader, file);
  Json answer = {{"file", text_json(file.string())}, {"datasets", Json::array()}};
  for (const char* name : {"version", "commit", "host", "devices", "finished"}) {
    answer[name] = text_json(reader.attribute(name).value_or(""));
  }
  answer["job"] = text_json(reader.attribute("title").value_or(""));
  answer["attempts"] = std::strtoll(reader.attribute("attempts").value_or("1").c_str(), nullptr, 10);
  for (const io::DatasetSummary& dataset : reader.datasets()) {
    if (is_shown(dataset, stage)) answer["datasets"].push_back(dataset_json(reader, dataset));
  }
  if (!stage.empty() && answer["datasets"].empty()) throw nothing_of(stage, reader, file);
  answer["stages"] = stages_json(reader, stage);
  return answer;
}

}  // namespace terrace::app
