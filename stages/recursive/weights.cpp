#include "stages/recursive/weights.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "io/inputs/graph.hpp"
#include "io/packing.hpp"
#include "kernels/recursive/semiring.hpp"
#include "pipeline/base/error.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/stated_weights.hpp"
#include "stages/recursive/weight_element.hpp"
#include "stages/watched_read.hpp"

namespace terrace::stages {

using recursive::Nothing;

namespace {

constexpr std::int64_t most_values = 1 << 17;  // read at a time, beyond one row

/// The least and the largest value that the rules leave as they are, as all between them, in a matrix of that type.
template <class T>
std::pair<T, T> kept_range(const WeightRules& rules) {
  const T infinity = recursive::infinity<T>();
  T most = static_cast<T>(infinity - 1);
  bool below = rules.nothing == Nothing::minus_infinity, above = rules.nothing == Nothing::infinity;
  if constexpr (std::is_floating_point_v<T>) {
    most = std::numeric_limits<T>::max();
    below |= rules.any_infinity;
    above |= rules.any_infinity;
  }
  const T least = rules.not_negative ? T(0) : static_cast<T>(below ? -infinity : -most);
  return {least, above ? infinity : most};
}

template <class T>
bool all_in(const std::pair<T, T>& range, const T* values, std::int64_t count) {
  int in = 1;
  for (std::int64_t n = 0; n < count; ++n) in &= int{values[n] >= range.first} & int{values[n] <= range.second};
  return in != 0;
}

/// Calls visit(rows, values) for pieces of whole rows of the box, in order, until one returns false; the values are
/// of the matrix's own type.
template <class From, class Visit>
void read_rows(io::Source& matrix, const Box& box, const Visit& visit) {
  const std::int64_t columns = box.end[1] - box.begin[1];
  const std::int64_t most = std::max<std::int64_t>(1, most_values / std::max<std::int64_t>(1, columns));
  std::vector<From> values;
  for (Box part = box; part.begin[0] < box.end[0]; part.begin[0] = part.end[0]) {
    part.end[0] = std::min(box.end[0], part.begin[0] + most);
    values.resize(static_cast<std::size_t>(part.volume()));
    matrix.read(part, values.data());
    if (!visit(part, values.data())) return;
  }
}

class Weights : public io::Source {
 public:
  Weights(std::shared_ptr<io::Source> matrix, ElementType type, WeightRules rules)
      : matrix_(std::move(matrix)), type_(type), rules_(std::move(rules)) {}

  ElementType type() const override { return type_; }
  const Extents& shape() const override { return matrix_->shape(); }
  std::vector<std::filesystem::path> files() const override { return matrix_->files(); }
  std::size_t memory() const override { return matrix_->memory(); }

  void read(const Box& box, void* buffer) override {
    if (box.empty()) return;
    dispatch(matrix_->type(), [&](auto from) {
      using From = decltype(from);
      if (rules_.nothing == Nothing::false_) return read_truth<From>(box, static_cast<std::uint8_t*>(buffer));
      dispatch(type_, [&](auto to) {
        using To = decltype(to);
        if constexpr (has_infinity<To> && std::is_same_v<From, To>) read_same(box, static_cast<To*>(buffer));
        else if constexpr (has_infinity<To>) read_as<From>(box, static_cast<To*>(buffer));
        else throw Error("elements of " + std::string(name_of(type_)));
      });
    });
  }

 private:
  /// Reads into the buffer itself: few elements, or none, are not the same in the end.
  template <class T>
  void read_same(const Box& box, T* values) {
    matrix_->read(box, values);
    if (rules_.stated) check_stated(box, values);
    if (rules_.zeros) count_zeros(box, values);
    const std::pair<T, T> kept = kept_range<T>(rules_);
    const std::int64_t columns = box.end[1] - box.begin[1];
    for (std::int64_t i = box.begin[0]; i < box.end[0]; ++i, values += columns) {
      if (rules_.no_edge || !all_in(kept, values, columns)) {
        for (std::int64_t j = 0; j < columns; ++j)
          values[j] = weight_of<T>(*matrix_, rules_, values[j], i, box.begin[1] + j);
      }
      if (rules_.zero_diagonal && box.begin[1] <= i && i < box.end[1]) {
        T& self = values[i - box.begin[1]];
        self = std::min(self, T(0));
      }
    }
  }

  template <class From, class To>
  void read_as(const Box& box, To* out) {
    read_rows<From>(*matrix_, box, [&](const Box& part, const From* values) {
      if (rules_.stated) check_stated(part, values);
      if (rules_.zeros) count_zeros(part, values);
      if constexpr (io::may_lose_digits<From, To>) {
        if (rules_.rounded)
          rules_.rounded->template look<To>(part, values, [&](From value) { return !is_no_edge(value, rules_); });
      }
      for (std::int64_t i = part.begin[0]; i < part.end[0]; ++i) {
        for (std::int64_t j = part.begin[1]; j < part.end[1]; ++j) {
          *out = weight_of<To>(*matrix_, rules_, *values++, i, j);
          if (rules_.zero_diagonal && i == j) *out = std::min(*out, To(0));
          ++out;
        }
      }
      return true;
    });
  }

  template <class From>
  void check_stated(const Box& part, const From* values) const {
    const auto outside = first_outside(matrix_->type(), values, part.volume(), rules_);
    if (!outside) return;
    const WeightRange& range = rules_.stated->range;
    const std::int64_t columns = part.end[1] - part.begin[1];
    const std::string what = range.any ? "is outside of " + std::to_string(range.least) + " to " +
                                             std::to_string(range.most) + ", " + rules_.stated->reason
                                       : "is a weight, where there is none by " + rules_.stated->reason;
    fail_at_weight(*matrix_, rules_, part.begin[0] + *outside / columns, part.begin[1] + *outside % columns,
                   finite_text(values[*outside]), what.c_str());
  }

  template <class From>
  void count_zeros(const Box& part, const From* values) const {
    std::int64_t zero = std::count(values, values + part.volume(), From(0)), all = part.volume();
    const std::int64_t columns = part.end[1] - part.begin[1];
    for (std::int64_t i = std::max(part.begin[0], part.begin[1]); i < std::min(part.end[0], part.end[1]); ++i) {
      --all;
      zero -= values[(i - part.begin[0]) * columns + i - part.begin[1]] == From(0) ? 1 : 0;
    }
    rules_.zeros->all += all;
    rules_.zeros->zero += zero;
  }

  /// Elements of a graph are edges, whatever these weigh, or infinity.
  template <class From>
  void read_truth(const Box& box, std::uint8_t* out) {
    const bool graph = io::is_graph(*matrix_);
    const From nothing = graph ? recursive::infinity<From>() : From(0);
    read_rows<From>(*matrix_, box, [&](const Box& part, const From* values) {
      const std::int64_t count = part.volume(), columns = part.end[1] - part.begin[1];
      const auto fail = [&](std::int64_t n, const char* fault) {
        fail_at_weight(*matrix_, rules_, part.begin[0] + n / columns, part.begin[1] + n % columns,
                       finite_text(values[n]), fault);
      };
      for (std::int64_t n = 0; n < count; ++n) {
        if constexpr (std::is_floating_point_v<From>) {
          if (std::isnan(values[n])) fail(n, "is no number (NaN)");
        }
        if (rules_.zero_or_one && !graph && values[n] != From(0) && values[n] != From(1))
          fail(n, std::isinf(static_cast<double>(values[n]))
                      ? "is infinite; elements of the factors of `count` are 0 and 1"
                      : "is neither 0 nor 1, as elements of the factors of `count` are");
        *out++ = values[n] != nothing ? 1 : 0;
      }
      return true;
    });
  }

  std::shared_ptr<io::Source> matrix_;
  ElementType type_;
  WeightRules rules_;
};

}  // namespace

std::shared_ptr<io::Source> weights(std::shared_ptr<io::Source> matrix, ElementType type, WeightRules rules) {
  return std::make_shared<Weights>(std::move(matrix), type, std::move(rules));
}

std::shared_ptr<io::Source> with_no_edge(std::shared_ptr<io::Source> matrix, const WeightRules& rules) {
  if (!rules.no_edge && (rules.nothing == Nothing::zero || rules.nothing == Nothing::false_)) return matrix;
  const auto none_of = [&](ElementType type) {
    return dispatch(type, [&](auto zero) -> std::optional<io::NoValue> {
      const auto element = no_edge_element<decltype(zero)>(rules);
      return element ? std::optional(io::NoValue{type, static_cast<long double>(*element)}) : std::nullopt;
    });
  };
  std::optional<io::NoValue> none = none_of(matrix->type());
  if (!none) none = none_of(distance_type(matrix->type()));
  return io::with_no_value(std::move(matrix), *none);
}

WeightScan scan_weights(io::Source& matrix, const WeightRules& rules, const Watch& watch,
                        const std::function<bool(const WeightRange& seen)>& enough) {
  WeightScan scan;
  WatchedPart reading(watch, reading_part(rules.label.array), "element", volume(matrix.shape()));
  dispatch(matrix.type(), [&](auto from) {
    using From = decltype(from);
    if constexpr (!std::is_floating_point_v<From>) {
      read_rows<From>(matrix, Box::whole(matrix.shape()), [&](const Box& part, const From* values) {
        const std::int64_t count = part.volume(), columns = matrix.shape()[1];
        for (std::int64_t n = 0; n < count; ++n) {
          if (is_no_edge(values[n], rules)) continue;
          if (const char* fault = fault_of_weight<From, std::int64_t>(values[n], rules)) {
            fail_at_weight(matrix, rules, part.begin[0] + n / columns, n % columns, finite_text(values[n]), fault);
          }
          const auto value = static_cast<std::int64_t>(values[n]);
          scan.range.add(value, value);
        }
        scan.whole = part.end[0] == matrix.shape()[0];
        reading.advance(count);
        return !enough || !enough(scan.range);
      });
    }
  });
  return scan;
}

}  // namespace terrace::stages
