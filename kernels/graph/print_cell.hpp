// Cells of formulas as structs in C++, for compilers at run time.
#pragma once

#include <map>
#include <string>

#include "kernels/formula/formula.hpp"

namespace terrace::graph {

/// A struct in namespace terrace::graph:
///   sources, results        the arrays that are read, at least 1, and the values that are made of a cell
///   reaches                 true if neighbours are read
///   operations              of a cell
///   make(read, i, j, made)  makes the values of the cell in row i and column j, of type T: read(n, row, column) is a
///                           value of source n, read.shape() the shape of all sources, read.index(axis, at) the index
///                           of row or column `at`; else i and j may be counted from anywhere
/// @param cells whose reads of number n are of source n @param type "float" or "double"
std::string cell_source(const std::string& name, const formula::Formula& cells, int sources, const std::string& type);

/// The statements of make(). @param instead expressions of some nodes in place of their operations
std::string cell_statements(const formula::Formula& cells, const std::map<int, std::string>& instead = {});

/// True if a formula reads neighbours.
bool reads_neighbours(const formula::Formula& cells);

}  // namespace terrace::graph
