// Verifies kept rows and columns against the recurrence.
#include <algorithm>

#include "stages/wavefront/verify/cells.hpp"

namespace terrace::stages {
namespace {

/// Kept rows and columns against the recurrence: the cells between two kept rows and two kept columns from the row
/// above them and the column before them.
template <class T, bool of_letters>
class BordersCheck {
  using Rule = TableCells<T, of_letters>;
  using V = typename Rule::V;

 public:
  BordersCheck(const VerifyRequest& request, const VerifiedTable& table)
      : request_(request),
        rule_(table),
        every_(std::min(request.request.stage.settings.template get<std::int64_t>("every"),
                        std::max<std::int64_t>({1, table.rows, table.columns}))),
        grid_({table.rows, table.columns}, {every_, every_}) {
    rows_ = open("border_rows", table.rows, table.columns);
    columns_ = open("border_columns", table.columns, table.rows);
    if (!rule_.has_gaps) return;
    row_gaps_ = open("border_row_gaps", table.rows, table.columns);
    column_gaps_ = open("border_column_gaps", table.columns, table.rows);
  }

  Checked run() {
    Parts parts{"borders", grid_.count(), "boxes between them"};
    const auto [row, column] = reported_cell(request_, rule_.table);
    // The reported cell is among the computed cells.
    if (row > 0 && column > 0) parts.also = grid_.tile_at({row - 1, column - 1});
    reported_ = {row - 1, column - 1};
    score_ = row > 0 && column > 0 ? V{} : rule_.local ? V(0) : rule_.border(row - 1, column - 1);
    std::string difference = check_index("border_row_index", rule_.table.rows);
    if (difference.empty()) difference = check_index("border_column_index", rule_.table.columns);
    std::int64_t computed = 0;
    Checked checked =
        check_parts(request_,
                    std::string("border_rows, border_row_index, border_columns, border_column_index, ") +
                        (rule_.has_gaps ? "border_row_gaps, border_column_gaps, " : "") +
                        (request_.has("end") ? "score, end" : "score"),
                    parts, [&](std::int64_t tile) {
                      if (!difference.empty()) return difference;
                      ++computed;
                      return check(grid_.box(tile));
                    });
    if (checked.difference.empty()) checked.difference = difference;
    if (checked.difference.empty()) checked.difference = check_score(computed == grid_.count());
    return checked;
  }

 private:
  std::shared_ptr<io::Source> open(const std::string& name, std::int64_t across, std::int64_t along) const {
    return open_dataset(request_, name, {(across + every_ - 1) / every_, along}, element_type_of<T>());
  }

  std::string check_index(const std::string& name, std::int64_t extent) const {
    const auto lines = read_all<std::int64_t>(request_, name);
    for (std::size_t line = 0; line < lines.size(); ++line) {
      const std::int64_t expected = std::min(extent, (static_cast<std::int64_t>(line) + 1) * every_) - 1;
      if (lines[line] == expected) continue;
      return name + ", " + difference_at({static_cast<std::int64_t>(line)}, text_of(lines[line]), text_of(expected));
    }
    return "";
  }

  static std::vector<T> line(io::Source& source, std::int64_t number, std::int64_t begin, std::int64_t end) {
    return read_box<T>(source, {{number, begin}, {number + 1, end}});
  }
  std::vector<V> loaded(const std::vector<T>& values) const {
    std::vector<V> result;
    for (const T value : values) result.push_back(rule_.loaded(value));
    return result;
  }

  /// H above the box, from the corner on; H before it; gaps that enter it.
  void read_sides(const Box& box) {
    const i64 top = box.begin[0], left = box.begin[1], kept_row = top / every_ - 1, kept_column = left / every_ - 1;
    above_.clear();
    before_.clear();
    if (left > 0 && top > 0) above_ = loaded(line(*rows_, kept_row, left - 1, left));
    else above_ = {rule_.border(top - 1, left - 1)};
    if (top > 0) {
      for (const V value : loaded(line(*rows_, kept_row, left, box.end[1]))) above_.push_back(value);
    } else {
      for (i64 j = left; j < box.end[1]; ++j) above_.push_back(rule_.border(-1, j));
    }
    if (left > 0) before_ = loaded(line(*columns_, kept_column, top, box.end[0]));
    else
      for (i64 i = top; i < box.end[0]; ++i) before_.push_back(rule_.border(i, -1));
    if (!rule_.has_gaps) return;
    down_.clear();
    right_.clear();
    if (top > 0) down_ = loaded(line(*row_gaps_, kept_row, left, box.end[1]));
    else
      for (i64 j = left; j < box.end[1]; ++j) down_.push_back(rule_.recurrence.top(j).gap);
    if (left > 0) right_ = loaded(line(*column_gaps_, kept_column, top, box.end[0]));
    else
      for (i64 i = top; i < box.end[0]; ++i) right_.push_back(rule_.recurrence.left(i).gap);
  }

  std::string check(const Box& box) {
    read_sides(box);
    const auto rows = rule_.rows(box.begin[0], box.end[0]), columns = rule_.columns(box.begin[1], box.end[1]);
    std::vector<T> last_column, last_gaps;
    V unused{};
    for (i64 i = box.begin[0]; i < box.end[0]; ++i) {
      const auto row = static_cast<std::size_t>(i - box.begin[0]);
      V left = before_[row], diagonal = above_[0];
      V right = rule_.has_gaps ? right_[row] : unused;
      above_[0] = left;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        V& down = rule_.has_gaps ? down_[j] : unused;
        const V up = above_[j + 1];
        const auto cell = rule_.cell({diagonal, up, left, right, down}, rows[row], columns[j], i,
                                     box.begin[1] + static_cast<i64>(j));
        diagonal = up;
        above_[j + 1] = left = cell.h;
        right = cell.e;
        down = cell.f;
        see(cell.h, i, box.begin[1] + static_cast<i64>(j));
      }
      last_column.push_back(rule_.stored(left));
      last_gaps.push_back(rule_.stored(right));
    }
    return compare(box, last_column, last_gaps);
  }

  std::string compare(const Box& box, const std::vector<T>& last_column, const std::vector<T>& last_gaps) const {
    const i64 row = box.begin[0] / every_, column = box.begin[1] / every_;
    const auto stored = [&](const std::vector<V>& values, std::size_t from) {
      std::vector<T> result;
      for (std::size_t at = from; at < values.size(); ++at) result.push_back(rule_.stored(values[at]));
      return result;
    };
    std::string difference = compare_line("border_rows", *rows_, row, box.begin[1], stored(above_, 1));
    if (difference.empty()) difference = compare_line("border_columns", *columns_, column, box.begin[0], last_column);
    if (!rule_.has_gaps || !difference.empty()) return difference;
    difference = compare_line("border_row_gaps", *row_gaps_, row, box.begin[1], stored(down_, 0));
    if (!difference.empty()) return difference;
    return compare_line("border_column_gaps", *column_gaps_, column, box.begin[0], last_gaps);
  }

  static std::string compare_line(const std::string& name, io::Source& source, i64 number, i64 begin,
                                  const std::vector<T>& computed) {
    const std::vector<T> kept = line(source, number, begin, begin + std::ssize(computed));
    for (std::size_t at = 0; at < kept.size(); ++at) {
      if (kept[at] == computed[at]) continue;
      return name + ", " +
             difference_at({number, begin + static_cast<i64>(at)}, text_of(kept[at]), text_of(computed[at]));
    }
    return "";
  }

  /// Takes note of a computed cell: the one that is reported, and the best one.
  void see(V h, i64 i, i64 j) {
    if (i == reported_[0] && j == reported_[1]) score_ = h;
    if (!seen_ || h > largest_) largest_ = h;
    seen_ = true;
  }

  std::string check_score(bool whole) const {
    const std::vector<std::string> given = request_.texts("score");
    const std::string expected = rule_.score_text(score_);
    if (given.size() != 1 || given[0] != expected) {
      return "score " + (given.empty() ? "?" : given[0]) + ", and the cell that it is of has " + expected;
    }
    const bool larger = rule_.local && seen_ && largest_ > score_;
    if (!larger) return "";
    return "score " + given[0] + ", and " + (whole ? "the best cell" : "a cell") + " has " +
           rule_.score_text(largest_);
  }

  const VerifyRequest& request_;
  Rule rule_;
  std::int64_t every_;
  TileGrid grid_;
  std::shared_ptr<io::Source> rows_, columns_, row_gaps_, column_gaps_;
  std::vector<V> above_, before_, down_, right_;
  std::array<i64, 2> reported_{};
  V score_{}, largest_{};
  bool seen_ = false;
};

}  // namespace

Checked verify_borders(const VerifyRequest& request, const VerifiedTable& table) {
  return with_cells(table, request.dataset("border_rows")->type(),
                    [&]<class T, bool of_letters>() { return BordersCheck<T, of_letters>(request, table).run(); });
}

}  // namespace terrace::stages
