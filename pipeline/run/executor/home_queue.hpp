// The queue of result tiles to write home, which groups neighbours into long writes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "pipeline/run/executor/store.hpp"
#include "pipeline/run/executor/version.hpp"

namespace terrace::run {

/// Tiles with short rows that wait to be written home, at any location. Tiles side by side are written together,
/// because disks write long rows faster: a tile waits for its neighbours only while the disk has other tiles to
/// write.
class HomeQueue {
 public:
  using Done = std::function<void(const StoredVersion&)>;
  struct Waiting {
    Version* version = nullptr;
    std::vector<Done> done = {};
  };

  explicit HomeQueue(const Store& store) : store_(store) {}

  /// True if a tile's rows are so short that it should be written with its neighbours.
  bool is_for(const Version& version) const;
  /// @param done called when the version has been written; a version may be added again with another call
  void add(Version& version, Done done);
  bool empty() const { return waiting_.empty(); }
  /// Removes and returns the tiles to write next: the longest row of waiting tiles side by side, in order; among
  /// equal rows the first in the array. Empty if none waits.
  std::vector<Waiting> take();
  void clear() { waiting_.clear(); }

 private:
  using Place = std::pair<int, std::int64_t>;  // array, tile

  std::size_t most_tiles(int array) const;

  const Store& store_;
  std::map<Place, Waiting> waiting_;
};

}  // namespace terrace::run
