// The arrays of a stage: type, shape, tiles, source and storage.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "io/source.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::run {

enum class Role {
  input,    // read only, from a source
  result,   // a dataset of the result (or of a temporary file): generation `generations` of every tile goes there
  scratch,  // lives as long as its stage
};

/// One array of a stage. A tile is stored and moved as one row-major, tightly packed piece; a tile's *generation*
/// counts how often the tile was made anew.
struct ArraySpec {
  std::string name;  // unique in its stage
  Role role = Role::scratch;
  ElementType type = ElementType::u8;
  Extents shape;
  Extents tile;  // shape of a full tile; tiles at the far faces may be smaller
  /// The source of generation 0, which exists from the start: set for inputs, and for a result that begins as the
  /// content of an input and is updated in place. Null: blocks write the first generation.
  std::shared_ptr<io::Source> source = {};
  std::int64_t generations = 1;  // results: the generation that is the result
  /// Generations of a tile that may live at a time: after the first write of g + kept no block reads g. 1 for
  /// arrays that are only updated in place; for the carry of a chain, the blocks in flight and two.
  std::int64_t kept = 2;
  /// Number of reads of each generation of a tile, after which it is dead. 0: not known.
  std::int64_t reads = 0;
  /// Slots on disk in addition to the live generations, for the checkpoint in the making; at least as many as the
  /// largest block writes tiles. 0: at least 8 and a quarter of the tiles, all of them if `kept` is 1.
  std::int64_t spare = 0;
  /// The most tiles of which a generation that is not the result may be on disk at a time. 0: all of them.
  std::int64_t live = 0;
  /// Slots on disk in all, if the plan knows how many suffice: for the tiles that are live, those that only the last
  /// checkpoint names, and those in the making. 0: as follows from `live`, `kept` and `spare`.
  std::int64_t slots = 0;
  /// Scratch: the file that the array shares with all others of this name, which has `slots` slots of `slot_bytes`,
  /// as each of them states; a tile takes as many as it needs. So arrays that are never alive at once take the same
  /// space. "": a file of its own, in which a tile has a slot.
  std::string slot_file = {};
  std::int64_t slot_bytes = 0;  // of a shared file, whole pages
  /// Results whose length is known only at the end of their stage: `shape` has the most along the first axis, Plan::
  /// entries() the length. They lie in a scratch file that grows, and come to the result at the end of the run.
  bool found = false;
};

}  // namespace terrace::run
