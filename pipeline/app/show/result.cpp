#include "pipeline/app/show/result.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/results/reader.hpp"
#include "pipeline/app/show/datasets.hpp"
#include "pipeline/app/show/profile.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

/// The nodes of a path, or how it begins and ends.
std::string path_in_words(const std::vector<std::string>& nodes, std::size_t begin, std::size_t end) {
  constexpr std::size_t most_nodes = 12;
  if (begin >= end) return "none";
  std::string text;
  for (std::size_t at = begin; at < end; ++at) {
    const bool left_out = end - begin > most_nodes && at - begin == most_nodes / 2;
    if (left_out) at = end - most_nodes / 2;
    text += (at == begin ? "" : left_out ? " -> ... -> " : " -> ") + nodes[at];
  }
  return text;
}

/// The first paths of a group, by the names of their nodes; empty if it has none.
std::string describe_paths(const io::ResultReader& reader, const std::string& group) {
  constexpr std::size_t most_paths = 6, most_read = std::size_t{1} << 20;
  const std::string path = group + "/path", begin = group + "/path_begin";
  if (!reader.has(path) || !reader.has(begin)) return "";
  for (const io::DatasetSummary& dataset : reader.datasets()) {
    const bool of_paths = dataset.path == path || dataset.path == begin;
    if (of_paths && static_cast<std::size_t>(volume(dataset.shape)) > most_read) return "";
  }
  const std::vector<std::string> nodes = reader.texts(path);
  const std::vector<double> begins = reader.numbers(begin);
  std::string text;
  for (std::size_t pair = 0; pair + 1 < begins.size() && pair < most_paths; ++pair) {
    const auto from = static_cast<std::size_t>(begins[pair]), to = static_cast<std::size_t>(begins[pair + 1]);
    if (to > nodes.size()) break;
    text += "  path " + std::to_string(pair) + ": " + path_in_words(nodes, from, to) + "\n";
  }
  return text;
}

/// The datasets of each group, except the program's own; of one stage, or of all.
std::string describe_datasets(const io::ResultReader& reader, const std::string& stage, std::size_t width) {
  std::string text, group;
  TextTable table{{"", "", "", "", ""}, {}};
  const auto end_group = [&] {
    if (table.rows.empty()) return;
    text += (group.empty() ? "/" : group) + "\n" + to_text(table, "  ", width);
    text += wrap_lines(describe_paths(reader, group), width, 4);
    table.rows.clear();
  };
  for (const io::DatasetSummary& dataset : reader.datasets()) {
    if (!is_shown(dataset, stage)) continue;
    if (group_of(dataset.path) != group) end_group();
    group = group_of(dataset.path);
    table.rows.push_back(
        {name_of(dataset.path), dataset.type, shape_of(dataset), values_of(reader, dataset), meaning_of(dataset)});
  }
  end_group();
  return text;
}

/// "stages (2), blocks (4), copies (6), devices (1)".
std::string describe_profile_groups(const io::ResultReader& reader) {
  std::string text;
  for (const char* column : {"stages/name", "blocks/first", "copies/tile", "devices/name"}) {
    const std::string path = std::string("/profile/") + column;
    if (!reader.has(path)) continue;
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", name_of(group_of(path)), reader.texts(path).size());
  }
  return text.empty() ? "" : "/profile\n  " + text + "\n";
}

std::string describe_origin(const io::ResultReader& reader) {
  const auto attribute = [&](const char* name) { return reader.attribute(name).value_or("?"); };
  const std::string attempts = attribute("attempts");
  return fmt::format("{}: made by Terrace {} ({}) on {} with {}\nfinished {}, {}\n", attribute("title"),
                     attribute("version"), attribute("commit"), attribute("host"), attribute("devices"),
                     attribute("finished"), attempts == "1" ? "in one attempt" : "in " + attempts + " attempts");
}

}  // namespace

bool is_shown(const io::DatasetSummary& dataset, const std::string& stage) {
  if (dataset.only_dimension || is_bookkeeping(dataset)) return false;
  return stage.empty() || dataset.path.starts_with("/" + stage + "/");
}

void check_is_result(const io::ResultReader& reader, const std::filesystem::path& file) {
  if (reader.attribute("identity")) return;
  throw IoError(file.string(), "is an HDF5 file that Terrace did not make, or did not finish; h5dump shows it");
}

JobError nothing_of(const std::string& stage, const io::ResultReader& reader, const std::filesystem::path& file) {
  std::vector<std::string> names;
  for (const io::DatasetSummary& dataset : reader.datasets()) {
    const std::string name = dataset.path.substr(1, dataset.path.find('/', 1) - 1);
    const bool known = std::find(names.begin(), names.end(), name) != names.end();
    if (!known && !is_bookkeeping(dataset) && dataset.path != "/job") names.push_back(name);
  }
  const std::string near = did_you_mean(stage, names);
  return JobError(file.string() + ": holds nothing of a stage '" + stage + "'" +
                  (near.empty() ? "; there is " + list_names(names) : near));
}

std::string describe_result(const std::filesystem::path& file, const std::string& stage, std::size_t width) {
  const io::ResultReader reader(file);
  check_is_result(reader, file);
  if (!stage.empty()) {
    const std::string datasets = describe_datasets(reader, stage, width);
    if (datasets.empty()) throw nothing_of(stage, reader, file);
    return datasets;
  }
  const std::string attempts = reader.attribute("attempts").value_or("1");
  return wrap_lines(describe_origin(reader), width, 2) + "\n" + describe_datasets(reader, stage, width) +
         wrap_lines(describe_profile_groups(reader), width, 4) + "\n" +
         (attempts == "1" ? "" : "Of the last of " + attempts + " attempts:\n") +
         wrap_lines(describe_profile(reader, file.string()), width, 14);
}

std::string describe_small(const std::filesystem::path& file) {
  const io::ResultReader reader(file);
  TextTable table{{"", ""}, {}};
  for (const io::DatasetSummary& dataset : reader.datasets()) {
    if (!is_shown(dataset, "") || dataset.coordinate || dataset.path == "/job") continue;
    const std::string values = values_of(reader, dataset);
    if (!values.empty()) table.rows.push_back({dataset.path.substr(1), values});
  }
  return to_text(table, "");
}

}  // namespace terrace::app
