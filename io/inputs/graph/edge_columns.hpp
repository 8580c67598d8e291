// The use of the first line and of the columns of a list of edges.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "io/inputs/graph.hpp"

namespace terrace::io {

/// The kinds of a first line.
enum class FirstLine {
  edge,
  names,  // a header that names the columns
  sizes,  // a header of the numbers of nodes and edges
  either  // two numbers: taken for an edge, and perhaps sizes
};

/// The columns of a list of edges by their indices, from 0.
struct EdgeColumns {
  FirstLine first_line = FirstLine::edge;
  std::size_t from = 0, to = 1;
  std::optional<std::size_t> weight = std::nullopt;  // nullopt: every edge weighs 1
  std::string note = {};                             // for the user; empty: none
  bool changed = false;  // true if earlier versions took other columns, or another first line, by default
};

/// Decides by the job and by the first two lines of a list.
/// @param by_name true if nodes are texts, else numbers
/// @throws JobError if a column that the job names is not there; IoError with file and line if a header does
/// not say which columns have nodes and weights
EdgeColumns edge_columns(const InputFile& file, const EdgeRules& rules, bool by_name);

}  // namespace terrace::io
