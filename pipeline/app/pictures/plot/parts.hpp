// Parts that pictures of datasets share.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/app/pictures/plot.hpp"
#include "pipeline/app/pictures/plot/alignment_path.hpp"
#include "pipeline/app/pictures/plot/colours.hpp"
#include "pipeline/app/pictures/plot/gnuplot.hpp"
#include "pipeline/app/pictures/plot/raster.hpp"

namespace terrace::app {

inline constexpr int most_plot_width = 1000, most_plot_height = 800;  // pixels of the area

/// The area of a picture and its cells, each a whole number of pixels wide and high.
struct PlotLayout {
  Canvas canvas;
  int rows, columns;
};

/// As near to the shape of the plane as is easy to look at.
PlotLayout layout_of(double rows, double columns);

/// The array that a picture shows: the dataset, or its bits if they are packed.
std::shared_ptr<io::Source> drawn_array(const MadeResult& result, const PlotSubject& subject);

/// The plane of a dataset's array that the choices say, or else the last state of snapshots and tables, and the
/// middle of other arrays. @throws JobError if the choices do not fit
Plane drawn_plane(const PlotSubject& subject, const Extents& shape, const PlotChoices& choices);

/// The plane reduced to cells, with the values that mean "none" left out.
Raster drawn_cells(const MadeResult& result, const PlotSubject& subject, io::Source& source, const Plane& plane,
                   int rows, int columns, Reduction reduction);

/// The reduction that is chosen for a dataset, or else the mean; one of the values if they name things.
Reduction reduction_of(const PlotSubject& subject, const PlotChoices& choices);

const std::vector<double>& chosen_cells(const Raster& raster, Reduction reduction);

/// "i32, 5 x 900 x 1000, at [3, :, :], time 400".
std::string describe_plane(const MadeResult& result, const PlotSubject& subject, const io::Source& source,
                           const Plane& plane);

/// "each cell shows the mean of 33 x 33 values".
std::string describe_cell(const Plane& plane, int rows, int columns, Reduction reduction);

/// The data of `count` points for gnuplot, x and y each.
std::string pairs_of(std::size_t count);
/// Points as such data: columns are x, rows are y.
std::vector<double> flat(const std::vector<PathPoint>& points);

/// Axes of a table: rows run downwards.
void set_table_axes(Gnuplot& plot, double rows, double columns);

}  // namespace terrace::app
