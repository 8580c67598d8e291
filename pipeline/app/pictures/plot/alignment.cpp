#include <algorithm>
#include <cmath>

#include "pipeline/app/pictures/plot/kinds.hpp"
#include "pipeline/app/pictures/plot/parts.hpp"
#include "pipeline/app/pictures/plot/sequence_name.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

/// Letters, or items, of rows and columns.
std::pair<double, double> lengths_of(const MadeResult& result, const std::string& group) {
  std::vector<double> lengths;
  for (const char* name : {"lengths", "end"}) {
    if (lengths.size() != 2 && result.reader().has(group + name)) lengths = result.reader().numbers(group + name);
  }
  if (lengths.size() != 2)
    throw IoError(result.path().string() + ", " + group + "lengths", "is damaged, or not there");
  return {std::max(1.0, lengths[0]), std::max(1.0, lengths[1])};
}

/// "position in NC_012920.1 (human)".
std::string position_in(const MadeResult& result, const std::string& stage, const char* side) {
  const std::string name = sequence_name(result, stage, side);
  return std::string("position in ") + (name.empty() ? side : name);
}

/// The range of identities, down to a round number.
ValueRange range_of_identities(const AlignmentPath& path) {
  ValueRange range;
  for (const PathWindow& window : path.windows) range.add(window.identity);
  constexpr double steps = 20;
  return {std::min(std::floor(range.least * steps) / steps, 1 - 1 / steps), 1};
}

/// Adds the path as pieces of one colour each: x, y, the way in x and y, and the identity.
void add_windows(Gnuplot& plot, const AlignmentPath& path) {
  std::vector<double> pieces;
  for (const PathWindow& window : path.windows) {
    for (std::size_t i = 0; i + 1 < window.line.size(); ++i) {
      const PathPoint a = window.line[i], b = window.line[i + 1];
      pieces.insert(pieces.end(), {a.column, a.row, b.column - a.column, b.row - a.row, window.identity});
    }
  }
  plot.graph(
      fmt::format("binary record={} format='%float64%float64%float64%float64%float64' using 1:2:3:4:5 with vectors "
                  "nohead linewidth 5 linecolor palette notitle",
                  pieces.size() / 5),
      pieces);
}

}  // namespace

void draw_alignment(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices,
                    std::ostream& out) {
  const std::string group = "/" + subject.stage + "/";
  const auto [rows, columns] = lengths_of(result, group);
  const PlotLayout layout = layout_of(rows, columns);
  const AlignmentPath path =
      read_alignment(result, subject.stage, {rows / layout.canvas.height / 2, columns / layout.canvas.width / 2});
  std::string note = fmt::format("{:.0f} x {:.0f}", rows, columns);
  if (result.reader().has(group + "identity")) {
    for (const double identity : result.reader().numbers(group + "identity")) {
      note += fmt::format(", identity {:.3f}", identity);
    }
  }
  if (!path.windows.empty()) note += fmt::format("; colours: identity of {} columns each", path.window_columns);
  Gnuplot plot(layout.canvas,
               {title_of(result, subject), note, position_in(result, subject.stage, "columns"),
                position_in(result, subject.stage, "rows")},
               choices.form);
  set_table_axes(plot, rows, columns);
  if (path.windows.empty()) {
    plot.graph(pairs_of(path.line.size()) + "with lines linecolor rgb '#0072b2' linewidth 2 notitle",
               flat(path.line));
  } else {
    set_colours(plot, layout.canvas, choices.range.value_or(range_of_identities(path)), Colours::identities,
                "identity");
    add_windows(plot, path);
  }
  plot.draw(out);
}

}  // namespace terrace::app
