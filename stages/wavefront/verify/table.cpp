// Verifies stored tables against their recurrence.
#include <algorithm>

#include "stages/wavefront/verify/cells.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t table_side = 128;

/// A stored table against its recurrence.
template <class T, bool of_letters>
class TableCheck {
  using Rule = TableCells<T, of_letters>;
  using V = typename Rule::V;

 public:
  TableCheck(const VerifyRequest& request, const VerifiedTable& table)
      : request_(request),
        rule_(table),
        stored_(open_dataset(request, "table", {table.rows, table.columns}, element_type_of<T>())) {}

  Checked run() {
    const TileGrid grid(stored_->shape(), {table_side, table_side});
    if (rule_.has_gaps) start_gaps();
    std::int64_t next = 0;
    Checked checked = check_parts(request_, request_.has("end") ? "table, score, end" : "table, score",
                                  {"table", grid.count(), "tiles"}, [&](std::int64_t tile) {
                                    for (; rule_.has_gaps && next < tile; ++next) check_tile(grid.box(next), false);
                                    next = tile + 1;
                                    return check_tile(grid.box(tile), true);
                                  });
    if (checked.difference.empty()) checked.difference = check_score();
    return checked;
  }

 private:
  void start_gaps() {
    for (i64 j = 0; j < rule_.table.columns; ++j) down_.push_back(rule_.recurrence.top(j).gap);
  }

  /// Cells of the tile, with the row above and the column before it.
  void read_tile(const Box& tile) {
    tile_ = {{std::max<i64>(0, tile.begin[0] - 1), std::max<i64>(0, tile.begin[1] - 1)}, tile.end};
    values_ = read_box<T>(*stored_, tile_);
  }
  T value(i64 i, i64 j) const {
    return values_[static_cast<std::size_t>((i - tile_.begin[0]) * (tile_.end[1] - tile_.begin[1]) + j -
                                            tile_.begin[1])];
  }
  V h(i64 i, i64 j) const { return i < 0 || j < 0 ? rule_.border(i, j) : rule_.loaded(value(i, j)); }

  /// @param wanted true if the tile is in the sample; else only the gaps are carried through it
  std::string check_tile(const Box& tile, bool wanted) {
    read_tile(tile);
    const auto rows = rule_.rows(tile.begin[0], tile.end[0]), columns = rule_.columns(tile.begin[1], tile.end[1]);
    if (rule_.has_gaps && tile.begin[1] == 0) {
      right_.clear();
      for (i64 i = tile.begin[0]; i < tile.end[0]; ++i) right_.push_back(rule_.recurrence.left(i).gap);
    }
    V unused{};
    for (i64 i = tile.begin[0]; i < tile.end[0]; ++i) {
      const auto row = static_cast<std::size_t>(i - tile.begin[0]);
      V& right = rule_.has_gaps ? right_[row] : unused;
      for (i64 j = tile.begin[1]; j < tile.end[1]; ++j) {
        V& down = rule_.has_gaps ? down_[static_cast<std::size_t>(j)] : unused;
        if (wanted) {
          const wavefront::Around<V> around{h(i - 1, j - 1), h(i - 1, j), h(i, j - 1), right, down};
          const T computed = rule_.stored(
              rule_.cell(around, rows[row], columns[static_cast<std::size_t>(j - tile.begin[1])], i, j).h);
          if (value(i, j) != computed) return difference_at({i, j}, text_of(value(i, j)), text_of(computed));
          largest_ = std::max(largest_, value(i, j));
        }
        right = rule_.gap_behind(right, h(i, j));
        down = rule_.gap_behind(down, h(i, j));
      }
    }
    return "";
  }

  /// H of one cell, i and j from -1 on.
  V cell_at(i64 i, i64 j) {
    if (i < 0 || j < 0) return rule_.border(i, j);
    return rule_.loaded(read_box<T>(*stored_, {{i, j}, {i + 1, j + 1}})[0]);
  }

  /// The score stands in the cell that is reported, and no other one that may be reported is better.
  std::string check_score() {
    const auto [row, column] = reported_cell(request_, rule_.table);
    const bool none = rule_.local && row == 0 && column == 0;
    const V score = none ? V(0) : cell_at(row - 1, column - 1);
    const std::vector<std::string> stored = request_.texts("score");
    const std::string expected = rule_.score_text(score);
    if (stored.size() != 1 || stored[0] != expected) {
      return "score " + (stored.empty() ? "?" : stored[0]) + ", and the cell that it is of has " + expected;
    }
    if (rule_.local && largest_ > rule_.stored(score)) {
      return "score " + stored[0] + ", and a cell of the table has " + text_of(largest_);
    }
    if (rule_.problem.report != wavefront::Report::ends) return "";
    return check_ends(row, column, score);
  }

  std::string check_ends(i64 row, i64 column, V score) {
    const wavefront::Ends ends = rule_.problem.ends;
    const i64 rows = rule_.table.rows, columns = rule_.table.columns;
    const bool allowed = (row == rows && column == columns) || (ends.last_row && row == rows) ||
                         (ends.last_column && column == columns);
    if (!allowed) return "end is no cell that an alignment may end in";
    if (rows == 0 || columns == 0) return "";
    const auto look = [&](const Box& line) {
      const std::vector<T> cells = read_box<T>(*stored_, line);
      const T best =
          of_letters ? *std::max_element(cells.begin(), cells.end()) : *std::min_element(cells.begin(), cells.end());
      if (of_letters ? best <= rule_.stored(score) : best >= rule_.stored(score)) return std::string();
      return "a cell that an alignment may end in has " + text_of(best) + ", " + (of_letters ? "more" : "less") +
             " than the score";
    };
    std::string difference;
    if (ends.last_row) difference = look({{rows - 1, 0}, {rows, columns}});
    if (ends.last_column && difference.empty()) difference = look({{0, columns - 1}, {rows, columns}});
    return difference;
  }

  const VerifyRequest& request_;
  Rule rule_;
  std::shared_ptr<io::Source> stored_;
  Box tile_;
  std::vector<T> values_;
  std::vector<V> down_, right_;  // gaps that enter the cells below the cells seen of each column, and on its right
  T largest_{};
};

}  // namespace

Checked verify_table(const VerifyRequest& request, const VerifiedTable& table) {
  return with_cells(table, request.dataset("table")->type(),
                    [&]<class T, bool of_letters>() { return TableCheck<T, of_letters>(request, table).run(); });
}

}  // namespace terrace::stages
