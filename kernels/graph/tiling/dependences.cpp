#include "kernels/graph/tiling/dependences.hpp"

#include <map>
#include <utility>

namespace terrace::graph {
namespace {

/// A touch of an earlier launch, on which later ones may depend.
struct Earlier {
  int step;
  const RowTouch* touch;
  Bytes bytes;
};

}  // namespace

TileGraph::TileGraph(std::vector<TileStep> steps)
    : steps_(std::move(steps)), touches_(steps_.size()), pieces_(steps_.size()), dependences_(steps_.size()) {
  std::map<i64, int> numbers;
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    for (const Touch& touch : steps_[n].touches) {
      touches_[n].emplace_back(touch, steps_[n].rows);
      pieces_[n].push_back(numbers.emplace(touch.memory, static_cast<int>(numbers.size())).first->second);
    }
  }
  piece_count_ = static_cast<int>(numbers.size());
  find_dependences();
}

void TileGraph::find_dependences() {
  std::vector<Earlier> earlier;
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    for (const RowTouch& touch : touches_[n]) {
      const Bytes bytes = touch.all();
      if (bytes.size() <= 0) continue;
      for (const Earlier& other : earlier) {
        if (!(touch.writes() || other.touch->writes()) || !bytes.meets(other.bytes)) continue;
        dependences_[n].push_back({other.step, other.touch, &touch, !touch.writes()});
      }
    }
    for (const RowTouch& touch : touches_[n]) {
      const Bytes bytes = touch.all();
      if (bytes.size() <= 0) continue;
      // Who depends on memory that is written anew depends on this launch, which depends on the earlier ones.
      if (touch.writes() && touch.is_dense()) {
        std::erase_if(earlier, [&](const Earlier& other) { return bytes.holds(other.bytes); });
      }
      earlier.push_back({static_cast<int>(n), &touch, bytes});
    }
  }
}

}  // namespace terrace::graph
