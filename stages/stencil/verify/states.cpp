// Verifies stored states of a stencil: cells are made again from the state that is stored before.
#include <algorithm>
#include <optional>

#include "kernels/stencil/operators.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/stencil/verify/stored.hpp"

namespace terrace::stages {
namespace {

using stencil::CellBox;
using stencil::StencilSpec;

/// The least cells of a tile along each axis, by the axes of the grid.
constexpr std::int64_t least_sides[] = {65536, 256, 32};

/// The tiles of a grid in which a state is checked.
class StateTiles {
 public:
  StateTiles(const StoredStencil& stored, std::int64_t steps) : stored_(stored), steps_(steps) {
    const StencilSpec& spec = stored.spec();
    const std::int64_t longest = std::max({spec.extents[0], spec.extents[1], spec.extents[2]});
    const std::int64_t reach = steps > longest / spec.radius ? longest : steps * spec.radius;
    const std::int64_t side = std::max(least_sides[spec.rank - 1], reach);
    const std::int64_t half = std::max(least_sides[spec.rank - 1], reach / 2);
    if (take(longest, VerifyLimits::whole_operations)) return;
    // Narrower tiles would need far more cells around them than they have themselves.
    if (take(side, VerifyLimits::operations) || take(half, VerifyLimits::operations)) return;
    take(longest, VerifyLimits::operations);
  }

  /// True if a tile takes no more work than the limits.
  bool possible() const { return grid_.has_value(); }
  std::int64_t count() const { return grid_->count(); }
  CellBox box(std::int64_t tile) const { return box_of(grid_->box(tile)); }

 private:
  static CellBox box_of(const Box& box) {
    CellBox cells;
    for (int axis = 0; axis < stencil::most_rank; ++axis) {
      cells.begin[static_cast<std::size_t>(axis)] = box.begin[axis];
      cells.end[static_cast<std::size_t>(axis)] = box.end[axis];
    }
    return cells;
  }

  /// Takes tiles of that side, if the work of one in the middle of the grid is within the limit.
  bool take(std::int64_t side, double most) {
    const StencilSpec& spec = stored_.spec();
    Extents shape, tile;
    CellBox middle;
    for (std::size_t axis = 0; axis < stencil::most_rank; ++axis) {
      shape.push_back(spec.extents[axis]);
      tile.push_back(std::max<std::int64_t>(1, std::min(side, spec.extents[axis])));
      middle.begin[axis] = (spec.extents[axis] - std::min(side, spec.extents[axis])) / 2;
      middle.end[axis] = middle.begin[axis] + std::min(side, spec.extents[axis]);
    }
    if (!stored_.holds(stencil::cells_before(spec, middle, steps_).count())) return false;
    if (stored_.operations(stencil::updates_of(spec, middle, steps_, most)) > most) return false;
    grid_.emplace(shape, tile);
    return true;
  }

  const StoredStencil& stored_;
  std::int64_t steps_;
  std::optional<TileGrid> grid_;
};

/// A state with the one that it is made from.
struct Link {
  const StoredState* from;
  const StoredState* to;
  StateTiles tiles;
  std::int64_t first;  // number of its first tile
};

template <class T>
class StatesCheck {
 public:
  /// @param begin, end of states in stored.states, each with one before it
  StatesCheck(const StoredStencil& stored, std::size_t begin, std::size_t end) : stored_(stored) {
    for (std::size_t i = begin; i < end; ++i) {
      const StoredState &from = stored.states[i - 1], &to = stored.states[i];
      const StateTiles tiles(stored, to.step - from.step);
      if (!tiles.possible()) {
        left_out_.push_back(&to);
        continue;
      }
      links_.push_back({&from, &to, tiles, tiles_});
      tiles_ += tiles.count();
    }
  }

  /// @param datasets that hold the states: "u, previous"
  void add(const std::string& datasets, const std::string& from, std::vector<Checked>& found) {
    if (!links_.empty()) {
      Checked checked = check_parts(stored_.request, datasets, {datasets, tiles_, "tiles"},
                                    [&](std::int64_t tile) { return check(tile); });
      checked.what += from;
      found.push_back(std::move(checked));
    }
    if (left_out_.empty()) return;
    std::string steps;
    for (const StoredState* state : left_out_) steps += (steps.empty() ? "" : ", ") + std::to_string(state->step);
    found.push_back({datasets,
                     std::string("state") + (left_out_.size() > 1 ? "s" : "") + " after step " + steps +
                         ": too many steps from the state stored before; --all computes it again",
                     "", false});
  }

 private:
  std::string check(std::int64_t tile) {
    const auto after = std::upper_bound(links_.begin(), links_.end(), tile,
                                        [](std::int64_t t, const Link& l) { return t < l.first; });
    const Link& link = *(after - 1);
    const StencilSpec& spec = stored_.spec();
    const CellBox cells = link.tiles.box(tile - link.first);
    const std::int64_t steps = link.to->step - link.from->step;
    stencil::Window<T> window = read_window<T>(stored_, *link.from, stencil::cells_before(spec, cells, steps));
    stored_.advance(window, cells, link.from->step, steps);
    for (std::size_t f = 0; f < stored_.fields(); ++f) {
      const std::vector<T> values = read_cells<T>(spec, *link.to->fields[f], cells, link.to->snapshot);
      if (std::string difference = compare(window, f, cells, values); !difference.empty()) {
        return place_of(*link.to, f) + difference;
      }
    }
    return "";
  }

  std::string compare(const stencil::Window<T>& window, std::size_t field, const CellBox& cells,
                      const std::vector<T>& values) const {
    auto value = values.begin();
    for (std::int64_t i = cells.begin[0]; i < cells.end[0]; ++i) {
      for (std::int64_t j = cells.begin[1]; j < cells.end[1]; ++j) {
        for (std::int64_t k = cells.begin[2]; k < cells.end[2]; ++k, ++value) {
          const T made = window.values.fields[field][window.place(i, j, k)];
          if (*value == made || (*value != *value && made != made)) continue;
          const int rank = stored_.spec().rank;
          const Extents point = rank == 1 ? Extents{i} : rank == 2 ? Extents{i, k} : Extents{i, j, k};
          return difference_at(point, text_of(*value), text_of(made));
        }
      }
    }
    return "";
  }

  std::string place_of(const StoredState& state, std::size_t field) const {
    std::string place;
    if (stored_.fields() > 1) place = stored_.definition.inputs.names[field] + ", ";
    if (state.snapshot >= 0) place += "snapshot " + std::to_string(state.snapshot) + ", ";
    return place;
  }

  const StoredStencil& stored_;
  std::vector<Link> links_;
  std::vector<const StoredState*> left_out_;
  std::int64_t tiles_ = 0;
};

std::string list(const std::vector<std::string>& names, const std::string& suffix) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name + suffix;
  return all;
}

template <class T>
std::vector<Checked> check_states(const StoredStencil& stored) {
  const std::vector<std::string>& names = stored.definition.inputs.names;
  const std::size_t end = stored.states.size() - 1;
  std::vector<Checked> found;
  if (end > 1) {
    const std::string snapshots = names.size() == 1 ? "snapshots" : list(names, "_snapshots");
    StatesCheck<T>(stored, 1, end).add(snapshots, ", each from the input or the snapshot before it", found);
  }
  const std::string from =
      end > 1 ? ", from the snapshot after step " + std::to_string(stored.states[end - 1].step) : ", from the input";
  StatesCheck<T>(stored, end, end + 1).add(list(names, ""), from, found);
  return found;
}

}  // namespace

std::vector<Checked> verify_states(const StoredStencil& stored) {
  return stored.spec().value == ElementType::f32 ? check_states<float>(stored) : check_states<double>(stored);
}

}  // namespace terrace::stages
