// Tiles of results on their way home: which of them are written together.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "pipeline/run/executor/store.hpp"
#include "pipeline/run/executor/version.hpp"

namespace terrace::run {

/// Tiles with short rows that wait to be written home, wherever they are. Those that lie side by side are written
/// together, because disks take long rows faster: a tile waits for its neighbours while the disk has others to write,
/// and no longer.
class HomeQueue {
 public:
  using Done = std::function<void(const StoredVersion&)>;
  struct Waiting {
    Version* version = nullptr;
    std::vector<Done> done = {};
  };

  explicit HomeQueue(const Store& store) : store_(store) {}

  /// Whether a tile's rows are so short that it should be written with its neighbours.
  bool is_for(const Version& version) const;
  /// @param done is to be called when the version has been written; it may be added again with another
  void add(Version& version, Done done);
  bool empty() const { return waiting_.empty(); }
  /// What to write next: tiles side by side, in order, the longest row of those that wait; of rows as long the first
  /// in the array. Empty where none waits.
  std::vector<Waiting> take();
  void clear() { waiting_.clear(); }

 private:
  using Place = std::pair<int, std::int64_t>;  // array, tile

  std::size_t most_tiles(int array) const;

  const Store& store_;
  std::map<Place, Waiting> waiting_;
};

}  // namespace terrace::run
