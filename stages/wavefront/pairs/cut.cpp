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

/// The same of items of at most `most` elements.
std::int64_t largest_group(const io::ItemSet& items, std::int64_t together, std::int64_t most) {
  std::int64_t largest = 0;
  for (std::int64_t first = 0; first < items.count(); first += together) {
    std::int64_t elements = 0;
    for (std::int64_t item = first; item < std::min(items.count(), first + together); ++item) {
      if (items.length(item) <= most) elements += items.length(item);
    }
    largest = std::max(largest, elements);
  }
  return largest;
}

/// Cells of the pairs of the largest block that lanes take, about.
double cells_of(const PairsNeed& need, const PairsCut& cut) {
  return static_cast<double>(largest_group(*need.sides.rows.items, cut.rows, need.longest_row)) *
         static_cast<double>(largest_group(*need.sides.columns.items, cut.columns, need.longest_column));
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

/// Memory of the items of a side that so many entries need, in so many runs, at most.
std::int64_t listed_bytes(const PairSide& side, std::int64_t runs, std::int64_t count, std::int64_t tile) {
  const std::int64_t all = side.items->begin(side.count());
  if (is_whole(side, tile)) return whole_pages(all * element_bytes(side));
  const std::int64_t elements = std::min(all, count * side.longest());
  const std::int64_t tiles = std::min(elements / tile + 2 * runs, ceiling(all, tile));
  // Each run is assembled, and all are gathered.
  return 2 * elements * element_bytes(side) + (runs + 1) * page_bytes +
         tiles * whole_pages(tile * element_bytes(side));
}

/// The mean length of the items of a side that have at most `most` elements.
double mean_length(const PairSide& side, std::int64_t most) {
  return static_cast<double>(largest_group(*side.items, std::max<std::int64_t>(1, side.count()), most)) /
         static_cast<double>(std::max<std::int64_t>(1, side.count()));
}

PairsCut cut_of_list(const PairsNeed& need, PairsCut cut,
                     const std::function<bool(const PairsCut&, std::int64_t)>& fits) {
  const PairSide &rows = need.sides.rows, &columns = need.sides.columns;
  const double cells = std::max(1.0, mean_length(rows, need.longest_row) * mean_length(columns, need.longest_column));
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

/// Alignments of a block: so many that a round of blocks takes a share of the budget and not too long.
void choose_aligned(const PairsNeed& need, PairsCut& cut, std::int64_t budget) {
  const double cells = std::max(1.0, mean_length(need.sides.rows, need.sides.rows.longest()) *
                                         mean_length(need.sides.columns, need.sides.columns.longest()));
  const std::int64_t fitting = budget / 16 / std::max<std::int64_t>(1, need.aligned_bytes);
  const double most =
      std::min(need.most_cells / cells, static_cast<double>(std::min(fitting, most_aligned_together)));
  const std::int64_t wanted = std::clamp<std::int64_t>(static_cast<std::int64_t>(most), 1, need.most_aligned);
  cut.aligned = std::max<std::int64_t>(1, wanted / need.aligned_together) * need.aligned_together;
}

/// Memory of the scores of long pairs that a block takes: tiles of them, and ranges that are assembled.
std::int64_t known_bytes(const PairsNeed& need, const PairsCut& cut) {
  if (need.long_pairs.count() == 0) return 0;
  const bool matrix = need.entries.is_matrix();
  const std::int64_t ranges = matrix ? cut.rows : 1,
                     pairs = matrix ? need.long_pairs.most_of_rectangle(cut.rows, cut.columns)
                                    : need.long_pairs.most_of_range(cut.entries);
  if (pairs == 0) return 0;
  const std::int64_t tiles = std::min(pairs / cut.swept + 2 * ranges, ceiling(need.long_pairs.count(), cut.swept));
  return 2 * tiles * whole_pages(cut.swept * need.known_bytes) + pairs * need.known_bytes + 2 * ranges * page_bytes;
}

/// Memory of a block of long pairs.
std::int64_t swept_block_bytes(const PairsNeed& need, const PairsCut& cut) {
  if (need.long_pairs.count() == 0) return 0;
  return listed_bytes(need.sides.rows, cut.swept, cut.swept, cut.row_tile) +
         listed_bytes(need.sides.columns, cut.swept, cut.swept, cut.column_tile) +
         2 * whole_pages(cut.swept * need.known_bytes) + page_bytes;
}

std::int64_t score_block_bytes(const PairsNeed& need, const PairsCut& cut) {
  if (!need.entries.is_matrix()) {
    const std::int64_t runs = most_runs(need.entries, cut.entries);
    return listed_bytes(need.sides.rows, runs, cut.entries, cut.row_tile) +
           listed_bytes(need.sides.columns, runs, cut.entries, cut.column_tile) +
           whole_pages(cut.entries * (need.pair_bytes + entry_bytes)) + known_bytes(need, cut) + 2 * page_bytes;
  }
  return known_bytes(need, cut) + items_bytes(need.sides.rows, cut.rows, cut.row_tile) +
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
  const std::int64_t scores = std::max(score_block_bytes(need, cut), swept_block_bytes(need, cut));
  if (need.most_aligned == 0) return scores;
  const std::int64_t runs = most_runs(need.entries, cut.aligned);
  const std::int64_t items = listed_bytes(need.sides.rows, runs, cut.aligned, cut.row_tile) +
                             listed_bytes(need.sides.columns, runs, cut.aligned, cut.column_tile);
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
    cut.swept = need.most_swept;
    while (cut.swept > 1 && held_blocks * swept_block_bytes(need, cut) > budget / whole_share) {
      cut.swept = ceiling(cut.swept, 2);
    }
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
