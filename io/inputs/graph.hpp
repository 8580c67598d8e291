// Graphs in text files, as lists of edges.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/input_file.hpp"
#include "io/kept_memory.hpp"
#include "io/source.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {

/// The settings of a job for the edges of a file.
struct EdgeRules {
  std::string from = {}, to = {};             // columns of a list's nodes, by name or index; empty: by its header
  std::string weight;                         // the key, or the column, of an edge's weight; empty: the format's own
  bool unweighted = false;                    // every edge weighs 1
  std::optional<bool> header = std::nullopt;  // lists of edges: true if the first line is one; nullopt: by its fields
  std::function<void(const std::string&)> warn = nullptr;   // takes what is right but hardly meant; null: nobody does
  CheckKept check_kept = nullptr;                           // called before a file is read whole; null: nothing is
  Place from_place = {}, to_place = {}, weight_place = {};  // the places in the job that give these three
};

/// An edge as a file gives it; nodes by the file's own numbers.
struct Edge {
  std::int64_t from, to;
  double weight;
};

/// The edges of a file, in its order.
struct EdgeList {
  std::vector<Edge> edges;
  /// The nodes' own numbers, in the order of the rows of the matrix. Nothing: they are [first, first + nodes).
  std::optional<std::vector<std::int64_t>> names;
  std::int64_t first = 0;             // number of the first node
  std::optional<std::int64_t> nodes;  // nothing: as many as the edges name
  /// Ids that are texts, of the nodes numbered from 0.
  std::optional<std::vector<std::string>> texts;
  /// Labels, in the order of `names`, else of the numbers from `first` on.
  std::optional<std::vector<std::string>> labels;
  bool declares_nodes = true;  // else nodes are known by their edges alone
  bool directed = true;
  bool whole = true;  // every weight is a whole number of magnitude at most 2^53
  int results = 1;    // Source::results() of what is made of it

  /// Adds an edge; the weight is text as it stands in the file, empty for 1.
  /// @return nothing, or what is wrong with the weight
  std::optional<std::string> add(std::int64_t from, std::int64_t to, std::string_view weight);
};

/// True if a source is a graph's matrix of weights, with infinity (in whole numbers half the largest i64) in places
/// without an edge.
bool is_graph(const Source& source);

/// The edges of such a matrix, by row, then by column, each once with the least weight; nodes are rows. Empty if the
/// source is_graph() not.
std::span<const Edge> edges_of(const Source& source);

/// Readers of formats. @throws IoError with file, line and column
EdgeList read_dimacs(const InputFile& file, const EdgeRules& rules);         // shortest paths: "p sp", "a u v w"
EdgeList read_edge_lines(const InputFile& file, const EdgeRules& rules);     // SNAP and plain lists: "u v" or "u v w"
EdgeList read_matrix_market(const InputFile& file, const EdgeRules& rules);  // coordinates of a square matrix
EdgeList read_gml(const InputFile& file, const EdgeRules& rules);
EdgeList read_graphml(const InputFile& file, const EdgeRules& rules);

}  // namespace terrace::io
