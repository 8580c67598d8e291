#include "stages/recursive/closures/edges.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "io/inputs/graph.hpp"
#include "io/packing.hpp"
#include "kernels/recursive/semiring.hpp"
#include "stages/recursive/weights.hpp"

namespace terrace::stages {
namespace {

class EdgeBits : public io::Source {
 public:
  EdgeBits(std::shared_ptr<io::Source> matrix, io::DataLabel label, std::optional<double> no_edge)
      : matrix_(std::move(matrix)),
        label_(std::move(label)),
        no_edge_(no_edge || io::is_graph(*matrix_) ? no_edge : 0),
        shape_{matrix_->shape()[0], words_of(matrix_->shape()[1])} {}

  ElementType type() const override { return ElementType::u32; }
  const Extents& shape() const override { return shape_; }
  std::vector<std::filesystem::path> files() const override { return matrix_->files(); }
  std::size_t memory() const override { return matrix_->memory(); }

  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    dispatch(matrix_->type(),
             [&](auto value) { read_as<decltype(value)>(box, static_cast<std::uint32_t*>(buffer)); });
  }

 private:
  template <class T>
  void read_as(const Box& box, std::uint32_t* words) const {
    Box cells = box;
    cells.begin[1] = box.begin[1] * cells_of_word;
    cells.end[1] = std::min(matrix_->shape()[1], box.end[1] * cells_of_word);
    const std::int64_t columns = cells.end[1] - cells.begin[1], across = box.end[1] - box.begin[1];
    std::vector<T> row(static_cast<std::size_t>(columns));
    std::fill_n(words, box.volume(), 0u);
    for (std::int64_t i = box.begin[0]; i < box.end[0]; ++i, words += across) {
      cells.begin[0] = i;
      cells.end[0] = i + 1;
      matrix_->read(cells, row.data());
      for (std::int64_t j = 0; j < columns; ++j) {
        if (is_edge(row[static_cast<std::size_t>(j)], i, cells.begin[1] + j)) {
          words[j / cells_of_word] |= 1u << j % cells_of_word;
        }
      }
    }
  }

  template <class T>
  bool is_edge(T value, std::int64_t i, std::int64_t j) const {
    if constexpr (std::is_floating_point_v<T>) {
      if (std::isnan(value)) label_.fail(*matrix_, {i, j}, "is no number (NaN)");
    }
    if constexpr (has_infinity<T>) {
      if (value == recursive::infinity<T>()) return false;
    }
    return !no_edge_ || static_cast<double>(value) != *no_edge_;
  }

  std::shared_ptr<io::Source> matrix_;
  io::DataLabel label_;
  std::optional<double> no_edge_;
  Extents shape_;
};

/// The element that missing ones of a matrix become.
io::NoValue missing_edge(ElementType type, std::optional<double> no_edge) {
  io::NoValue none{type, static_cast<long double>(no_edge.value_or(0))};
  dispatch(type, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (has_infinity<T>) none.also = static_cast<long double>(recursive::infinity<T>());
  });
  return none;
}

}  // namespace

std::shared_ptr<io::Source> edge_bits(std::shared_ptr<io::Source> matrix, io::DataLabel label,
                                      std::optional<double> no_edge) {
  if (!io::is_graph(*matrix)) matrix = io::with_no_value(std::move(matrix), missing_edge(matrix->type(), no_edge));
  return std::make_shared<EdgeBits>(std::move(matrix), std::move(label), no_edge);
}

}  // namespace terrace::stages
