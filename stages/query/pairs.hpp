// Distances and paths of pairs of nodes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "io/data_error.hpp"
#include "pipeline/base/watch.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The nodes of a table of distances.
class TableNodes {
 public:
  /// @param table square, or with Source::sources()
  explicit TableNodes(const io::Source& table);

  /// The names of the columns; their numbers if the table has none.
  const io::NodeNames& names() const { return *names_; }
  /// The column of the node of a row.
  std::int64_t node_of(std::int64_t row) const { return sources_ ? (*sources_)[static_cast<std::size_t>(row)] : row; }
  /// The row, or the column, of the node with that name or id. @throws Error that goes on from the text
  std::int64_t row_of(const std::string& text) const;
  std::int64_t column_of(const std::string& text) const { return names_->row_of(text); }
  /// Source::sources() of the table.
  const std::shared_ptr<const std::vector<std::int64_t>>& sources() const { return sources_; }

 private:
  std::shared_ptr<const io::NodeNames> names_;
  std::shared_ptr<const std::vector<std::int64_t>> sources_;
  std::unordered_map<std::int64_t, std::int64_t> rows_;  // of sources, by their columns
};

/// A row and a column of a table.
using NodePair = std::array<std::int64_t, 2>;

/// The pairs that a step asks about. @throws JobError naming the node that the table does not have
std::vector<NodePair> pairs_of(const Request& request, const TableNodes& nodes);

/// The elements of a table at the pairs, as they lie in memory.
std::vector<std::byte> elements_at(io::Source& table, const std::vector<NodePair>& pairs);

/// Paths one after another.
struct FollowedPaths {
  std::vector<std::int64_t> nodes;  // columns
  std::vector<std::int64_t> begin;  // of each path in `nodes`, and the end
};

/// The table by which paths are followed.
struct PathTable {
  std::string key;  // "next": the node after the first; "previous": the node before the last
  std::string name;
  std::shared_ptr<io::Source> table;  // null: there is none
};

/// Follows the path of each pair, element by element. @throws ComputeError if the table leads nowhere
FollowedPaths follow(const PathTable& by, const TableNodes& nodes, const std::vector<NodePair>& pairs);

}  // namespace terrace::stages
