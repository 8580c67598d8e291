#include "stages/query/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/refuse.hpp"
#include "stages/watched_read.hpp"

namespace terrace::stages {
namespace {

/// One element of a table of whole numbers.
std::int64_t element_at(io::Source& table, std::int64_t i, std::int64_t j) {
  return dispatch(table.type(), [&](auto value) {
    table.read({{i, j}, {i + 1, j + 1}}, &value);
    return static_cast<std::int64_t>(value);
  });
}

/// A number as the text of an id; numbers that are not whole are the ids of no node.
template <class T>
std::string text_of_id(T number) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T most = 9007199254740992;  // 2^53
    if (!(number >= -most && number <= most) || number != std::floor(number)) return "";
    return std::to_string(static_cast<std::int64_t>(number));
  } else {
    return std::to_string(number);
  }
}

/// The place of a node in the table as half of a pair. @param named true if errors begin with the text
std::int64_t place_of(const std::string& text, std::size_t half, bool named, const TableNodes& nodes) {
  try {
    return half == 0 ? nodes.row_of(text) : nodes.column_of(text);
  } catch (const Error& error) {
    throw Error((named ? quote(text) + " " : "") + error.what());
  }
}

/// The pairs of names or ids, two after another. @throws Error naming the one that the table does not have
std::vector<NodePair> find_pairs(const std::vector<std::string>& names, const TableNodes& nodes) {
  std::vector<NodePair> pairs(names.size() / 2);
  for (std::size_t at = 0; at < names.size(); ++at) {
    try {
      pairs[at / 2][at % 2] = place_of(names[at], at % 2, true, nodes);
    } catch (const Error& error) {
      throw Error("pair " + std::to_string(at / 2) + ": " + error.what());
    }
  }
  return pairs;
}

/// The pairs of an array of ids or names, two after another. @throws IoError naming the element that the table does
/// not have, and what the watch throws
std::vector<NodePair> read_pairs(io::Source& source, const io::DataLabel& label, const TableNodes& nodes,
                                 const Watch& watch) {
  const std::int64_t count = volume(source.shape());
  const auto names = source.element_names();
  std::vector<NodePair> pairs(static_cast<std::size_t>(count / 2));
  dispatch(source.type(), [&](auto zero) {
    std::vector<decltype(zero)> values(static_cast<std::size_t>(count));
    read_watched(source, values.data(), label.array, watch);
    for (std::size_t at = 0; at < values.size(); ++at) {
      try {
        const std::string text = names ? names->name(static_cast<std::int64_t>(values[at])) : text_of_id(values[at]);
        pairs[at / 2][at % 2] = place_of(text, at % 2, names != nullptr, nodes);
      } catch (const Error& error) {
        const auto index = static_cast<std::int64_t>(at);
        label.fail(source, source.shape().rank() == 1 ? Extents{index} : Extents{index / 2, index % 2}, error.what());
      }
    }
  });
  return pairs;
}

/// Adds the nodes from `at` on, of which next_of(node) is the one after each, up to `end`. @return false if they do
/// not lead there
template <class Next>
bool add_path(std::int64_t at, std::int64_t end, std::int64_t nodes, std::vector<std::int64_t>& path,
              const Next& next_of) {
  path.push_back(at);
  for (std::int64_t steps = 0; at != end; ++steps) {
    at = next_of(at);
    if (at < 0 || at >= nodes || steps >= nodes) return false;
    path.push_back(at);
  }
  return true;
}

}  // namespace

TableNodes::TableNodes(const io::Source& table) : names_(table.nodes()), sources_(table.sources()) {
  if (!names_) names_ = std::make_shared<io::NodeNames>(0, table.shape()[1]);
  for (std::size_t row = 0; sources_ && row < sources_->size(); ++row) {
    rows_.emplace((*sources_)[row], static_cast<std::int64_t>(row));
  }
}

std::int64_t TableNodes::row_of(const std::string& text) const {
  const std::int64_t node = column_of(text);
  if (!sources_) return node;
  const auto row = rows_.find(node);
  if (row != rows_.end()) return row->second;
  std::vector<std::string> sources;
  for (const std::int64_t source : *sources_) sources.push_back(names_->name(source));
  throw Error("is none of the `sources` from which the table has distances, " + quote_names(sources, 6) +
              ": add it to `sources` of the stage that makes the table, or leave that out");
}

std::vector<NodePair> pairs_of(const Request& request, const TableNodes& nodes) {
  const Settings& settings = request.stage.settings;
  if (settings.holds<std::vector<std::string>>("pairs")) {
    try {
      return find_pairs(settings.get<std::vector<std::string>>("pairs"), nodes);
    } catch (const Error& error) {
      refuse(request.stage, "pairs", error.what());
    }
  }
  const std::string& name = settings.text("pairs");
  const std::shared_ptr<io::Source> pairs = request.array(name);
  const Extents& given = pairs->shape();
  const bool right = given.rank() == 1 ? given[0] % 2 == 0 : given.rank() == 2 && given[1] == 2;
  if (!right) {
    refuse(request.stage, "pairs",
           "'" + name + "' is " + to_string(given) + "; give two nodes a pair, one pair after another");
  }
  refuse_letters(request, "pairs", *pairs);
  std::vector<NodePair> found;
  read_values(request.stage, "pairs",
              [&] { found = read_pairs(*pairs, label_of(request.stage, "pairs"), nodes, request.watch); });
  return found;
}

std::vector<std::byte> elements_at(io::Source& table, const std::vector<NodePair>& pairs) {
  const std::size_t element = size_of(table.type());
  std::vector<std::byte> found(pairs.size() * element);
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const auto [i, j] = pairs[at];
    table.read({{i, j}, {i + 1, j + 1}}, found.data() + at * element);
  }
  return found;
}

FollowedPaths follow(const PathTable& by, const TableNodes& nodes, const std::vector<NodePair>& pairs) {
  io::Source& table = *by.table;
  const std::int64_t count = table.shape()[1];
  FollowedPaths paths;
  for (const auto& [row, end] : pairs) {
    paths.begin.push_back(std::ssize(paths.nodes));
    const std::int64_t from = row, start = nodes.node_of(row);
    if (start != end && element_at(table, from, end) < 0) continue;
    const std::int64_t first = std::ssize(paths.nodes);
    const bool forth = by.key == "next";
    const bool ends = forth ? add_path(start, end, count, paths.nodes,
                                       [&, to = end](std::int64_t at) { return element_at(table, at, to); })
                            : add_path(end, start, count, paths.nodes,
                                       [&](std::int64_t at) { return element_at(table, from, at); });
    if (!ends) {
      throw ComputeError("following '" + by.name + "' from node " + std::to_string(start) + " to node " +
                         std::to_string(end) + " does not end there: it is no table of " + by.key + " nodes");
    }
    if (!forth) std::reverse(paths.nodes.begin() + first, paths.nodes.end());
  }
  paths.begin.push_back(std::ssize(paths.nodes));
  return paths;
}

}  // namespace terrace::stages
