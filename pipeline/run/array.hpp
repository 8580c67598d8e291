// The arrays of a stage: what they hold, how they are cut into tiles, where they live.
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
/// counts how often it has been made anew.
struct ArraySpec {
  std::string name;  // unique in its stage
  Role role = Role::scratch;
  ElementType type = ElementType::u8;
  Extents shape;
  Extents tile;  // shape of a full tile; those at the far faces may be smaller
  /// The source of generation 0, which is there from the start: of every input, and of a result that is updated in
  /// place from the content of an input. Null: blocks write the first generation.
  std::shared_ptr<io::Source> source = {};
  std::int64_t generations = 1;  // results: the generation that is the result
  /// How many generations of a tile may live at a time: the first write of g + kept says that nobody reads g any
  /// more. 1 for arrays that are only updated in place; for the carry of a chain, the blocks in flight and two.
  std::int64_t kept = 2;
  /// How often each generation of a tile is read, where that is known: after that it is dead. 0: not known.
  std::int64_t reads = 0;
  /// Slots on disk beyond the live generations, for cuts beside the last one; at least as many as the largest block
  /// writes tiles. 0: at least 8 and a quarter of the tiles, all of them where `kept` is 1.
  std::int64_t spare = 0;
  /// The most tiles of which a generation that is not the result may be on disk at a time. 0: all of them.
  std::int64_t live = 0;
};

}  // namespace terrace::run
