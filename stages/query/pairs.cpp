#include "stages/query/pairs.hpp"

#include <cmath>
#include <type_traits>

#include "pipeline/base/error.hpp"
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

}  // namespace

std::vector<NodePair> read_pairs(io::Source& source, const io::DataLabel& label, std::int64_t nodes,
                                 const Watch& watch) {
  const std::int64_t count = volume(source.shape());
  std::vector<NodePair> pairs(static_cast<std::size_t>(count / 2));
  dispatch(source.type(), [&](auto zero) {
    std::vector<decltype(zero)> values(static_cast<std::size_t>(count));
    read_watched(source, values.data(), label.array, watch);
    for (std::size_t at = 0; at < values.size(); ++at) {
      const auto value = static_cast<double>(values[at]);
      if (!(value >= 0 && value < static_cast<double>(nodes)) || value != std::floor(value)) {
        const auto index = static_cast<std::int64_t>(at);
        label.fail(source, source.shape().rank() == 1 ? Extents{index} : Extents{index / 2, index % 2},
                   "is no node: give whole numbers from 0 to " + std::to_string(nodes - 1));
      }
      pairs[at / 2][at % 2] = static_cast<std::int64_t>(value);
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
