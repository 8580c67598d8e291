// Accesses: the boxes of arrays that a block reads, writes or updates, and how its kernel receives them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "pipeline/base/box.hpp"

namespace terrace::run {

enum class Mode : std::uint8_t {
  read,    // reads the box of that generation
  write,   // makes the box of that generation; several blocks may each write a part of a tile, the parts disjoint
  update,  // turns whole tiles of generation g into a later one in place; `generation` is g
};

/// The name under which a kernel's descriptor receives an access: an enumerator of the stage's own type, and an index
/// if the descriptor has several of that name (a field of a grid, a source of a tile). Slots are not recorded.
struct Slot {
  int number = 0;
  int index = 0;

  constexpr Slot() = default;
  template <class E>
  requires std::is_enum_v<E>
  constexpr Slot(E name) : number(static_cast<int>(name)) {}
  template <class E, std::integral I>
  requires std::is_enum_v<E>
  constexpr Slot(E name, I index) : number(static_cast<int>(name)), index(static_cast<int>(index)) {}
  friend bool operator==(Slot, Slot) = default;
};

/// The layout in which a block receives the box of an access.
enum class View : std::uint8_t {
  tiles,       // in place: a pointer and strides for each tile that the box touches
  contiguous,  // reads only: assembled in one row-major buffer of the device, for tiles of any shape
};

/// One access of a block: a box of one generation of an array of the stage.
struct Access {
  Slot slot;
  int array = 0;
  std::int64_t generation = 0;
  Box box;
  Mode mode = Mode::read;
  View view = View::tiles;
  std::int64_t made = 0;  // update: the generation that it makes; 0: the next one
};

/// A generation of the tiles in a box, of an array of the stage.
struct TileGeneration {
  int array = 0;
  std::int64_t generation = 0;
  Box box;
};

/// The unit of work of a plan, computed by one device.
struct Block {
  std::vector<Access> accesses;
  double operations = 0;  // in the unit that the stage's rate counts: cells, relaxations, ...
  /// What this block is the last to use: it is dead when this block and all before it that use it are done.
  std::vector<TileGeneration> last_uses = {};
};

/// A part of a tile as a block sees it, in memory of the device that computes the block.
struct TileView {
  Box box;                    // the part
  std::byte* data = nullptr;  // its first element
  Extents strides;            // in elements, of the tile
};

/// One access as the block sees it: the tiles that its box touches, in the order of tiles; one part if the view is
/// contiguous.
struct AccessView {
  Slot slot;
  std::vector<TileView> tiles;
};

/// A block as its worker binds it.
struct BlockView {
  std::int64_t index = 0;
  std::vector<AccessView> accesses;  // as listed by the plan, without empty boxes

  /// The access with that slot; null if the block lists none.
  const AccessView* find(Slot slot) const {
    for (const AccessView& access : accesses) {
      if (access.slot == slot) return &access;
    }
    return nullptr;
  }
};

}  // namespace terrace::run
