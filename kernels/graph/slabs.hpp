// Slabs: the rows of the kept nodes that a block makes, and all rows of the graph that these depend on.
#pragma once

#include <vector>

#include "kernels/graph/graph.hpp"
#include "kernels/graph/rows.hpp"

namespace terrace::graph {

/// The rows of the tallest target of a graph.
i64 most_kept_rows(const Graph& graph);

/// Number of slabs of a spec.
i64 slabs_of(const GraphSpec& spec);

/// The rows of target number `target` in a slab: of the tallest one slab_rows, of others the same share of all.
Range rows_of_slab(const GraphSpec& spec, i64 slab, std::size_t target);

/// The most rows of a target in a slab.
i64 most_rows_of_slab(const GraphSpec& spec, std::size_t target);

/// The rows of each value that a slab needs: targets, and those that operators reach from them.
std::vector<Rows> rows_needed(const GraphSpec& spec, i64 slab);

/// Adds the rows of all values that the needed rows of nodes are made from, of a graph whose slabs hand nothing on.
void add_reached(const Graph& graph, std::vector<Rows>& needed);

/// The last node that reads each value; the value itself if none does.
std::vector<int> last_readers(const Graph& graph);

/// Cells that a slab reads and makes, in every step of an iteration, about.
double work_needed(const GraphSpec& spec, const std::vector<Rows>& needed);

/// The same of all slabs, from a few of them.
double work_of(const GraphSpec& spec);

/// Bytes of all values that are there at a time when the nodes of a slab are made one after another.
i64 bytes_needed(const GraphSpec& spec, const std::vector<Rows>& needed);

/// The same of the largest of a few slabs: those at either end, and one in the middle.
i64 most_bytes_needed(const GraphSpec& spec);

}  // namespace terrace::graph
