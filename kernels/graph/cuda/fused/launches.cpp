#include "kernels/graph/cuda/fused/launches.hpp"

#include <algorithm>
#include <cstdint>

#include "kernels/graph/operators.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {
namespace {

Range common(const Range& a, const Range& b) {
  const Range made{std::max(a.begin, b.begin), std::min(a.end, b.end)};
  return made.size() > 0 ? made : Range{};
}

/// The piece with all of the rows; null if none has.
const Piece* find_piece(const Pieces& pieces, const Range& rows) {
  const auto found = std::ranges::find_if(
      pieces, [&](const Piece& piece) { return piece.rows.begin <= rows.begin && rows.end <= piece.rows.end; });
  return found == pieces.end() ? nullptr : &*found;
}

/// True if `columns` values from a multiple of `columns` on may be moved as one.
bool is_aligned(const RowsInMemory& memory, i64 columns, std::size_t size) {
  return reinterpret_cast<std::uintptr_t>(memory.data) % (static_cast<std::size_t>(columns) * size) == 0 &&
         memory.stride % columns == 0;
}

/// The rows of the inner cells of a range, whose number of cells beyond is `rim` at either end.
Range inner(i64 extent, i64 rim) { return extent > 2 * rim ? Range{rim, extent - rim} : Range{}; }

}  // namespace

std::vector<ClusterLaunch> ClusterLaunches::of(const SlabWork& slab) const {
  std::vector<std::vector<Range>> ranges(cluster_.made.size());
  std::size_t rounds = 0;
  for (const Step& step : slab.steps) {
    const auto found = std::ranges::find(cluster_.made, step.value);
    if (step.stores || found == cluster_.made.end()) continue;
    std::vector<Range>& own = ranges[static_cast<std::size_t>(found - cluster_.made.begin())];
    own.push_back(step.work.rows);
    rounds = std::max(rounds, own.size());
  }
  std::vector<ClusterLaunch> launches;
  for (std::size_t round = 0; round < rounds; ++round) {
    Wanted all(ranges.size());
    for (std::size_t n = 0; n < ranges.size(); ++n) {
      if (round < ranges[n].size()) all[n] = ranges[n][round];
    }
    add_all(slab.pieces, all, launches);
  }
  return launches;
}

std::vector<ClusterLaunch> ClusterLaunches::of(const std::vector<Pieces>& pieces, const Range& rows) const {
  std::vector<ClusterLaunch> launches;
  add_all(pieces, Wanted(cluster_.made.size(), rows), launches);
  return launches;
}

/// All values by one launch, or each by its own if these read too many pieces together.
void ClusterLaunches::add_all(const std::vector<Pieces>& pieces, const Wanted& all,
                              std::vector<ClusterLaunch>& launches) const {
  if (add(pieces, all, launches)) return;
  for (std::size_t n = 0; n < all.size(); ++n) {
    Wanted one(all.size());
    one[n] = all[n];
    if (one[n].size() > 0 && !add(pieces, one, launches)) {
      throw DeviceError("graph", "rows that a cluster reads are not in memory");
    }
  }
}

Range ClusterLaunches::looked_at(const ClusterLaunch& launch, std::size_t read) const {
  if (launch.stream_blocks == 0 || launch.work.reads[read].input < 0) return {};
  const ClusterWork& work = launch.work;
  return common(widened(work.rows, cluster_.reads[read].reach.rows), work.reads[read].pieces[0].rows);
}

/// @return false if a value is read in pieces between which rows are missing
bool ClusterLaunches::add(const std::vector<Pieces>& pieces, const Wanted& wanted,
                          std::vector<ClusterLaunch>& launches) const {
  ClusterLaunch made{};
  ClusterWork& work = made.work;
  work.state = state_;
  work.shape = graph_.shape(cluster_.made.front());
  work.numbers = numbers_;
  Range hull;
  for (std::size_t n = 0; n < wanted.size(); ++n) {
    if (wanted[n].size() == 0) continue;
    hull = hull.size() == 0 ? wanted[n]
                            : Range{std::min(hull.begin, wanted[n].begin), std::max(hull.end, wanted[n].end)};
    const Piece* piece = find_piece(pieces[at_value(cluster_.made[n])], wanted[n]);
    if (piece == nullptr) return false;
    work.made[n] = {wanted[n], piece->memory,
                    is_aligned(piece->memory, cluster_.columns, size_of(graph_.type)) ? 1 : 0};
  }
  cut(work, hull);
  if (!point_to_reads(pieces, wanted, work)) return false;
  made.stream_blocks = (work.across * work.strips + stream_warps - 1) / stream_warps;
  for (std::size_t n = 0; n < rim_bands; ++n) {
    work.tiles[n] = tile_of(work.bands[n]);
    made.rim_blocks += tiles_of(work.bands[n], work.tiles[n]);
  }
  launches.push_back(made);
  return true;
}

/// The rows that the rows of made values are made from, by value.
std::vector<Rows> ClusterLaunches::rows_read(const Wanted& wanted) const {
  std::vector<Rows> rows(at_value(graph_.values()));
  for (std::size_t n = 0; n < wanted.size(); ++n) rows[at_value(cluster_.made[n])].add(wanted[n]);
  for (auto member = cluster_.members.rbegin(); member != cluster_.members.rend(); ++member) {
    const Node& node = graph_.node(member->value);
    for (const Range& own : rows[at_value(member->value)].ranges()) {
      for (std::size_t operand = 0; operand < node.operands.size(); ++operand) {
        const Area area = reach_of(graph_, node, static_cast<int>(operand), {own, {0, node.shape.columns}});
        rows[at_value(node.operands[operand])].add_inside(area.rows, node.shape.rows, node.settings.boundary);
      }
    }
  }
  return rows;
}

/// Finds the pieces of the values that are read. @return false if they are too many, or streamed rows are in several
bool ClusterLaunches::point_to_reads(const std::vector<Pieces>& all_pieces, const Wanted& wanted,
                                     ClusterWork& work) const {
  Wanted streamed;
  for (const Range& rows : wanted) streamed.push_back(common(rows, work.rows));
  const std::vector<Rows> all = rows_read(wanted), inside = rows_read(streamed);
  for (std::size_t n = 0; n < cluster_.reads.size(); ++n) {
    const Pieces& pieces = all_pieces[at_value(cluster_.reads[n].value)];
    std::vector<const Piece*> found;
    for (const auto* rows : {&inside, &all}) {
      for (const Range& range : (*rows)[at_value(cluster_.reads[n].value)].ranges()) {
        const Piece* piece = find_piece(pieces, range);
        if (piece == nullptr) return false;
        if (std::ranges::find(found, piece) == found.end()) found.push_back(piece);
      }
      if (rows == &inside && found.size() > 1) return false;
    }
    if (found.size() > most_pieces) return false;
    ClusterRead& read = work.reads[n];
    for (std::size_t at = 0; at < found.size(); ++at) read.pieces[at] = {found[at]->rows, found[at]->memory};
    read.input = cluster_.reads[n].value;
    if (found.empty()) {
      // Nobody wants what is made of it: it may read anything.
      const auto made = std::ranges::find_if(work.made, [](const ClusterMade& own) { return own.rows.size() > 0; });
      read.pieces[0] = {made->rows, made->memory};
      read.input = -1;
    }
    read.is_aligned = work.shape.columns % cluster_.columns == 0 &&
                      is_aligned(read.pieces[0].memory, cluster_.columns, size_of(cluster_.reads[n].stored));
  }
  return true;
}

/// Cuts rows into strips of inner cells, and bands of others.
void ClusterLaunches::cut(ClusterWork& work, const Range& rows) const {
  const Shape rim = cluster_.rim();
  const i64 extent = work.shape.columns;
  work.columns = inner(extent, rim.columns);
  work.rows = work.columns.size() > 0 ? common(rows, inner(work.shape.rows, rim.rows)) : Range{};
  if (work.rows.size() == 0) {
    work.bands[0] = {rows, {0, extent}};
    return;
  }
  work.bands[0] = {{rows.begin, work.rows.begin}, {0, extent}};
  work.bands[1] = {{work.rows.end, rows.end}, {0, extent}};
  work.bands[2] = {work.rows, {0, work.columns.begin}};
  work.bands[3] = {work.rows, {work.columns.end, extent}};
  cut_into_strips(work);
}

/// The tiles of a band: as long as the shared memory of each member's values allows.
Shape ClusterLaunches::tile_of(const Area& band) const {
  const i64 extent = cluster_.rim_extent;
  const auto fits = [&](const Shape& tile) {
    return std::ranges::all_of(cluster_.members, [&](const StreamedValue& own) {
      return (tile.rows + 2 * own.reach.rows) * (tile.columns + 2 * own.reach.columns) <=
             (extent + 2 * own.reach.rows) * (extent + 2 * own.reach.columns);
    });
  };
  Shape tile{std::clamp<i64>(band.rows.size(), 1, extent), std::clamp<i64>(band.columns.size(), 1, extent)};
  const bool is_flat = band.rows.size() < band.columns.size();
  i64& length = is_flat ? tile.columns : tile.rows;
  const i64 all = is_flat ? band.columns.size() : band.rows.size();
  constexpr i64 step = 32;
  while (length < all) {
    const i64 before = length;
    length += step;
    if (fits(tile)) continue;
    length = before;
    break;
  }
  return tile;
}

/// As many strips as take the least steps: more make the rows around a strip again, fewer leave warps idle.
void ClusterLaunches::cut_into_strips(ClusterWork& work) const {
  const i64 width = 32 * cluster_.columns - 2 * cluster_.beside;
  const i64 across = (work.shape.columns + width - 1) / width, resident = i64{resident_blocks_} * stream_warps;
  constexpr i64 most_strips = 4096;
  i64 least = 0;
  for (i64 strips = 1; strips <= std::clamp<i64>(work.rows.size() / least_strip_rows, 1, most_strips); ++strips) {
    const i64 height = (work.rows.size() + strips - 1) / strips;
    const i64 rounds = (across * strips + resident - 1) / resident;
    const i64 steps = rounds * (height + cluster_.last - cluster_.first);
    if (strips > 1 && steps >= least) continue;
    least = steps;
    work.strip_rows = static_cast<i32>(height);
  }
  work.across = static_cast<u32>(across);
  work.strips = static_cast<u32>((work.rows.size() + work.strip_rows - 1) / work.strip_rows);
}

}  // namespace terrace::graph
