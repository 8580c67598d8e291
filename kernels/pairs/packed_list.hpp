// A list of pairs in one piece of memory, with the items that it needs, for devices that do not share the host's.
#pragma once

#include <cstddef>

#include "kernels/pairs/kept.hpp"

namespace terrace::pairs {

/// A side of such a list. Where it is not packed the device has all items of the set.
struct PackedSide {
  bool packed = false;
  i64 items = 0;          // that are packed
  std::size_t bytes = 0;  // of their elements
};

/// Places in such a piece, in bytes: Pair a pair; of packed sides where each item begins, and elements.
struct PackedPlaces {
  std::size_t pairs, row_begin, column_begin, rows, columns, bytes;
};
PackedPlaces packed_places(i64 pairs, const PackedSide& rows, const PackedSide& columns);

/// Packs a list whose items were gathered. @param element bytes of an element
void pack_list(const PairsTask& gathered, const PackedListTask& task, std::size_t element);

}  // namespace terrace::pairs
