#include "pipeline/app/pictures/plot/raster.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "pipeline/base/element_type.hpp"

namespace terrace::app {
namespace {

/// The part of a plane at rows [row, row + rows) and columns [column, column + columns), as a box of the array.
Box box_of(const Extents& shape, const Plane& plane, std::int64_t row, std::int64_t rows, std::int64_t column,
           std::int64_t columns) {
  Box box;
  for (int d = 0; d < plane.leading.rank(); ++d) {
    box.begin.push_back(plane.leading[d]);
    box.end.push_back(plane.leading[d] + 1);
  }
  if (shape.rank() > 1) box.begin.push_back(row), box.end.push_back(row + rows);
  box.begin.push_back(column), box.end.push_back(column + columns);
  return box;
}

/// Cells along one dimension of a plane.
struct Cells {
  std::int64_t extent;
  int count;

  int at(std::int64_t index) const { return static_cast<int>(index * count / extent); }
  std::int64_t begin(int cell) const { return (cell * extent + count - 1) / count; }
  std::int64_t middle(int cell) const { return (begin(cell) + begin(cell + 1) - 1) / 2; }
};

class Reducer {
 public:
  Reducer(io::Source& source, const Plane& plane, int rows, int columns, std::optional<double> no_value,
          std::int64_t piece)
      : source_(source),
        plane_(plane),
        rows_{plane.rows, rows},
        columns_{plane.columns, columns},
        no_value_(no_value.value_or(std::numeric_limits<double>::quiet_NaN())),
        piece_(piece) {
    const auto cells = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
    raster_ = {rows, columns, std::vector<double>(cells), std::vector<double>(cells, HUGE_VAL),
               std::vector<double>(cells, -HUGE_VAL)};
  }

  Raster all() {
    const auto bytes = static_cast<std::int64_t>(size_of(source_.type()));
    const std::int64_t wide = std::clamp<std::int64_t>(piece_ / bytes, 1, plane_.columns);
    const std::int64_t high = std::max<std::int64_t>(1, piece_ / (bytes * wide));
    counts_.assign(raster_.mean.size(), 0);
    std::vector<std::byte> buffer(static_cast<std::size_t>(bytes * wide * std::min(high, plane_.rows)));
    for (std::int64_t row = 0; row < plane_.rows; row += high) {
      const std::int64_t rows = std::min(high, plane_.rows - row);
      for (std::int64_t column = 0; column < plane_.columns; column += wide) {
        const std::int64_t columns = std::min(wide, plane_.columns - column);
        source_.read(box_of(source_.shape(), plane_, row, rows, column, columns), buffer.data());
        add_piece(buffer.data(), row, rows, column, columns);
      }
    }
    return finished();
  }

  /// The value in the middle of each cell.
  Raster nearest() {
    const auto bytes = static_cast<std::int64_t>(size_of(source_.type()));
    const std::int64_t wide = std::clamp<std::int64_t>(piece_ / bytes, 1, plane_.columns);
    std::vector<std::byte> buffer(static_cast<std::size_t>(bytes * wide));
    for (int row = 0; row < rows_.count; ++row) {
      for (std::int64_t column = 0; column < plane_.columns; column += wide) {
        const std::int64_t columns = std::min(wide, plane_.columns - column);
        source_.read(box_of(source_.shape(), plane_, rows_.middle(row), 1, column, columns), buffer.data());
        take_middles(buffer.data(), row, column, columns);
      }
    }
    raster_.least = raster_.most = raster_.mean;
    return std::move(raster_);
  }

 private:
  std::size_t cell(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_.count) +
           static_cast<std::size_t>(column);
  }

  void add_piece(const std::byte* buffer, std::int64_t row, std::int64_t rows, std::int64_t column,
                 std::int64_t columns) {
    dispatch(source_.type(), [&](auto zero) {
      using T = decltype(zero);
      for (std::int64_t r = 0; r < rows; ++r) {
        add_row(reinterpret_cast<const T*>(buffer) + r * columns, rows_.at(row + r), column, columns);
      }
    });
  }

  template <class T>
  void add_row(const T* values, int row, std::int64_t column, std::int64_t columns) {
    for (int c = columns_.at(column); c < columns_.count && columns_.begin(c) < column + columns; ++c) {
      const std::int64_t begin = std::max(columns_.begin(c), column) - column;
      const std::int64_t end = std::min(columns_.begin(c + 1), column + columns) - column;
      add(std::span(values + begin, values + end), cell(row, c));
    }
  }

  template <class T>
  void add(std::span<const T> values, std::size_t at) {
    double sum = 0, least = raster_.least[at], most = raster_.most[at];
    std::int64_t count = 0;
    for (const T value : values) {
      const auto number = static_cast<double>(value);
      const bool counts = std::isfinite(number) && number != no_value_;
      sum += counts ? number : 0;
      least = counts && number < least ? number : least;
      most = counts && number > most ? number : most;
      count += counts;
    }
    raster_.mean[at] += sum;
    raster_.least[at] = least;
    raster_.most[at] = most;
    counts_[at] += count;
  }

  Raster finished() {
    constexpr double none = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t at = 0; at < counts_.size(); ++at) {
      if (counts_[at] == 0) raster_.mean[at] = raster_.least[at] = raster_.most[at] = none;
      else raster_.mean[at] /= static_cast<double>(counts_[at]);
    }
    return std::move(raster_);
  }

  void take_middles(const std::byte* buffer, int row, std::int64_t column, std::int64_t columns) {
    dispatch(source_.type(), [&](auto zero) {
      const auto* values = reinterpret_cast<const decltype(zero)*>(buffer);
      for (int c = 0; c < columns_.count; ++c) {
        const std::int64_t middle = columns_.middle(c);
        if (middle < column || middle >= column + columns) continue;
        const auto number = static_cast<double>(values[middle - column]);
        const bool counts = std::isfinite(number) && number != no_value_;
        raster_.mean[cell(row, c)] = counts ? number : std::numeric_limits<double>::quiet_NaN();
      }
    });
  }

  io::Source& source_;
  const Plane& plane_;
  Cells rows_, columns_;
  double no_value_;
  std::int64_t piece_;
  Raster raster_;
  std::vector<std::int64_t> counts_;
};

}  // namespace

Plane plane_of(const Extents& shape, const Extents& leading) {
  const int rank = shape.rank();
  return {leading, rank > 1 ? shape[rank - 2] : 1, shape[rank - 1]};
}

Raster reduce(io::Source& source, const Plane& plane, int rows, int columns, bool nearest,
              std::optional<double> no_value, std::int64_t piece) {
  Reducer reducer(source, plane, rows, columns, no_value, piece);
  return nearest ? reducer.nearest() : reducer.all();
}

}  // namespace terrace::app
