#include "stages/recursive/closures/edges.hpp"

#include <cmath>
#include <type_traits>
#include <vector>

#include "io/inputs/graph.hpp"
#include "io/packing.hpp"
#include "kernels/recursive/semiring.hpp"
#include "stages/recursive/weights.hpp"

namespace terrace::stages {
namespace {

/// 1 where an edge is, in u8.
class Edges : public io::Source {
 public:
  Edges(std::shared_ptr<io::Source> matrix, io::DataLabel label, std::optional<double> no_edge)
      : matrix_(std::move(matrix)),
        label_(std::move(label)),
        no_edge_(no_edge || io::is_graph(*matrix_) ? no_edge : 0) {}

  ElementType type() const override { return ElementType::u8; }
  const Extents& shape() const override { return matrix_->shape(); }
  std::vector<std::filesystem::path> files() const override { return matrix_->files(); }
  std::size_t memory() const override { return matrix_->memory(); }

  void read(const Box& box, void* buffer) override {
    dispatch(matrix_->type(), [&](auto value) { read_as<decltype(value)>(box, static_cast<std::uint8_t*>(buffer)); });
  }

 private:
  template <class T>
  void read_as(const Box& box, std::uint8_t* out) const {
    const std::int64_t columns = box.end[1] - box.begin[1];
    std::vector<T> values(static_cast<std::size_t>(box.volume()));
    matrix_->read(box, values.data());
    for (std::size_t n = 0; n < values.size(); ++n) {
      const auto at = static_cast<std::int64_t>(n);
      out[n] = is_edge(values[n], box.begin[0] + at / columns, box.begin[1] + at % columns) ? 1 : 0;
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
  if (!io::is_graph(*matrix)) {
    const io::NoValue none = missing_edge(matrix->type(), no_edge);
    matrix = io::with_no_value(std::move(matrix), none);
  }
  return packed_words(std::make_shared<Edges>(std::move(matrix), std::move(label), no_edge));
}

}  // namespace terrace::stages
