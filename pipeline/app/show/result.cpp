#include "pipeline/app/show/result.hpp"

#include <fmt/format.h>

#include "io/results/reader.hpp"
#include "pipeline/app/show/datasets.hpp"
#include "pipeline/app/show/profile.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

/// The datasets of each group, except the program's own; of one stage, or of all.
std::string describe_datasets(const io::ResultReader& reader, const std::string& stage, std::size_t width) {
  std::string text, group;
  TextTable table{{"", "", "", "", ""}, {}};
  const auto end_group = [&] {
    if (!table.rows.empty()) text += (group.empty() ? "/" : group) + "\n" + to_text(table, "  ", width);
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

IoError nothing_of(const std::string& stage, const std::filesystem::path& file) {
  return {file.string(), "holds nothing of a stage '" + stage + "'"};
}

std::string describe_result(const std::filesystem::path& file, const std::string& stage, std::size_t width) {
  const io::ResultReader reader(file);
  check_is_result(reader, file);
  if (!stage.empty()) {
    const std::string datasets = describe_datasets(reader, stage, width);
    if (datasets.empty()) throw nothing_of(stage, file);
    return datasets;
  }
  const std::string attempts = reader.attribute("attempts").value_or("1");
  return wrap_lines(describe_origin(reader), width, 2) + "\n" + describe_datasets(reader, stage, width) +
         wrap_lines(describe_profile_groups(reader), width, 4) + "\n" +
         (attempts == "1" ? "" : "Of the last of " + attempts + " attempts:\n") +
         wrap_lines(describe_profile(reader), width, 14);
}

std::string describe_small(const std::filesystem::path& file) {
  const io::ResultReader reader(file);
  TextTable table{{"", ""}, {}};
  for (const io::DatasetSummary& dataset : reader.datasets()) {
    if (dataset.only_dimension || is_bookkeeping(dataset) || dataset.path == "/job") continue;
    const std::string values = values_of(reader, dataset);
    if (!values.empty()) table.rows.push_back({dataset.path.substr(1), values});
  }
  return to_text(table, "");
}

}  // namespace terrace::app
