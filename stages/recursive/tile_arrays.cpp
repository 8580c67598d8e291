#include "stages/recursive/tile_arrays.hpp"

#include <algorithm>

#include "pipeline/base/rounding.hpp"
#include "stages/recursive/packed_words.hpp"

namespace terrace::stages {

using recursive::Table;
using run::Role;

int TileArrays::add(const std::string& name, Role role, ElementType type, const CellMatrix& matrix) {
  run::ArraySpec spec;
  spec.name = name;
  spec.role = role;
  spec.type = type;
  spec.shape = {matrix.rows, ceiling(matrix.columns, matrix.cells)};
  spec.tile = {std::clamp<std::int64_t>(matrix.rows, 1, side_),
               std::clamp<std::int64_t>(spec.shape[1], 1, side_ / matrix.cells)};
  grids_.emplace_back(spec.shape, spec.tile);
  specs_.push_back(std::move(spec));
  return static_cast<int>(specs_.size()) - 1;
}

int TileArrays::add_input(const std::string& name, const CellMatrix& matrix, std::shared_ptr<io::Source> source) {
  const int array = add(name, Role::input, source->type(), matrix);
  specs_.back().source = std::move(source);
  return array;
}

int TileArrays::add_in_place(const std::string& name, Role role, ElementType type, const CellMatrix& matrix,
                             std::int64_t updates) {
  const int array = add(name, role, type, matrix);
  specs_.back().generations = std::max<std::int64_t>(1, updates);
  specs_.back().kept = 1;
  return array;
}

int TileArrays::add_written(const std::string& name, ElementType type, const CellMatrix& matrix) {
  return add_in_place(name, Role::result, type, matrix, 1);
}

UpdatedArrays TileArrays::add_updated(const std::string& name, const std::string& scratch,
                                      const recursive::TileSpec& spec, std::int64_t rows, std::int64_t columns,
                                      std::int64_t updates) {
  if (!recursive::has_bits(spec.table)) {
    return {add_in_place(name, Role::result, spec.value, {rows, columns}, updates)};
  }
  const int table = add_in_place(scratch, Role::scratch, spec.value, {rows, columns, cells_of_word}, updates);
  const std::int64_t cells = spec.table == Table::packed_bits ? 8 : 1;
  return {table, add_written(name, ElementType::u8, {rows, columns, cells})};
}

Box TileArrays::tile(int array, std::int64_t i, std::int64_t j) const {
  return grid(array).box(i * grid(array).counts()[1] + j);
}

}  // namespace terrace::stages
