#include "kernels/pairs/packed_list.hpp"

#include <cstring>

#include "kernels/device/memory.hpp"

namespace terrace::pairs {
namespace {

using device::aligned_bytes;

PackedSide side_of(bool packed, const i64* begin, i64 items, std::size_t element) {
  if (!packed) return {};
  return {true, items, static_cast<std::size_t>(begin[items] - begin[0]) * element};
}

/// Begins count from the first element that is packed.
void pack_side(const PackedSide& side, const void* elements, const i64* begin, std::size_t element, i64* begin_to,
               std::byte* elements_to) {
  if (!side.packed) return;
  for (i64 item = 0; item <= side.items; ++item) begin_to[item] = begin[item] - begin[0];
  if (side.bytes == 0) return;
  std::memcpy(elements_to, static_cast<const std::byte*>(elements) + static_cast<std::size_t>(begin[0]) * element,
              side.bytes);
}

}  // namespace

PackedPlaces packed_places(i64 pairs, const PackedSide& rows, const PackedSide& columns) {
  const auto begins = [](const PackedSide& side) {
    return side.packed ? aligned_bytes(static_cast<std::size_t>(side.items + 1) * sizeof(i64)) : 0;
  };
  PackedPlaces at{};
  at.row_begin = at.pairs + aligned_bytes(static_cast<std::size_t>(pairs) * sizeof(Pair));
  at.column_begin = at.row_begin + begins(rows);
  at.rows = at.column_begin + begins(columns);
  at.columns = at.rows + aligned_bytes(rows.bytes);
  at.bytes = at.columns + aligned_bytes(columns.bytes);
  return at;
}

void pack_list(const PairsTask& gathered, const PackedListTask& task, std::size_t element) {
  const PackedSide rows = side_of(task.rows, gathered.row_begin, gathered.row_items, element),
                   columns = side_of(task.columns, gathered.column_begin, gathered.column_items, element);
  const PackedPlaces at = packed_places(gathered.count, rows, columns);
  const auto begins = [&](std::size_t place) { return reinterpret_cast<i64*>(task.to + place); };
  std::memcpy(task.to + at.pairs, gathered.pairs, static_cast<std::size_t>(gathered.count) * sizeof(Pair));
  pack_side(rows, gathered.rows, gathered.row_begin, element, begins(at.row_begin), task.to + at.rows);
  pack_side(columns, gathered.columns, gathered.column_begin, element, begins(at.column_begin), task.to + at.columns);
}

}  // namespace terrace::pairs
