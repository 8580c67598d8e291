#include <algorithm>
#include <cmath>

#include "pipeline/app/pictures/plot/axes.hpp"
#include "pipeline/app/pictures/plot/kinds.hpp"
#include "pipeline/app/pictures/plot/parts.hpp"
#include "pipeline/app/show/datasets.hpp"

namespace terrace::app {
namespace {

constexpr std::size_t most_names = 40;
constexpr int most_points = 60;  // that are marked

/// Sets the range of values: as chosen, or around one value, which is no range to gnuplot.
void set_values(Gnuplot& plot, const PlotChoices& choices, const ValueRange& range) {
  if (choices.range) {
    plot.command("set yrange [{}:{}]", choices.range->least, choices.range->most);
  } else if (!range.any() || range.least == range.most) {
    const double around = range.any() ? range.least : 0, more = std::max(1.0, std::abs(around) * 1e-3);
    plot.command("set yrange [{}:{}]", around - more, around + more);
  }
}

}  // namespace

void draw_line(const MadeResult& result, const PlotSubject& subject, const PlotChoices& choices, std::ostream& out) {
  const auto source = drawn_array(result, subject);
  const Plane plane = drawn_plane(subject, source->shape(), choices);
  const int columns = static_cast<int>(std::min<std::int64_t>(most_plot_width, plane.columns));
  const bool all = columns == plane.columns, spread = !all && !choices.reduction;
  const Reduction reduction = choices.reduction.value_or(Reduction::mean);
  const Raster raster = drawn_cells(result, subject, *source, plane, 1, columns, reduction);
  const double step = static_cast<double>(plane.columns) / columns;
  const PlotAxis axis = axis_of(result, subject, source->shape().rank() - 1, most_names, "index");
  Canvas canvas{most_plot_width, most_plot_height / 2};
  canvas.bottom = room_beside(axis, canvas.bottom);
  Gnuplot plot(
      canvas,
      {title_of(result, subject),
       describe_plane(result, subject, *source, plane) + "; " +
           (spread ? fmt::format("means of {:.0f} values, and a band from the least to the largest", std::ceil(step))
                   : describe_cell(plane, 1, columns, reduction)),
       axis.label, meaning_of(subject.dataset)},
      choices.form);
  plot.command("set xrange [{}:{}]", all ? -0.5 : 0, static_cast<double>(plane.columns) - (all ? 0.5 : 0));
  set_names(plot, "x", axis, all ? 0 : 0.5);
  ValueRange range;
  range.add(spread ? raster.least : chosen_cells(raster, reduction));
  range.add(spread ? raster.most : chosen_cells(raster, reduction));
  set_values(plot, choices, range);
  std::vector<double> band, line;
  for (int c = 0; c < columns; ++c) {
    const auto at = static_cast<std::size_t>(c);
    const double x = all ? c : (c + 0.5) * step;
    band.insert(band.end(), {x, raster.least[at], raster.most[at]});
    line.insert(line.end(), {x, chosen_cells(raster, reduction)[at]});
  }
  if (spread) {
    plot.graph(
        fmt::format("binary record={} format='%float64%float64%float64' using 1:2:3 with filledcurves fillcolor rgb "
                    "'#b8d6ea' notitle",
                    columns),
        band);
  }
  plot.graph(pairs_of(static_cast<std::size_t>(columns)) +
                 (columns <= most_points ? "with linespoints pointtype 7 pointsize 0.8 " : "with lines ") +
                 "linecolor rgb '#0072b2' linewidth 2 notitle",
             line);
  plot.draw(out);
}

}  // namespace terrace::app
