#include "pipeline/app/pictures/plot/parts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "pipeline/app/pictures/plot/axes.hpp"
#include "pipeline/app/pictures/plot/unpacked.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

constexpr double least_aspect = 0.2, most_aspect = 5;

/// The indices before the last two dimensions.
Extents leading_of(const PlotSubject& subject, const Extents& shape, const PlotChoices& choices) {
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
  const bool last = holds_snapshots(subject.dataset.path) || name.ends_with("table");
  Extents at;
  for (int d = 0; d < leading; ++d) at.push_back(last ? shape[d] - 1 : shape[d] / 2);
  return at;
}

std::optional<double> no_value_of(const io::ResultReader& reader, const std::string& dataset) {
  const auto text = reader.attribute(dataset, "_FillValue");
  return text ? std::optional(std::strtod(text->c_str(), nullptr)) : std::nullopt;
}

}  // namespace

PlotLayout layout_of(double rows, double columns) {
  const double aspect = std::clamp(rows / columns, least_aspect, most_aspect);
  constexpr double widest = static_cast<double>(most_plot_height) / most_plot_width;
  const int width = aspect <= widest ? most_plot_width : static_cast<int>(std::lround(most_plot_height / aspect));
  const int height = aspect <= widest ? static_cast<int>(std::lround(most_plot_width * aspect)) : most_plot_height;
  PlotLayout layout{
      {}, static_cast<int>(std::min<double>(height, rows)), static_cast<int>(std::min<double>(width, columns))};
  layout.canvas.width = layout.columns * (width / layout.columns);
  layout.canvas.height = layout.rows * (height / layout.rows);
  return layout;
}

std::shared_ptr<io::Source> drawn_array(const MadeResult& result, const PlotSubject& subject) {
  std::shared_ptr<io::Source> array = result.dataset(subject.dataset.path);
  return subject.packed ? unpacked(std::move(array), subject.dataset.shape[0]) : array;
}

Plane drawn_plane(const PlotSubject& subject, const Extents& shape, const PlotChoices& choices) {
  return plane_of(shape, leading_of(subject, shape, choices));
}

Raster drawn_cells(const MadeResult& result, const PlotSubject& subject, io::Source& source, const Plane& plane,
                   int rows, int columns, Reduction reduction) {
  return reduce(source, plane, rows, columns, reduction == Reduction::nearest,
                no_value_of(result.reader(), subject.dataset.path));
}

Reduction reduction_of(const PlotSubject& subject, const PlotChoices& choices) {
  return choices.reduction.value_or(holds_names(subject.dataset.path) ? Reduction::nearest : Reduction::mean);
}

const std::vector<double>& chosen_cells(const Raster& raster, Reduction reduction) {
  return reduction == Reduction::min ? raster.least : reduction == Reduction::max ? raster.most : raster.mean;
}

std::string describe_plane(const MadeResult& result, const PlotSubject& subject, const io::Source& source,
                           const Plane& plane) {
  std::string text = (subject.packed ? "bits" : subject.dataset.type) + ", " + to_string(source.shape());
  if (plane.leading.rank() == 0) return text;
  text += ", at [";
  for (int d = 0; d < plane.leading.rank(); ++d) text += (d > 0 ? ", " : "") + std::to_string(plane.leading[d]);
  text += ", :, :]";
  const std::string time =
      holds_snapshots(subject.dataset.path) ? time_of_snapshot(result, subject, plane.leading[0]) : "";
  return text + (time.empty() ? "" : ", " + time);
}

std::string describe_cell(const Plane& plane, int rows, int columns, Reduction reduction) {
  const std::int64_t high = (plane.rows + rows - 1) / rows, wide = (plane.columns + columns - 1) / columns;
  if (high == 1 && wide == 1) return "every value is shown";
  const std::string of = fmt::format("{} x {} values", high, wide);
  return reduction == Reduction::nearest
             ? "each cell shows the middle one of " + of
             : fmt::format("each cell shows the {} of {}", reduction_names[static_cast<int>(reduction)], of);
}

std::string pairs_of(std::size_t count) {
  return fmt::format("binary record={} format='%float64%float64' using 1:2 ", count);
}

std::vector<double> flat(const std::vector<PathPoint>& points) {
  std::vector<double> numbers;
  for (const PathPoint& point : points) numbers.push_back(point.column), numbers.push_back(point.row);
  return numbers;
}

void set_table_axes(Gnuplot& plot, double rows, double columns) {
  plot.command("set xrange [0:{}]", columns);
  plot.command("set yrange [{}:0]", rows);
}

}  // namespace terrace::app
