#include "pipeline/app/show/datasets.hpp"

#include <algorithm>

namespace terrace::app {
namespace {

constexpr std::int64_t most_values = 6;
constexpr std::size_t most_letters = 60;

}  // namespace

std::string group_of(const std::string& path) { return path.substr(0, path.rfind('/')); }
std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

bool is_small(const io::DatasetSummary& dataset) {
  return dataset.type != "other" && volume(dataset.shape) <= most_values;
}

std::string values_of(const io::ResultReader& reader, const io::DatasetSummary& dataset) {
  if (!is_small(dataset)) return "";
  std::string all;
  for (const std::string& text : reader.texts(dataset.path)) all += (all.empty() ? "" : ", ") + text;
  const auto lines = std::count(all.begin(), all.end(), '\n');
  if (lines > 1) return std::to_string(lines) + " lines";
  return all.size() <= most_letters ? all : all.substr(0, most_letters) + "...";
}

std::string meaning_of(const io::DatasetSummary& dataset) {
  return dataset.long_name + (dataset.units.empty() ? "" : " (" + dataset.units + ")");
}

std::string shape_of(const io::DatasetSummary& dataset) {
  return dataset.shape.rank() == 0 ? "one value" : to_string(dataset.shape);
}

bool is_bookkeeping(const io::DatasetSummary& dataset) {
  return dataset.path.starts_with("/profile/") || dataset.path.starts_with("/checksums/");
}

}  // namespace terrace::app
