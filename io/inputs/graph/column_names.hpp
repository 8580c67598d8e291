// Names that programs give to the columns of lists of edges.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/inputs/text_fields.hpp"

namespace terrace::io {

/// True if a field can name a column: it begins with a letter, and is neither a number nor a mark of a missing value
/// ("NA", "null"). A number with a unit or a decimal comma names none.
bool is_column_name(std::string_view text);

/// Roles of columns by their names. Case, blanks and signs do not count, nor do Neo4j's types and spaces of ids:
/// "Weight", "weight:float" and ":START_ID(Person)" are known.
bool names_weight(std::string_view text);  // weight
bool names_index(std::string_view text);   // id, index, ...: the number of an edge
bool names_other(std::string_view text);   // type, label, ...: neither a node nor a weight

/// The certainty with which two names are those of columns of nodes.
enum class Certainty {
  weak,   // nodes may be called so: "u" and "v"
  usual,  // "source" and "target"
  sure    // no node is called so: Neo4j's ":START_ID" and ":END_ID"
};

/// The columns of the nodes that edges leave and reach.
struct NodeColumns {
  std::size_t from, to;
  Certainty certainty;
  bool by_order = false;  // true for "head" and "tail": in some files edges leave the head, in others they reach it
};

/// The columns of nodes among names of columns: source and target, from and to, :START_ID and :END_ID, head and tail,
/// and other usual pairs. @return none if there is no such pair, several if more than one column would do
std::vector<NodeColumns> node_columns(const std::vector<std::string>& names);

}  // namespace terrace::io
