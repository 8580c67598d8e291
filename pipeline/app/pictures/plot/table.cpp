#include <algorithm>
#include <cmath>

#include "pipeline/app/pictures/plot/axes.hpp"
#include "pipeline/app/pictures/plot/kinds.hpp"
#include "pipeline/app/pictures/plot/parts.hpp"
#include "pipeline/app/show/datasets.hpp"

namespace terrace::app {
namespace {

constexpr std::size_t name_pixels = 14;    // that a name beside the picture needs
constexpr int most_single_cells = 20'000;  // cells of a picture that are drawn each, and not as an image

/// The alignment to draw over a table; nullopt if there is none, or it was chosen that there be none.
std::optional<AlignmentPath> path_over(const MadeResult& result, const PlotSubject& subject,
                                       const PlotChoices& choices, PathPoint step) {
  if (!choices.path.empty()) return read_alignment(result, choices.path, step);
  const bool is_table = name_of(subject.dataset.path) == "table" && subject.dataset.shape.rank() == 2;
  const auto stage = is_table ? stage_of_alignment(result, subject.stage) : std::nullopt;
  return stage ? std::optional(read_alignment(result, *stage, step)) : std::nullopt;
}

/// The range of colours: as chosen, of all snapshots together, or of the cells.
ValueRange range_of_colours(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices,
                            const std::vector<double>& cells) {
  if (choices.range) return *choices.range;
  if (holds_snapshots(subject.dataset.path)) return range_of_all(result, subject, choices);
  ValueRange range;
  range.add(cells);
  return range;
}

void add_cells(Gnuplot& plot, const Plane& plane, const PlotLayout& layout, const std::vector<double>& cells,
               PictureForm form) {
  const double wide = static_cast<double>(plane.columns) / layout.columns;
  const double high = static_cast<double>(plane.rows) / layout.rows;
  // Viewers smooth the pixels of an image in lines and texts; where cells are large that would blur them.
  const bool single = form != PictureForm::png && layout.rows * layout.columns <= most_single_cells;
  plot.command(
      "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor '#b0b0b0' fillstyle solid noborder");
  plot.graph(
      fmt::format("binary array=({},{}) dx={} dy={} origin=({},{}) format='%float64' with {} notitle", layout.columns,
                  layout.rows, wide, high, wide / 2, high / 2, single ? "image pixels" : "image"),
      cells);
}

void add_path(Gnuplot& plot, const AlignmentPath& path) {
  for (const char* look : {"'#ffffff' linewidth 4", "'#d00000' linewidth 2"}) {
    plot.graph(pairs_of(path.line.size()) + "with lines linecolor rgb " + look + " notitle", flat(path.line));
  }
}

std::string label_of_values(const io::DatasetSummary& dataset) {
  return name_of(dataset.path) + (dataset.units.empty() ? "" : " (" + dataset.units + ")");
}

}  // namespace

ValueRange range_of_all(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices) {
  const auto source = drawn_array(result, subject);
  Plane plane = drawn_plane(subject, source->shape(), choices);
  const PlotLayout layout = layout_of(static_cast<double>(plane.rows), static_cast<double>(plane.columns));
  const Reduction reduction = reduction_of(subject, choices);
  ValueRange range;
  for (plane.leading[0] = 0; plane.leading[0] < source->shape()[0]; ++plane.leading[0]) {
    range.add(chosen_cells(drawn_cells(result, subject, *source, plane, layout.rows, layout.columns, reduction),
                           reduction));
  }
  return range;
}

void draw_table(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices, std::ostream& out) {
  const auto source = drawn_array(result, subject);
  const Plane plane = drawn_plane(subject, source->shape(), choices);
  const auto rows = static_cast<double>(plane.rows), columns = static_cast<double>(plane.columns);
  PlotLayout layout = layout_of(rows, columns);
  const auto path =
      path_over(result, subject, choices, {rows / layout.canvas.height / 2, columns / layout.canvas.width / 2});
  const Reduction reduction = reduction_of(subject, choices);
  const Raster raster = drawn_cells(result, subject, *source, plane, layout.rows, layout.columns, reduction);
  const std::vector<double>& cells = chosen_cells(raster, reduction);
  const bool gaps = std::any_of(cells.begin(), cells.end(), [](double value) { return std::isnan(value); });
  const int rank = source->shape().rank();
  const auto room = [](int pixels) { return static_cast<std::size_t>(pixels) / name_pixels; };
  const PlotAxis x = column_axis_of(result, subject, room(layout.canvas.width));
  const PlotAxis y = axis_of(result, subject, rank - 2, room(layout.canvas.height), "row");
  layout.canvas.bottom = room_beside(x, layout.canvas.bottom);
  layout.canvas.left = room_beside(y, layout.canvas.left);
  Gnuplot plot(layout.canvas,
               {title_of(result, subject),
                describe_plane(result, subject, *source, plane) + "; " +
                    describe_cell(plane, layout.rows, layout.columns, reduction) + (gaps ? "; gray: no value" : ""),
                x.label, y.label},
               choices.form);
  set_table_axes(plot, rows, columns);
  set_names(plot, "x", x, 0.5);
  set_names(plot, "y", y, 0.5);
  set_colours(plot, layout.canvas, range_of_colours(result, subject, choices, cells),
              holds_names(subject.dataset.path) ? Colours::names : Colours::values, label_of_values(subject.dataset));
  add_cells(plot, plane, layout, cells, choices.form);
  if (path) add_path(plot, *path);
  plot.draw(out);
}

}  // namespace terrace::app
