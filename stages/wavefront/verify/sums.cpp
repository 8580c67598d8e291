// Verifies summed-area tables and integral histograms against their recurrence.
#include <algorithm>

#include "io/convert.hpp"
#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/keys.hpp"
#include "stages/wavefront/verify.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t sums_side = 128;
constexpr std::int64_t piece_columns = 8192;  // of the grid, read at a time in addition to a tile

/// Whole numbers are added modulo 2^64, and cut to the table's type.
template <class T>
using Sum = std::conditional_t<std::is_floating_point_v<T>, T, std::uint64_t>;

/// The summands of a box of a layer of the table: values of a grid, or 1 where a value lies in the layer's bin.
template <class T>
using Summands = std::function<std::vector<Sum<T>>(std::int64_t layer, const Box& cells)>;

/// A table of sums against its recurrence, H(i, j) = H(i-1, j) + E, where E is the sum of row i up to column j. Of
/// whole numbers, the E that enter a tile follow from the cells before it; others are added up from column 0 on.
template <class T>
class SumsCheck {
 public:
  /// @param stored rows x columns, or layers x rows x columns
  SumsCheck(const VerifyRequest& request, std::shared_ptr<io::Source> stored, Summands<T> summands)
      : request_(request),
        stored_(std::move(stored)),
        summands_(std::move(summands)),
        layered_(stored_->shape().rank() == 3),
        grid_(layered_ ? stored_->shape() : Extents{1, stored_->shape()[0], stored_->shape()[1]},
              {1, sums_side, sums_side}) {}

  Checked run() {
    return check_parts(request_, "table", {"table", grid_.count(), "tiles"}, [&](std::int64_t tile) {
      const Box box = grid_.box(tile);
      return check(box.begin[0], {{box.begin[1], box.begin[2]}, {box.end[1], box.end[2]}});
    });
  }

 private:
  std::vector<T> read(std::int64_t layer, const Box& cells) {
    if (!layered_) return read_box<T>(*stored_, cells);
    return read_box<T>(*stored_, {{layer, cells.begin[0], cells.begin[1]}, {layer + 1, cells.end[0], cells.end[1]}});
  }

  /// The table above the tile: of each column the cell on top of it, 0 above the table.
  std::vector<Sum<T>> cells_above(std::int64_t layer, const Box& tile) {
    std::vector<Sum<T>> above(static_cast<std::size_t>(tile.end[1] - tile.begin[1]));
    if (tile.begin[0] == 0) return above;
    const auto cells = read(layer, {{tile.begin[0] - 1, tile.begin[1]}, {tile.begin[0], tile.end[1]}});
    std::transform(cells.begin(), cells.end(), above.begin(), [](T cell) { return static_cast<Sum<T>>(cell); });
    return above;
  }

  /// The sum of each row of the tile up to its first column.
  std::vector<Sum<T>> sums_before(std::int64_t layer, const Box& tile) {
    std::vector<Sum<T>> sums(static_cast<std::size_t>(tile.end[0] - tile.begin[0]));
    if (tile.begin[1] == 0) return sums;
    if constexpr (std::is_floating_point_v<T>) {
      for (std::int64_t begin = 0; begin < tile.begin[1]; begin += piece_columns) {
        const std::int64_t end = std::min(tile.begin[1], begin + piece_columns);
        const auto values = summands_(layer, {{tile.begin[0], begin}, {tile.end[0], end}});
        for (std::size_t n = 0; n < values.size(); ++n) sums[n / static_cast<std::size_t>(end - begin)] += values[n];
      }
    } else {
      const std::int64_t first = std::max<std::int64_t>(0, tile.begin[0] - 1);
      const auto cells = read(layer, {{first, tile.begin[1] - 1}, {tile.end[0], tile.begin[1]}});
      const std::size_t shift = cells.size() - sums.size();  // 1 if there is a row above
      for (std::size_t i = 0; i < sums.size(); ++i) {
        sums[i] = static_cast<Sum<T>>(cells[i + shift]);
        if (i + shift > 0) sums[i] -= static_cast<Sum<T>>(cells[i + shift - 1]);
      }
    }
    return sums;
  }

  std::string check(std::int64_t layer, const Box& tile) {
    std::vector<Sum<T>> above = cells_above(layer, tile), sums = sums_before(layer, tile);
    const std::vector<T> stored = read(layer, tile);
    const std::vector<Sum<T>> values = summands_(layer, tile);
    const std::size_t columns = above.size();
    for (std::size_t n = 0; n < stored.size(); ++n) {
      const std::size_t i = n / columns, j = n % columns;
      sums[i] += values[n];
      const T computed = static_cast<T>(above[j] + sums[i]);
      const bool both_nan = computed != computed && stored[n] != stored[n];
      if (stored[n] != computed && !both_nan) {
        const std::int64_t row = tile.begin[0] + static_cast<std::int64_t>(i);
        const std::int64_t column = tile.begin[1] + static_cast<std::int64_t>(j);
        return difference_at(layered_ ? Extents{layer, row, column} : Extents{row, column}, text_of(stored[n]),
                             text_of(computed));
      }
      above[j] = static_cast<Sum<T>>(stored[n]);
    }
    return "";
  }

  const VerifyRequest& request_;
  std::shared_ptr<io::Source> stored_;
  Summands<T> summands_;
  bool layered_;
  TileGrid grid_;
};

template <class T>
Checked check_sums(const VerifyRequest& request, const std::shared_ptr<io::Source>& stored,
                   const std::shared_ptr<io::Source>& grid) {
  using Read = std::conditional_t<std::is_floating_point_v<T>, T, std::int64_t>;
  const std::shared_ptr<io::Source> values = io::convert(grid, element_type_of<Read>());
  return SumsCheck<T>(request, stored,
                      [&](std::int64_t, const Box& cells) {
                        const std::vector<Read> read = read_box<Read>(*values, cells);
                        return std::vector<Sum<T>>(read.begin(), read.end());
                      })
      .run();
}

template <class T>
Checked check_counts(const VerifyRequest& request, const std::shared_ptr<io::Source>& stored,
                     const std::shared_ptr<io::Source>& grid, const std::vector<double>& edges) {
  return SumsCheck<T>(request, stored,
                      [&](std::int64_t bin, const Box& cells) {
                        const wavefront::KeyRange keys = wavefront::bin_keys(edges, bin, grid->type());
                        std::vector<Sum<T>> counted;
                        dispatch(grid->type(), [&](auto sample) {
                          for (const auto value : read_box<decltype(sample)>(*grid, cells)) {
                            const std::uint64_t key = wavefront::key_of(value);
                            counted.push_back(keys.low <= key && key <= keys.high ? 1 : 0);
                          }
                        });
                        return counted;
                      })
      .run();
}

}  // namespace

std::vector<Checked> verify_sums(const VerifyRequest& request, const wavefront::Description& problem) {
  const Settings& settings = request.request.stage.settings;
  const std::shared_ptr<io::Source> grid = request.request.array(settings.text("grid"));
  Extents shape = grid->shape();
  if (problem.counts) shape = {settings.integer("bins"), shape[0], shape[1]};
  const std::shared_ptr<io::Source> stored = open_dataset(request, "table", shape);
  std::vector<Checked> found;
  if (problem.counts) {
    const std::vector<double> edges = wavefront::bin_edges(settings, grid->type());
    found.push_back(stored->type() == ElementType::i32 ? check_counts<std::int32_t>(request, stored, grid, edges)
                                                       : check_counts<std::int64_t>(request, stored, grid, edges));
    std::vector<std::string> texts;
    for (const double edge : edges) texts.push_back(text_of(edge));
    found.push_back(check_texts(request, "edges", texts, "computed again"));
    return found;
  }
  switch (stored->type()) {
    case ElementType::i32:
      return {check_sums<std::int32_t>(request, stored, grid)};
    case ElementType::i64:
      return {check_sums<std::int64_t>(request, stored, grid)};
    case ElementType::f32:
      return {check_sums<float>(request, stored, grid)};
    case ElementType::f64:
      return {check_sums<double>(request, stored, grid)};
    default:
      throw WrongDataset("table", "is of " + std::string(name_of(stored->type())) + ", as no sums are");
  }
}

}  // namespace terrace::stages
