#include "io/inputs/graph/rows.hpp"

#include <algorithm>
#include <unordered_map>

namespace terrace::io {
namespace {

constexpr std::int64_t most_nodes = 2000000000;

/// The numbers that edges name, in order.
std::vector<std::int64_t> used_numbers(const EdgeList& list) {
  std::vector<std::int64_t> numbers;
  for (const Edge& edge : list.edges) numbers.push_back(edge.from), numbers.push_back(edge.to);
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// The file's number of the node of each row.
struct Rows {
  std::int64_t first = 0, count = 0;                                // consecutive numbers
  std::optional<std::vector<std::int64_t>> numbers = std::nullopt;  // of rows, if they are not
};

/// All nodes that the file has.
Rows all_rows(const EdgeList& list) {
  if (list.names) return {0, static_cast<std::int64_t>(list.names->size()), list.names};
  Rows rows{list.first, list.nodes.value_or(0)};
  if (list.nodes) return rows;
  for (const Edge& edge : list.edges) {
    rows.count = std::max({rows.count, edge.from + 1 - list.first, edge.to + 1 - list.first});
  }
  return rows;
}

/// As many nodes as the job says. @throws JobError if the file has more, or names those that it has
Rows given_rows(Rows rows, const EdgeList& list, const Settings& settings, const std::string& path) {
  const std::int64_t given = settings.integer("nodes");
  const bool fixed = list.names || list.texts;
  if ((given < rows.count && !list.edges.empty()) || (fixed && given != rows.count)) {
    fail_setting(settings, "nodes",
                 "nodes: " + path + " has " + std::to_string(rows.count) + ", " +
                     (given < rows.count ? "more than " : "and names each of them, so not ") + std::to_string(given));
  }
  rows.count = given;
  return rows;
}

/// The rows of a file's nodes by their numbers.
class RowOf {
 public:
  /// @throws IoError if two nodes have the same number
  RowOf(const Rows& rows, std::string path) : rows_(rows), path_(std::move(path)) {
    if (!rows.numbers) return;
    for (std::size_t row = 0; row < rows.numbers->size(); ++row) {
      if (by_number_.emplace((*rows.numbers)[row], static_cast<std::int64_t>(row)).second) continue;
      throw IoError(path_, "has two nodes with the id " + std::to_string((*rows.numbers)[row]));
    }
  }

  std::int64_t operator()(std::int64_t number) const {
    if (rows_.numbers) {
      const auto row = by_number_.find(number);
      if (row != by_number_.end()) return row->second;
    } else if (number >= rows_.first && number - rows_.first < rows_.count) {
      return number - rows_.first;
    }
    throw IoError(path_, "has an edge of node " + std::to_string(number) + ", which is none of its nodes");
  }

 private:
  const Rows& rows_;
  std::string path_;
  std::unordered_map<std::int64_t, std::int64_t> by_number_;
};

/// The entries of a list about all of the file's nodes that belong to the rows.
std::vector<std::string> of_rows(const std::vector<std::string>& all, const EdgeList& list, const Rows& rows,
                                 const std::string& path) {
  if (!rows.numbers) return all;
  const Rows file = all_rows(list);
  const RowOf place(file, path);
  std::vector<std::string> chosen;
  for (const std::int64_t number : *rows.numbers) chosen.push_back(all[static_cast<std::size_t>(place(number))]);
  return chosen;
}

std::shared_ptr<const NodeNames> names_of(const EdgeList& list, const Rows& rows, const std::string& path) {
  std::optional<std::vector<std::string>> labels;
  if (list.labels) labels = of_rows(*list.labels, list, rows, path);
  if (list.texts) return std::make_shared<NodeNames>(of_rows(*list.texts, list, rows, path), std::move(labels));
  if (rows.numbers) return std::make_shared<NodeNames>(*rows.numbers, std::move(labels));
  return std::make_shared<NodeNames>(rows.first, rows.count);
}

}  // namespace

Nodes number_nodes(EdgeList& list, const Settings& settings, const std::string& path) {
  Rows rows = all_rows(list);
  Nodes nodes;
  const bool given = settings.has("nodes");
  if (given ? settings.holds<std::string>("nodes") && settings.text("nodes") == "used" : !list.declares_nodes) {
    std::vector<std::int64_t> used = used_numbers(list);
    const auto count = static_cast<std::int64_t>(used.size());
    if (!given) nodes.left_out = rows.count - count;
    if (!used.empty() && used.front() == 1) nodes.first = 1;
    if (list.names || count < rows.count) rows = {0, count, std::move(used)};
  } else if (settings.holds<std::int64_t>("nodes")) {
    rows = given_rows(std::move(rows), list, settings, path);
  }
  if (rows.count > most_nodes) {
    throw IoError(path, "has " + std::to_string(rows.count) +
                            " nodes by their largest number, or by what it says, and at most " +
                            std::to_string(most_nodes) + " can be: where numbers have gaps, say `nodes: used`");
  }
  const RowOf row_of(rows, path);
  nodes.names = names_of(list, rows, path);
  for (Edge& edge : list.edges) edge.from = row_of(edge.from), edge.to = row_of(edge.to);
  return nodes;
}

}  // namespace terrace::io
