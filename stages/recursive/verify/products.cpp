// Verifies products and eliminations: sampled tiles by plain sums.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/semiring_list.hpp"
#include "stages/recursive/elimination/stage.hpp"
#include "stages/recursive/products/stage.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/recursive/verify.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

using recursive::Semirings;

constexpr std::int64_t product_side = 64;
constexpr std::int64_t piece_depth = 1024;  // of rows and columns, read at a time

/// A sum of products and the sum of their magnitudes.
struct RealSum {
  long double sum = 0, magnitudes = 0;
  void add(long double product) {
    sum += product;
    magnitudes += std::abs(product);
  }
};

/// True if arithmetic of type T may give the real number for a sum of `terms` terms, in any order.
/// (Higham: Accuracy and Stability of Numerical Algorithms, 2002, section 3.1)
template <class T>
bool near(T stored, const RealSum& computed, std::int64_t terms) {
  const long double largest = std::numeric_limits<T>::max();
  if (computed.magnitudes > largest / 2) return true;  // may leave the type on the way
  const long double bound = 1.01L * static_cast<long double>(terms) * roundoff<T>() * computed.magnitudes;
  return std::abs(static_cast<long double>(stored) - computed.sum) <= bound;
}

/// The first element of a tile that differs, as text; empty if there is none.
template <class T, class Equal, class Computed>
std::string first_difference(const Box& tile, const std::vector<T>& stored, Equal&& equal, Computed&& computed) {
  const std::int64_t columns = tile.end[1] - tile.begin[1];
  for (std::size_t n = 0; n < stored.size(); ++n) {
    if (equal(n)) continue;
    const auto at = static_cast<std::int64_t>(n);
    return difference_at({tile.begin[0] + at / columns, tile.begin[1] + at % columns}, text_of(stored[n]),
                         computed(n));
  }
  return "";
}

/// True if products in the algebra S may be of that type.
template <class S, class T>
inline constexpr bool has_product = S::template has<T>&& has_infinity<T>;
template <class S, class T>
requires recursive::is_of_bits<S>
inline constexpr bool has_product<S, T> = std::is_same_v<T, typename S::Result>;

/// The type of the elements of factors of a product of type T.
template <class S, class T>
using FactorOf = std::conditional_t<recursive::is_of_bits<S>, std::uint8_t, T>;

/// The matrices of a product in the type of its elements.
struct Factors {
  std::shared_ptr<io::Source> left, right, accumulate;  // the last one may be null
};

/// Calls add(element, u, v) for all pairs of elements of a row and a column that an element of the tile is made of.
/// The factors are of type T.
template <class T, class Add>
void for_each_pair(const Factors& factors, const Box& tile, Add&& add) {
  const std::int64_t depth = factors.left->shape()[1], columns = tile.end[1] - tile.begin[1];
  for (std::int64_t begin = 0; begin < depth; begin += piece_depth) {
    const std::int64_t end = std::min(depth, begin + piece_depth);
    const auto left = read_box<T>(*factors.left, {{tile.begin[0], begin}, {tile.end[0], end}});
    const auto right = read_box<T>(*factors.right, {{begin, tile.begin[1]}, {end, tile.end[1]}});
    const std::int64_t rows = tile.end[0] - tile.begin[0];
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t k = 0; k < end - begin; ++k) {
        const T u = left[static_cast<std::size_t>(i * (end - begin) + k)];
        for (std::int64_t j = 0; j < columns; ++j) {
          add(static_cast<std::size_t>(i * columns + j), u, right[static_cast<std::size_t>(k * columns + j)]);
        }
      }
    }
  }
}

/// Checks a tile in the algebra S: it equals the result of its operations in type T, or, for real sums of products,
/// is near it.
template <class S, class T>
std::string check_tile(const Factors& factors, const Box& tile, const std::vector<T>& stored) {
  std::vector<T> begin(stored.size(), S::template zero<T>());
  if (factors.accumulate) begin = read_box<T>(*factors.accumulate, tile);
  if constexpr (recursive::same_type<S, recursive::PlusTimes> && std::is_floating_point_v<T>) {
    std::vector<RealSum> sums(stored.size());
    for (std::size_t n = 0; n < sums.size(); ++n) sums[n].add(begin[n]);
    for_each_pair<T>(factors, tile, [&](std::size_t n, T u, T v) { sums[n].add(static_cast<long double>(u) * v); });
    const std::int64_t terms = factors.left->shape()[1] + 2;
    return first_difference(
        tile, stored, [&](std::size_t n) { return near(stored[n], sums[n], terms); },
        [&](std::size_t n) { return text_of(static_cast<T>(sums[n].sum)); });
  } else {
    using U = FactorOf<S, T>;
    constexpr U nothing = S::template zero<U>();
    constexpr bool sums = recursive::same_type<S, recursive::PlusTimes>;
    for_each_pair<U>(factors, tile, [&](std::size_t n, U u, U v) {
      if (!sums && (u == nothing || v == nothing)) return;
      begin[n] = S::template plus<T>(begin[n], static_cast<T>(S::template times<U>(u, v)));
    });
    return first_difference(
        tile, stored, [&](std::size_t n) { return stored[n] == begin[n]; },
        [&](std::size_t n) { return text_of(begin[n]); });
  }
}

}  // namespace

std::vector<Checked> verify_product(const VerifyRequest& request) {
  const Settings& settings = request.request.stage.settings;
  const std::string& semiring = settings.text("semiring");
  const std::shared_ptr<io::Source> product = request.dataset("product");
  const ElementType type = product->type();
  const auto factor = [&](const char* parameter) {
    const std::string& name = settings.text(parameter);
    const WeightRules rules = factor_rules(request.request.stage, parameter);
    return weights(with_no_edge(request.request.array(name), rules), element_type(type, rules), rules);
  };
  const Factors factors{factor("left"), factor("right"), settings.has("accumulate") ? factor("accumulate") : nullptr};
  open_dataset(request, "product", {factors.left->shape()[0], factors.right->shape()[1]}, type);
  if (factors.left->shape()[1] != factors.right->shape()[0]) throw Error("the factors do not fit together any more");
  const TileGrid grid(product->shape(), {product_side, product_side});
  Checked checked;
  dispatch(type, [&](auto value) {
    using T = decltype(value);
    recursive::Semirings::visit(recursive::find_semiring(semiring), [&]<class S>(S) {
      if constexpr (has_product<S, T>) {
        checked = check_parts(request, "product", {"product", grid.count(), "tiles"}, [&](std::int64_t number) {
          const Box tile = grid.box(number);
          return check_tile<S, T>(factors, tile, read_box<T>(*product, tile));
        });
      } else {
        throw WrongDataset("product", "is of " + std::string(name_of(type)) + ", as no such product is");
      }
    });
    if (is_floating(type) && semiring == "plus_times") {
      checked.what += fmt::format(", within {:.2g} of the sum of magnitudes",
                                  1.01 * static_cast<double>(factors.left->shape()[1] + 2) * roundoff<T>());
    }
  });
  return {checked};
}

namespace {

/// A tile of L times U, where both are stored as one, against the matrix.
template <class T>
std::string check_triangles(io::Source& lu, io::Source& matrix, const Box& tile) {
  const std::int64_t columns = tile.end[1] - tile.begin[1], rows = tile.end[0] - tile.begin[0];
  const std::int64_t depth = std::min(tile.end[0], tile.end[1]);
  std::vector<RealSum> sums(static_cast<std::size_t>(rows * columns));
  for (std::int64_t begin = 0; begin < depth; begin += piece_depth) {
    const std::int64_t end = std::min(depth, begin + piece_depth);
    const auto left = read_box<T>(lu, {{tile.begin[0], begin}, {tile.end[0], end}});
    const auto right = read_box<T>(lu, {{begin, tile.begin[1]}, {end, tile.end[1]}});
    for (std::int64_t i = tile.begin[0]; i < tile.end[0]; ++i) {
      for (std::int64_t j = tile.begin[1]; j < tile.end[1]; ++j) {
        RealSum& sum = sums[static_cast<std::size_t>((i - tile.begin[0]) * columns + j - tile.begin[1])];
        for (std::int64_t k = begin; k < std::min(end, std::min(i, j) + 1); ++k) {
          const T l = left[static_cast<std::size_t>((i - tile.begin[0]) * (end - begin) + k - begin)];
          const T u = right[static_cast<std::size_t>((k - begin) * columns + j - tile.begin[1])];
          sum.add(k == i ? static_cast<long double>(u) : static_cast<long double>(l) * u);
        }
      }
    }
  }
  const std::vector<T> stored = read_box<T>(matrix, tile);
  constexpr std::int64_t more =
      6;  // in addition to a product and a sum each: quotients, by reciprocals, and the matrix itself
  const std::int64_t terms = 2 * depth + more;
  return first_difference(
      tile, stored,
      [&](std::size_t n) {
        return std::isfinite(static_cast<double>(sums[n].sum)) && near(stored[n], sums[n], terms);
      },
      [&](std::size_t n) { return text_of(static_cast<T>(sums[n].sum)); });
}

}  // namespace

std::vector<Checked> verify_elimination(const VerifyRequest& request) {
  const std::shared_ptr<io::Source> matrix = open_square_matrix(request.request);
  const std::shared_ptr<io::Source> lu = open_dataset(request, "lu", matrix->shape());
  const std::shared_ptr<io::Source> given = weights(matrix, lu->type(), elimination_rules(request.request));
  const TileGrid grid(lu->shape(), {product_side, product_side});
  Checked checked;
  dispatch(lu->type(), [&](auto value) {
    using T = decltype(value);
    if constexpr (std::is_floating_point_v<T>) {
      checked = check_parts(request, "lu", {"lu", grid.count(), "tiles"},
                            [&](std::int64_t tile) { return check_triangles<T>(*lu, *given, grid.box(tile)); });
      checked.what += fmt::format(" as L times U, within {:.2g} of the sum of magnitudes",
                                  2.02 * static_cast<double>(matrix->shape()[0]) * roundoff<T>());
    } else {
      throw WrongDataset("lu", "is of " + std::string(name_of(lu->type())));
    }
  });
  if (!checked.difference.empty()) checked.difference = "of the matrix and L times U: " + checked.difference;
  return {checked};
}

}  // namespace terrace::stages
