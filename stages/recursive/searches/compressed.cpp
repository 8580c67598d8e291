#include "stages/recursive/searches/compressed.hpp"

#include <algorithm>
#include <type_traits>

#include "io/inputs/graph.hpp"
#include "kernels/recursive/tiles.hpp"
#include "pipeline/base/error.hpp"
#include "stages/recursive/weight_element.hpp"

namespace terrace::stages {
namespace {

/// Takes edges in the order of their nodes. @tparam From type of the matrix @tparam T of the distances
template <class From, class T>
class Compression {
  using Sum = recursive::SumOf<T>;

 public:
  Compression(const io::Source& matrix, const WeightRules& rules) : matrix_(matrix), rules_(rules) {}

  Compressed run() {
    const std::span<const io::Edge> edges = io::edges_of(matrix_);
    graph_->nodes = matrix_.shape()[0];
    graph_->begin.reserve(static_cast<std::size_t>(graph_->nodes) + 1);
    graph_->to.reserve(edges.size());
    weight_.reserve(edges.size());
    auto edge = edges.begin();
    for (std::int64_t node = 0; node < graph_->nodes; ++node) {
      for (; edge != edges.end() && edge->from == node; ++edge) add(*edge);
      graph_->begin.push_back(graph_->edges());
    }
    graph_->weight = std::move(weight_);
    return {graph_, found_};
  }

 private:
  void add(const io::Edge& edge) {
    const auto value = static_cast<From>(edge.weight);
    const T weight = weight_of<T>(matrix_, rules_, value, edge.from, edge.to);
    if (weight == recursive::infinity<T>()) return;
    if constexpr (io::may_lose_digits<From, T>) {
      const Extents at{edge.from, edge.to}, end{edge.from + 1, edge.to + 1};
      if (rules_.rounded) rules_.rounded->template look<T>({at, end}, &value);
    }
    note(weight);
    if (edge.from == edge.to && rules_.zero_diagonal && !(weight < T(0))) return;
    graph_->to.push_back(static_cast<std::int32_t>(edge.to));
    weight_.push_back(static_cast<Sum>(weight));
    graph_->equal &= weight_.back() == weight_.front();
    graph_->negative |= weight < T(0);
  }

  void note(T weight) {
    if constexpr (std::is_floating_point_v<T>) {
      found_.least = std::min(found_.least, static_cast<double>(weight));
      found_.most = std::max(found_.most, static_cast<double>(weight));
    } else {
      found_.weights.add(weight, weight);
    }
  }

  const io::Source& matrix_;
  const WeightRules& rules_;
  std::shared_ptr<recursive::SearchGraph> graph_ = std::make_shared<recursive::SearchGraph>();
  std::vector<Sum> weight_;
  FoundDistances found_;
};

}  // namespace

Compressed compress(const io::Source& matrix, ElementType value, const WeightRules& rules) {
  return dispatch(value, [&](auto zero) -> Compressed {
    using T = decltype(zero);
    if constexpr (has_infinity<T>) {
      if (matrix.type() == ElementType::i64) return Compression<std::int64_t, T>(matrix, rules).run();
      return Compression<double, T>(matrix, rules).run();
    } else {
      throw Error("distances of " + std::string(name_of(value)));
    }
  });
}

}  // namespace terrace::stages
