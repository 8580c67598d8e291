#include "stages/wavefront/pairs/cut.hpp"

#include <algorithm>

#include "pipeline/base/rounding.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

bool is_whole(const PairSide& side, std::int64_t tile) { return tile >= side.items->begin(side.count()); }

namespace {

constexpr std::int64_t most_pairs = 1 << 20;  // of a block. Not measured
constexpr std::int64_t first_rows = 1024;     // of a block where there are many. Not measured
constexpr std::int64_t most_tile = 1 << 18;   // elements of a tile that is read in parts. Not measured
constexpr std::int64_t least_tile = 1 << 12;
constexpr std::int64_t whole_share = 4;  // sets that take less of the budget are held whole
constexpr std::int64_t held_blocks = 3;  // that the budget should hold. Not measured

constexpr std::int64_t most_scattered = 128;  // entries of a block whose items are read one by one. Not measured
constexpr std::int64_t least_list_tile = 512, most_list_tile = 1 << 16;  // entries. Not measured
constexpr std::int64_t most_aligned_together = 4096;                     // alignments of a block. Not measured
constexpr std::int64_t listed_bytes_of_pair = sizeof(ItemPair) + sizeof(double);
constexpr std::int64_t entry_bytes = sizeof(ItemPair) + sizeof(pairs::Pair);

/// Elements of the largest group of so many items.
std::int64_t largest_group(const io::ItemSet& items, std::int64_t together) {
  std::int64_t largest = 0;
  for (std::int64_t item = 0; item < items.count(); item += together) {
    largest = std::max(largest, items.begin(std::min(items.count(), item + together)) - items.begin(item));
  }
  return largest;
}

std::int64_t element_bytes(const PairSide& side) { return static_cast<std::int64_t>(size_of(side.source->type())); }

/// Memory of the items of a block: in place, or assembled from tiles that are also there.
std::int64_t items_bytes(const PairSide& side, std::int64_t together, std::int64_t tile) {
  const std::int64_t all = side.items->begin(side.count());
  if (is_whole(side, tile)) return whole_pages(all * element_bytes(side));
  const std::int64_t group = largest_group(*side.items, together);
  const std::int64_t tiles = std::min(group / tile + 2, ceiling(all, tile));
  return whole_pages(group * element_bytes(side)) + tiles * whole_pages(tile * element_bytes(side));
}

double cells_of(const PairsNeed& need, const PairsCut& cut) {
  return static_cast<double>(largest_group(*need.sides.rows.items, cut.rows)) *
         static_cast<double>(largest_group(*need.sides.columns.items, cut.columns));
}

/// Halves the side with more items. @return false if both have one
bool halve(PairsCut& cut) {
  std::int64_t& side = cut.rows >= cut.columns ? cut.rows : cut.columns;
  if (side == 1) return false;
  side = ceiling(side, 2);
  return true;
}

/// Runs of items that so many entries need of a side, at most.
std::int64_t most_runs(const Entries& entries, std::int64_t count) {
  switch (entries.kind()) {
    case Entries::Kind::given:
      return count;
    case Entries::Kind::upper:
      return 2;  // the end of a row's items, and the beginning of the next row's
    default:
      return 1;
  }
}

/// Memory of the items of a side that so many entries need, at most.
std::int64_t listed_bytes(const PairSide& side, const Entries& entries, std::int64_t count, std::int64_t tile) {
  const std::int64_t all = side.items->begin(side.count());
  if (is_whole(side, tile)) return whole_pages(all * element_bytes(side));
  const std::int64_t elements = std::min(all, count * side.longest()), runs = most_runs(entries, count);
  const std::int64_t tiles = std::min(elements / tile + 2 * runs, ceiling(all, tile));
  // Each run is assembled, and all are gathered.
  return 2 * elements * element_bytes(side) + (runs + 1) * page_bytes +
         tiles * whole_pages(tile * element_bytes(side));
}

PairsCut cut_of_list(const PairsNeed& need, PairsCut cut,
                     const std::function<bool(const PairsCut&, std::int64_t)>& fits) {
  const PairSide &rows = need.sides.rows, &columns = need.sides.columns;
  const auto mean = [](const PairSide& side) {
    return static_cast<double>(side.items->begin(side.count())) /
           static_cast<double>(std::max<std::int64_t>(1, side.count()));
  };
  const double cells = std::max(1.0, mean(rows) * mean(columns));
  const bool whole = is_whole(rows, cut.row_tile) && is_whole(columns, cut.column_tile);
  const bool scattered = !whole && need.entries.kind() == Entries::Kind::given;
  const double most = std::min(need.most_cells / cells, static_cast<double>(scattered ? most_scattered : most_pairs));
  cut.entries =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(most), 1, std::max<std::int64_t>(1, need.entries.count()));
  while (!fits(cut, held_blocks) && cut.entries > 1) cut.entries = ceiling(cut.entries, 2);
  return cut;
}

PairsCut cut_of_matrix(const PairsNeed& need, PairsCut cut,
                       const std::function<bool(const PairsCut&, std::int64_t)>& fits) {
  const PairSide &rows = need.sides.rows, &columns = need.sides.columns;
  cut.rows = std::min({rows.count(), first_rows, need.most_rows});
  cut.columns = std::min(columns.count(), most_pairs / cut.rows);
  cut.rows = std::min({rows.count(), most_pairs / cut.columns, need.most_rows});
  while (cells_of(need, cut) > need.most_cells && halve(cut)) {
  }
  while (!fits(cut, held_blocks) && halve(cut)) {
  }
  return cut;
}

double mean_length(const PairSide& side) {
  return static_cast<double>(side.items->begin(side.count())) /
         static_cast<double>(std::max<std::int64_t>(1, side.count()));
}

/// Alignments of a block: so many that a round of blocks takes a share of the budget and not too long.
void choose_aligned(const PairsNeed& need, PairsCut& cut, std::int64_t budget) {
  const double cells = std::max(1.0, mean_length(need.sides.rows) * mean_length(need.sides.columns));
  const auto most = std::min({need.most_cells / cells,
                              static_cast<double>(budget / 16 / std::max<std::int64_t>(1, need.aligned_bytes)),
                              static_cast<double>(most_aligned_together)});
  const std::int64_t wanted = std::clamp<std::int64_t>(static_cast<std::int64_t>(most), 1, need.most_aligned);
  cut.aligned = std::max<std::int64_t>(1, wanted / need.aligned_together) * need.aligned_together;
}

std::int64_t score_block_bytes(const PairsNeed& need, const PairsCut& cut) {
  if (!need.entries.is_matrix()) {
    return listed_bytes(need.sides.rows, need.entries, cut.entries, cut.row_tile) +
           listed_bytes(need.sides.columns, need.entries, cut.entries, cut.column_tile) +
           whole_pages(cut.entries * (need.pair_bytes + entry_bytes)) + 2 * page_bytes;
  }
  return items_bytes(need.sides.rows, cut.rows, cut.row_tile) +
         items_bytes(need.sides.columns, cut.columns, cut.column_tile) +
         whole_pages(cut.rows * cut.columns * need.pair_bytes) + whole_pages(2 * cut.rows * need.row_bytes) +
         2 * page_bytes;
}

/// Names the least budgets: of the host and the device where that computes, else of the host.
[[noreturn]] void refuse_budget(const PairsNeed& need, Resources resources, std::int64_t least) {
  if (need.on_device) refuse_budgets(resources, least, 0, least);
  if (resources.cuda) resources.cuda = resources.device_given = false;
  refuse_budgets(resources, least, 0);
}

/// Memory of a number of blocks that are held at a time, and of what computes them.
std::int64_t bytes_of_blocks(const PairsNeed& need, const PairsCut& cut, std::int64_t blocks) {
  return blocks * block_bytes(need, cut) + need.kernel_bytes(pairs_of_block(need.entries, cut)) + need.workspace +
         page_bytes;
}

}  // namespace

std::int64_t pairs_of_block(const Entries& entries, const PairsCut& cut) {
  return entries.is_matrix() ? cut.rows * cut.columns : cut.entries;
}

std::int64_t block_bytes(const PairsNeed& need, const PairsCut& cut) {
  const std::int64_t scores = score_block_bytes(need, cut);
  if (need.most_aligned == 0) return scores;
  const std::int64_t items = listed_bytes(need.sides.rows, need.entries, cut.aligned, cut.row_tile) +
                             listed_bytes(need.sides.columns, need.entries, cut.aligned, cut.column_tile);
  return std::max(scores, items + whole_pages(cut.aligned * need.aligned_bytes) + 8 * page_bytes);
}

PairsCut choose_cut(const PairsNeed& need, const Resources& resources) {
  const PairSide &rows = need.sides.rows, &columns = need.sides.columns;
  const std::int64_t budget = need.budget;
  const std::int64_t row_elements = rows.items->begin(rows.count()),
                     column_elements = columns.items->begin(columns.count());
  const auto fits = [&](const PairsCut& tried, std::int64_t blocks) {
    return bytes_of_blocks(need, tried, blocks) <= budget;
  };
  const auto cut_with_tiles = [&](std::int64_t tile) {
    PairsCut cut;
    cut.row_tile = std::clamp<std::int64_t>(tile, 1, std::max<std::int64_t>(1, row_elements));
    cut.column_tile = std::clamp<std::int64_t>(tile, 1, std::max<std::int64_t>(1, column_elements));
    cut.list_tile = std::clamp(budget / 64 / listed_bytes_of_pair, least_list_tile, most_list_tile);
    cut = need.entries.is_matrix() ? cut_of_matrix(need, cut, fits) : cut_of_list(need, cut, fits);
    if (need.most_aligned > 0) choose_aligned(need, cut, budget);
    return cut;
  };
  const std::int64_t all = row_elements * element_bytes(rows) + column_elements * element_bytes(columns);
  const std::int64_t part = std::clamp(budget / 64 / element_bytes(rows), least_tile, most_tile);
  PairsCut cut;
  for (const std::int64_t tile : {std::max(row_elements, column_elements), part, least_tile}) {
    if (tile > part && all > budget / whole_share) continue;
    cut = cut_with_tiles(tile);
    if (fits(cut, 1)) return cut;
  }
  refuse_budget(need, resources, bytes_of_blocks(need, cut, 1));
}

}  // namespace terrace::stages
