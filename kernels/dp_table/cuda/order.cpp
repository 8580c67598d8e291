// The order of a table's dimensions: the last ones are those of a slab.
#include <algorithm>
#include <numeric>

#include "kernels/dp_table/cuda/plan.hpp"
#include "kernels/dp_table/kernels.hpp"
#include "kernels/dp_table/measured.hpp"

namespace terrace::dp_table {
namespace {

using Sizes = measured::CudaTiles;
using Dimensions = std::vector<std::size_t>;  // of a tile, by their numbers

/// Dimensions at the end of an order of which all choices are tried, and steps that are looked at to do so.
constexpr std::size_t most_tried = 4;
constexpr i64 most_work = 1 << 14;

/// Looks for the order with the least time of a tile. The time depends on which dimensions a slab has, and hardly on
/// their order.
class OrderSearch {
 public:
  explicit OrderSearch(const FullTile& tile)
      : tile_(tile), best_(tile.extents.size()), most_cells_(Sizes::slab_bytes / tile.cell_bytes) {
    std::iota(best_.begin(), best_.end(), std::size_t{0});
    least_ = time_of(best_);
    try_slab({});
    add_dimensions({}, 1, 1);
  }

  const Dimensions& best() const { return best_; }

 private:
  double time_of(const Dimensions& order) {
    std::vector<i64> extents;
    for (const std::size_t d : order) extents.push_back(tile_.extents[d]);
    std::vector<StepComponents> steps;
    for (const StepComponents& step : tile_.components) {
      StepComponents& ordered = steps.emplace_back(StepComponents{{}, step.leaves_tile, 0});
      for (std::size_t d = 0; d < order.size(); ++d) {
        ordered.components.push_back(step.components[order[d]]);
        ordered.longer |= (step.longer >> order[d] & 1) << d;
      }
    }
    work_ -= 1 + std::ssize(steps);
    return choose_cut(extents, steps, tile_.in_ranges, tile_.cell_bytes).nanoseconds;
  }

  /// Tries the order that ends with these dimensions, the others before them from the last to the first.
  void try_slab(const Dimensions& slab) {
    Dimensions order{0};
    for (std::size_t d = tile_.extents.size(); --d > 0;) {
      if (std::find(slab.begin(), slab.end(), d) == slab.end()) order.push_back(d);
    }
    order.insert(order.end(), slab.begin(), slab.end());
    const double time = time_of(order);
    if (time >= least_) return;
    least_ = time;
    best_ = order;
  }

  /// Tries all choices of further dimensions, from number `next` on, that a slab holds. @param cells of `slab`
  void add_dimensions(const Dimensions& slab, std::size_t next, i64 cells) {
    if (slab.size() == most_tried) return;
    for (std::size_t d = next; d < tile_.extents.size() && work_ > 0; ++d) {
      if (cells * tile_.extents[d] > most_cells_) continue;
      Dimensions more = slab;
      more.push_back(d);
      try_slab(more);
      add_dimensions(more, d + 1, cells * tile_.extents[d]);
    }
  }

  const FullTile& tile_;
  Dimensions best_;
  i64 most_cells_;        // of a slab
  i64 work_ = most_work;  // steps that may still be looked at
  double least_ = 0;
};

}  // namespace

std::vector<int> fast_cuda_order(const Table& table) {
  std::vector<int> order(static_cast<std::size_t>(table.extents.rank()));
  std::iota(order.begin(), order.end(), 0);
  if (table.order == Order::unordered || table.schedule != Schedule::automatic) return order;
  const FullTile tile(table, StepTable(table));
  const OrderSearch search(tile);
  for (std::size_t d = 0; d < search.best().size(); ++d) {
    order[static_cast<std::size_t>(table.cut.whole) + d] = table.cut.whole + static_cast<int>(search.best()[d]);
  }
  return order;
}

}  // namespace terrace::dp_table
