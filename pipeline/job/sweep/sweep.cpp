#include "pipeline/job/sweep/sweep.hpp"

#include <algorithm>

#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/sweep/pattern.hpp"
#include "pipeline/job/yaml/scalar.hpp"

namespace terrace::job {
namespace {

using Json = nlohmann::json;

bool is_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

void read_list(const Node& list, SweepName& name, Complaints& complaints) {
  if (list.items.empty())
    complaints.add(list.position, quote(name.name) + " has no values; a sweep needs one at least");
  for (const Node& item : list.items) {
    if (item.kind != Node::Kind::scalar) {
      complaints.add(item.position, "a value of a sweep is a number, a word or a text, not " + describe(item));
    } else if (item.text.find("${") != std::string::npos) {
      complaints.add(item.position, "a value of a sweep holds no placeholder");
    }
    name.list.push_back({item.text, item.quoted, static_cast<std::int64_t>(name.list.size())});
  }
}

SweepName read_name(const Entry& entry, Complaints& complaints) {
  SweepName name{entry.key, entry.value.position, {}, {}};
  if (!is_name(entry.key)) {
    complaints.add(entry.position,
                   "the name " + quote(entry.key) + " of a sweep may have letters, digits, _ and - only");
  }
  const Node& value = entry.value;
  if (value.kind == Node::Kind::list) {
    read_list(value, name, complaints);
  } else if (value.kind != Node::Kind::scalar || value.text.empty()) {
    complaints.add(value.position, quote(entry.key) + " takes a list such as [1, 2], or a pattern such as " +
                                       "\"reads/*.fa\", not " + describe(value));
  } else if (read_number(value).valid) {
    complaints.add(value.position,
                   quote(entry.key) + " takes a list or a pattern of files; write [" + value.text + "]");
  } else {
    name.pattern = value.text;
  }
  return name;
}

void read_each(const Node& sweep, const Node* each, Sweep& result, Complaints& complaints) {
  if (each == nullptr || each->kind != Node::Kind::map || each->entries.empty()) {
    return complaints.add(
        each ? each->position : sweep.position,
        "'sweep' needs 'each': a map of names such as {mismatch: [-1, -3], sample: \"reads/*.fa\"}");
  }
  for (const Entry& entry : each->entries) result.names.push_back(read_name(entry, complaints));
}

/// The values of a name: of a pattern the files that match it now.
std::vector<SweepValue> values_of(const SweepName& name, CheckContext& context) {
  if (name.pattern.empty()) return name.list;
  const bool of_command = name.position.source > 0;
  const auto& folder = of_command ? context.current_folder : context.job_folder;
  const std::filesystem::path base = of_command ? folder : std::filesystem::path();
  std::vector<SweepValue> values;
  for (const std::string& path : matching_paths(name.pattern, folder)) {
    values.push_back({(base / path).string(), true, static_cast<std::int64_t>(values.size())});
  }
  if (values.empty()) {
    context.complaints.add(name.position,
                           "the pattern " + quote(name.pattern) + " matches no file in " + quote(folder.string()));
  }
  return values;
}

/// The number of tasks, or 0 after a complaint.
std::int64_t count_tasks(const Sweep& sweep, const std::vector<std::vector<SweepValue>>& values,
                         CheckContext& context) {
  std::int64_t count = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto length = static_cast<std::int64_t>(values[i].size());
    if (!sweep.zip) {
      count *= length;
    } else if (length != static_cast<std::int64_t>(values[0].size())) {
      context.complaints.add(sweep.zip_position, "'zip' needs lists of one length, and " +
                                                     quote(sweep.names[0].name) + " has " +
                                                     counted(std::ssize(values[0]), "value") + ", " +
                                                     quote(sweep.names[i].name) + " " + counted(length, "value"));
      return 0;
    } else {
      count = length;
    }
    if (count <= most_tasks) continue;
    context.complaints.add(sweep.names[i].position,
                           "the sweep has more than " + std::to_string(most_tasks) + " tasks");
    return 0;
  }
  return count;
}

}  // namespace

Sweep read_sweep(const Node& node, Complaints& complaints) {
  Sweep sweep;
  sweep.zip_position = node.position;
  if (node.kind != Node::Kind::map) {
    complaints.add(node.position, "'sweep' takes a map such as {each: {mismatch: [-1, -3]}}, not " + describe(node));
    return sweep;
  }
  for (const Entry& entry : node.entries) {
    if (entry.key == "each") continue;
    if (entry.key != "zip") {
      complaints.add(entry.position, "unknown key " + quote(entry.key) + " in 'sweep'" +
                                         did_you_mean(entry.key, {"each", "zip"}) + "; it has each and zip");
      continue;
    }
    const Scalar<bool> zip = read_flag(entry.value);
    if (entry.value.kind != Node::Kind::scalar || !zip.valid)
      complaints.add(entry.value.position, "'zip' takes true or false, not " + describe(entry.value));
    sweep.zip = zip.value;
    sweep.zip_position = entry.value.position;
  }
  read_each(node, node.find("each"), sweep, complaints);
  return sweep;
}

Json definition_of(const Sweep& sweep) {
  Json each = Json::array();
  for (const SweepName& name : sweep.names) {
    Json values = Json::array();
    for (const SweepValue& value : name.list) values.push_back({text_json(value.text), value.quoted});
    each.push_back({name.name, name.pattern.empty() ? values : text_json(name.pattern)});
  }
  return {{"each", each}, {"zip", sweep.zip}};
}

std::vector<TaskValues> tasks_of(const Sweep& sweep, CheckContext& context) {
  std::vector<std::vector<SweepValue>> values;
  for (const SweepName& name : sweep.names) values.push_back(values_of(name, context));
  if (!context.complaints.empty()) return {};
  const std::int64_t count = count_tasks(sweep, values, context);
  std::vector<TaskValues> tasks;
  for (std::int64_t number = 0; number < count; ++number) {
    TaskValues task(values.size());
    std::int64_t rest = number;
    for (std::size_t i = values.size(); i-- > 0;) {
      const auto length = static_cast<std::int64_t>(values[i].size());
      const std::int64_t index = sweep.zip ? number : rest % length;
      rest /= length;
      task[i] = {sweep.names[i].name, values[i][static_cast<std::size_t>(index)]};
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace terrace::job
