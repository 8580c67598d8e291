#include "stages/query/pairs.hpp"

#include <cmath>
#include <type_traits>

#include "pipeline/base/error.hpp"
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

/// The row of a node. @param named true if errors begin with the text
std::int64_t row_of(const std::string& text, bool named, const io::NodeNames& nodes) {
  try {
    return nodes.row_of(text);
  } catch (const Error& error) {
    throw Error((named ? quote(text) + " " : "") + error.what());
  }
}

}  // namespace

std::vector<NodePair> find_pairs(const std::vector<std::string>& names, const io::NodeNames& nodes) {
  std::vector<NodePair> pairs(names.size() / 2);
  for (std::size_t at = 0; at < names.size(); ++at) {
    try {
      pairs[at / 2][at % 2] = nodes.row_of(names[at]);
    } catch (const Error& error) {
      throw Error("pair " + std::to_string(at / 2) + ": " + quote(names[at]) + " " + error.what());
    }
  }
  return pairs;
}

std::shared_ptr<const io::NodeNames> nodes_of(const io::Source& matrix) {
  if (auto nodes = matrix.nodes()) return nodes;
  return std::make_shared<io::NodeNames>(0, matrix.shape()[0]);
}

std::vector<NodePair> pairs_of(const Request& request, const io::NodeNames& nodes) {
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

std::vector<NodePair> read_pairs(io::Source& source, const io::DataLabel& label, const io::NodeNames& nodes,
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
        pairs[at / 2][at % 2] = row_of(text, names != nullptr, nodes);
      } catch (const Error& error) {
        const auto index = static_cast<std::int64_t>(at);
        label.fail(source, source.shape().rank() == 1 ? Extents{index} : Extents{index / 2, index % 2}, error.what());
      }
    }
  });
  return pairs;
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

FollowedPaths follow(io::Source& next, const std::string& name, const std::vector<NodePair>& pairs) {
  const std::int64_t nodes = next.shape()[0];
  FollowedPaths paths;
  for (const auto& [start, end] : pairs) {
    paths.begin.push_back(static_cast<std::int64_t>(paths.nodes.size()));
    std::int64_t at = start;
    if (start != end && element_at(next, start, end) < 0) continue;
    paths.nodes.push_back(at);
    for (std::int64_t steps = 0; at != end; ++steps) {
      at = element_at(next, at, end);
      if (at < 0 || at >= nodes || steps >= nodes) {
        throw ComputeError("following '" + name + "' from node " + std::to_string(start) + " to node " +
                           std::to_string(end) + " does not end there: it is no table of next nodes");
      }
      paths.nodes.push_back(at);
    }
  }
  paths.begin.push_back(static_cast<std::int64_t>(paths.nodes.size()));
  return paths;
}

}  // namespace terrace::stages
