#include "pipeline/app/verify/datasets.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

using Texts = std::vector<std::string>;

std::string group_of(const job::Stage& stage) { return "/" + stage.name + "/"; }

/// The names of the datasets of a stage that hold values: "table", "tables/feasible".
Texts datasets_of(const MadeResult& result, const job::Stage& stage) {
  const std::string group = group_of(stage);
  Texts names;
  for (const io::DatasetSummary& dataset : result.reader().datasets()) {
    if (dataset.only_dimension || !dataset.path.starts_with(group)) continue;
    names.push_back(dataset.path.substr(group.size()));
  }
  return names;
}

Texts texts_of(const io::NodeNames::List& list) {
  if (const auto* texts = std::get_if<io::NodeNames::Texts>(&list)) return *texts;
  Texts texts;
  for (const std::int64_t number : std::get<io::NodeNames::Numbers>(list)) texts.push_back(stages::text_of(number));
  return texts;
}

/// The first difference between stored and read names, with its dataset; empty if there is none.
std::string difference_in(const std::string& name, const Texts& stored, const Texts& read) {
  if (stored.size() != read.size()) {
    return name + ": " + counted(std::ssize(stored), "name") + " are stored, and the inputs have " +
           std::to_string(read.size());
  }
  const auto [at, other] = std::mismatch(stored.begin(), stored.end(), read.begin());
  if (at == stored.end()) return "";
  return name + ", element " + std::to_string(at - stored.begin()) + ": '" + *at +
         "' is stored, and the inputs have '" + *other + "'";
}

/// The names in a finding's list "start, end, cigar".
void add_names(const std::string& list, std::set<std::string>& names) {
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(", ", begin), list.size());
    names.insert(list.substr(begin, end - begin));
    begin = end + 2;
  }
}

}  // namespace

std::optional<stages::Checked> check_names(const MadeResult& result, const job::Stage& stage,
                                           const std::shared_ptr<const io::NodeNames>& nodes) {
  const Texts all = datasets_of(result, stage);
  const auto has = [&](const char* name) { return std::find(all.begin(), all.end(), name) != all.end(); };
  if (!nodes || !has(io::node_dataset)) return std::nullopt;
  const Texts names = texts_of(nodes->names());
  Texts compared;
  std::string difference;
  const auto compare = [&](const char* name, const Texts& read) {
    if (!has(name)) return;
    compared.push_back(name);
    if (difference.empty()) difference = difference_in(name, result.reader().texts(group_of(stage) + name), read);
  };
  compare(io::node_dataset, names);
  compare(io::node_id_dataset, texts_of(nodes->ids()));
  for (const char* axis : {"from", "to"}) compare(axis, names);
  return stages::Checked{list_names(compared), "compared with the names of nodes in the inputs", difference, true};
}

std::optional<stages::Checked> not_compared(const MadeResult& result, const job::Stage& stage,
                                            const std::vector<stages::Checked>& found) {
  std::set<std::string> named;
  for (const stages::Checked& checked : found) add_names(checked.dataset, named);
  Texts rest = datasets_of(result, stage);
  std::erase_if(rest, [&](const std::string& name) { return named.contains(name); });
  if (rest.empty()) return std::nullopt;
  return stages::Checked{list_names(rest), "no plain program computes it; --all computes it again", "", false};
}

}  // namespace terrace::app
