// The arrays of plans of tiles: matrices of cells, of which an element holds one or several.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/recursive/tiles.hpp"
#include "pipeline/run/array.hpp"

namespace terrace::stages {

/// A matrix of cells, so many of a row in an element.
struct CellMatrix {
  std::int64_t rows, columns;
  std::int64_t cells = 1;
};

/// The arrays of a table that blocks update.
struct UpdatedArrays {
  int table;
  int output = -1;  // the bytes in which the last update of a tile gives out its bits; -1: the table is the result
};

class TileArrays {
 public:
  /// @param side rows and columns of cells of a tile: a multiple of the cells of every element
  explicit TileArrays(std::int64_t side) : side_(side) {}

  /// Adds an array. @returns its number
  int add(const std::string& name, run::Role role, ElementType type, const CellMatrix& matrix);
  int add_input(const std::string& name, const CellMatrix& matrix, std::shared_ptr<io::Source> source);
  /// Adds a table whose tiles are each updated so many times. A table of bits is scratch, and is given out as the
  /// result in bytes of eight cells or of one. @param scratch its name then
  UpdatedArrays add_updated(const std::string& name, const std::string& scratch, const recursive::TileSpec& spec,
                            std::int64_t rows, std::int64_t columns, std::int64_t updates);
  /// Adds an array each of whose tiles is written once.
  int add_written(const std::string& name, ElementType type, const CellMatrix& matrix);
  /// Adds an array that is updated in place so many times.
  int add_in_place(const std::string& name, run::Role role, ElementType type, const CellMatrix& matrix,
                   std::int64_t updates);

  const std::vector<run::ArraySpec>& specs() const { return specs_; }
  const TileGrid& grid(int array) const { return grids_[static_cast<std::size_t>(array)]; }
  /// The tile in row i and column j of tiles.
  Box tile(int array, std::int64_t i, std::int64_t j) const;

 private:
  std::int64_t side_;
  std::vector<run::ArraySpec> specs_;
  std::vector<TileGrid> grids_;
};

}  // namespace terrace::stages
