#include "pipeline/app/pictures/plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "pipeline/app/pictures/alignment_path.hpp"
#include "pipeline/app/pictures/gnuplot.hpp"
#include "pipeline/app/show/datasets.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr int most_width = 1000, most_height = 800;  // pixels of the area
constexpr double least_aspect = 0.2, most_aspect = 5;

/// Dark blue to yellow, of even steps in lightness: also for the colour-blind, and in print without colours.
constexpr const char* palette =
    "set palette defined (0 '#440154', 1 '#472c7a', 2 '#3b518b', 3 '#2c718e', 4 '#21908d', 5 '#27ad81', 6 '#5cc863', "
    "7 '#aadc32', 8 '#fde725')";

/// The area of a picture and its cells, each a whole number of pixels wide and high.
struct Layout {
  Canvas canvas;
  int rows, columns;
};

/// As near to the shape of the plane as is easy to look at.
Layout layout_of(double rows, double columns) {
  const double aspect = std::clamp(rows / columns, least_aspect, most_aspect);
  constexpr double widest = static_cast<double>(most_height) / most_width;
  const int width = aspect <= widest ? most_width : static_cast<int>(std::lround(most_height / aspect));
  const int height = aspect <= widest ? static_cast<int>(std::lround(most_width * aspect)) : most_height;
  Layout layout{
      {}, static_cast<int>(std::min<double>(height, rows)), static_cast<int>(std::min<double>(width, columns))};
  layout.canvas.width = layout.columns * (width / layout.columns);
  layout.canvas.height = layout.rows * (height / layout.rows);
  return layout;
}

/// The indices before the last two dimensions: as chosen, else the last state of snapshots and tables, and the middle
/// of other arrays.
Extents leading_of(const PlotSubject& subject, const PlotChoices& choices) {
  const Extents& shape = subject.dataset.shape;
  const int leading = std::max(0, shape.rank() - 2);
  const std::string name = subject.dataset.path.substr(1);
  if (choices.at) {
    const std::string what = "--at: " + name + " is of shape " + to_string(shape) + ": ";
    if (choices.at->rank() != leading) {
      throw JobError(what + (leading == 0
                                 ? "it has no dimensions before the last two"
                                 : "give an index in each of the first " + std::to_string(leading) + " dimensions"));
    }
    for (int d = 0; d < leading; ++d) {
      if ((*choices.at)[d] < 0 || (*choices.at)[d] >= shape[d]) {
        throw JobError(what + std::to_string((*choices.at)[d]) + " does not lie in dimension " + std::to_string(d));
      }
    }
    return *choices.at;
  }
  const bool last = name.ends_with("snapshots") || name.ends_with("table");
  Extents at;
  for (int d = 0; d < leading; ++d) at.push_back(last ? shape[d] - 1 : shape[d] / 2);
  return at;
}

std::optional<double> no_value_of(const io::ResultReader& reader, const std::string& dataset) {
  const auto text = reader.attribute(dataset, "_FillValue");
  return text ? std::optional(std::strtod(text->c_str(), nullptr)) : std::nullopt;
}

/// "i32, 900 x 1000, at [3] of the first dimension".
std::string describe_shape(const io::DatasetSummary& dataset, const Extents& leading) {
  std::string text = dataset.type + ", " + to_string(dataset.shape);
  if (leading.rank() == 0) return text;
  text += ", at [";
  for (int d = 0; d < leading.rank(); ++d) text += (d > 0 ? ", " : "") + std::to_string(leading[d]);
  return text + ", :, :]";
}

/// "the mean of up to 33 x 33": what a cell shows.
std::string describe_cell(const Plane& plane, const Layout& layout, Reduction reduction) {
  const std::int64_t high = (plane.rows + layout.rows - 1) / layout.rows;
  const std::int64_t wide = (plane.columns + layout.columns - 1) / layout.columns;
  if (high == 1 && wide == 1) return "every value is shown";
  const std::string of = fmt::format("{} x {} values", high, wide);
  return reduction == Reduction::nearest
             ? "each cell shows the middle one of " + of
             : fmt::format("each cell shows the {} of {}", reduction_names[static_cast<int>(reduction)], of);
}

const std::vector<double>& chosen(const Raster& raster, Reduction reduction) {
  return reduction == Reduction::min ? raster.least : reduction == Reduction::max ? raster.most : raster.mean;
}

struct Range {
  double least = HUGE_VAL, most = -HUGE_VAL;
  bool any() const { return least <= most; }
  void add(double value) {
    if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
  }
};

Range range_of(const std::vector<double>& values) {
  Range range;
  for (const double value : values) range.add(value);
  return range;
}

std::vector<double> flat(const std::vector<PathPoint>& points) {
  std::vector<double> numbers;
  for (const PathPoint& point : points) numbers.push_back(point.column), numbers.push_back(point.row);
  return numbers;
}

std::string pairs_of(std::size_t count) {
  return fmt::format("binary record={} format='%float64%float64' using 1:2 ", count);
}

void set_axes(Gnuplot& plot, double rows, double columns) {
  plot.command("set xrange [0:{}]", columns);
  plot.command("set yrange [{}:0]", rows);
}

void set_colours(Gnuplot& plot, const Canvas& canvas, Range range) {
  if (!range.any()) range = {0, 1};
  const double width = range.most - range.least;
  // A range of one value is no range to gnuplot.
  const double more = width > 0 ? 0 : std::max(0.5, std::abs(range.most) * 1e-6);
  const int whole_width = canvas.left + canvas.width + canvas.right;
  const int whole_height = canvas.top + canvas.height + canvas.bottom;
  plot.command("{}", palette);
  plot.command("set cbrange [{}:{}]", range.least - more, range.most + more);
  plot.command("set colorbox user origin {:.8f},{:.8f} size {:.8f},{:.8f}",
               static_cast<double>(canvas.left + canvas.width + 20) / whole_width,
               static_cast<double>(canvas.bottom) / whole_height, 20.0 / whole_width,
               static_cast<double>(canvas.height) / whole_height);
  plot.command(
      "set object 1 rectangle from graph 0,0 to graph 1,1 behind fillcolor '#b0b0b0' fillstyle solid noborder");
}

/// The alignment to draw over a table; nullopt if there is none, or it was chosen that there be none.
std::optional<AlignmentPath> path_over(const MadeResult& result, const PlotSubject& subject,
                                       const PlotChoices& choices, PathPoint step) {
  if (!choices.path.empty()) return read_alignment(result, choices.path, step);
  const bool is_table = name_of(subject.dataset.path) == "table" && subject.dataset.shape.rank() == 2;
  const auto stage = is_table ? stage_of_alignment(result, subject.stage) : std::nullopt;
  return stage ? std::optional(read_alignment(result, *stage, step)) : std::nullopt;
}

void draw_table(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices, std::ostream& png) {
  const Plane plane = plane_of(subject.dataset.shape, leading_of(subject, choices));
  const auto rows = static_cast<double>(plane.rows), columns = static_cast<double>(plane.columns);
  const Layout layout = layout_of(rows, columns);
  const Reduction reduction =
      choices.reduction.value_or(holds_names(subject.dataset.path) ? Reduction::nearest : Reduction::mean);
  const auto path =
      path_over(result, subject, choices, {rows / layout.canvas.height / 2, columns / layout.canvas.width / 2});
  const auto source = result.dataset(subject.dataset.path);
  const Raster raster = reduce(*source, plane, layout.rows, layout.columns, reduction == Reduction::nearest,
                               no_value_of(result.reader(), subject.dataset.path));
  const std::vector<double>& cells = chosen(raster, reduction);
  const bool gaps = std::any_of(cells.begin(), cells.end(), [](double value) { return std::isnan(value); });
  Gnuplot plot(layout.canvas, {title_of(result, subject),
                               describe_shape(subject.dataset, plane.leading) + "; " +
                                   describe_cell(plane, layout, reduction) + (gaps ? "; gray: no value" : ""),
                               "column", "row"});
  set_axes(plot, rows, columns);
  set_colours(plot, layout.canvas, range_of(cells));
  const double wide = columns / layout.columns, high = rows / layout.rows;
  plot.graph(fmt::format("binary array=({},{}) dx={} dy={} origin=({},{}) format='%float64' with image notitle",
                         layout.columns, layout.rows, wide, high, wide / 2, high / 2),
             cells);
  if (path) {
    for (const char* look : {"'#ffffff' linewidth 4", "'#d00000' linewidth 2"}) {
      plot.graph(pairs_of(path->line.size()) + "with lines linecolor rgb " + look + " notitle", flat(path->line));
    }
  }
  plot.draw(png);
}

void draw_alignment(const MadeResult& result, const PlotSubject& subject, std::ostream& png) {
  std::vector<double> lengths;
  const std::string group = "/" + subject.stage + "/";
  for (const char* name : {"lengths", "end"}) {
    if (lengths.size() != 2 && result.reader().has(group + name)) lengths = result.reader().numbers(group + name);
  }
  if (lengths.size() != 2)
    throw IoError(result.path().string() + ", " + group + "lengths", "is damaged, or not there");
  const double rows = std::max(1.0, lengths[0]), columns = std::max(1.0, lengths[1]);
  Layout layout = layout_of(rows, columns);
  const AlignmentPath path =
      read_alignment(result, subject.stage, {rows / layout.canvas.height / 2, columns / layout.canvas.width / 2});
  std::string note = fmt::format("{:.0f} x {:.0f}", rows, columns);
  if (result.reader().has(group + "identity")) {
    note += ", identity " + result.reader().texts(group + "identity").front();
  }
  Gnuplot plot(layout.canvas,
               {title_of(result, subject), note + (path.differences.empty() ? "" : "; orange: differences and gaps"),
                "position in columns", "position in rows"});
  set_axes(plot, rows, columns);
  plot.graph(pairs_of(path.line.size()) + "with lines linecolor rgb '#0072b2' linewidth 2 notitle", flat(path.line));
  if (!path.differences.empty()) {
    plot.graph(
        pairs_of(path.differences.size()) + "with points pointtype 7 pointsize 0.7 linecolor rgb '#e06000' notitle",
        flat(path.differences));
  }
  plot.draw(png);
}

void draw_line(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices, std::ostream& png) {
  const Plane plane = plane_of(subject.dataset.shape, leading_of(subject, choices));
  Canvas canvas{most_width, most_height / 2};
  const int columns = static_cast<int>(std::min<std::int64_t>(most_width, plane.columns));
  const auto source = result.dataset(subject.dataset.path);
  const bool nearest = choices.reduction == Reduction::nearest;
  const Raster raster =
      reduce(*source, plane, 1, columns, nearest, no_value_of(result.reader(), subject.dataset.path));
  const bool all = columns == plane.columns, spread = !all && !choices.reduction;
  const double step = static_cast<double>(plane.columns) / columns;
  const Reduction reduction = choices.reduction.value_or(Reduction::mean);
  Gnuplot plot(
      canvas,
      {title_of(result, subject),
       describe_shape(subject.dataset, plane.leading) + "; " +
           (spread ? fmt::format("means of {:.0f} values, and a band from the least to the largest", std::ceil(step))
                   : describe_cell(plane, {canvas, 1, columns}, reduction)),
       "index", subject.dataset.units});
  plot.command("set xrange [{}:{}]", all ? -0.5 : 0, static_cast<double>(plane.columns) - (all ? 0.5 : 0));
  const Range least = range_of(spread ? raster.least : chosen(raster, reduction));
  const Range most = range_of(spread ? raster.most : chosen(raster, reduction));
  if (!least.any() || least.least == most.most) {
    const double around = least.any() ? least.least : 0, more = std::max(1.0, std::abs(around) * 1e-3);
    plot.command("set yrange [{}:{}]", around - more, around + more);
  }
  std::vector<double> band, line;
  for (int c = 0; c < columns; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const double x = all ? c : (c + 0.5) * step;
    band.insert(band.end(), {x, raster.least[at], raster.most[at]});
    line.insert(line.end(), {x, chosen(raster, reduction)[at]});
  }
  if (spread) {
    plot.graph(
        fmt::format("binary record={} format='%float64%float64%float64' using 1:2:3 with filledcurves fillcolor rgb "
                    "'#b8d6ea' notitle",
                    columns),
        band);
  }
  constexpr int most_points = 60;  // that are marked
  plot.graph(pairs_of(static_cast<std::size_t>(columns)) +
                 (columns <= most_points ? "with linespoints pointtype 7 pointsize 0.8 " : "with lines ") +
                 "linecolor rgb '#0072b2' linewidth 2 notitle",
             line);
  plot.draw(png);
}

}  // namespace

std::string title_of(const MadeResult& result, const PlotSubject& subject) {
  return result.reader().attribute("title").value_or("") + ": " + subject.dataset.path.substr(1);
}

void draw_dataset(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices,
                  std::ostream& png) {
  if (subject.sort == PlotSort::table) draw_table(result, subject, choices, png);
  else if (subject.sort == PlotSort::alignment) draw_alignment(result, subject, png);
  else draw_line(result, subject, choices, png);
}

}  // namespace terrace::app
