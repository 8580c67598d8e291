// Rates of the recursive family's kernels on the first CUDA device, by its own clock, each on data of its own, with
// checks of samples of the results.
//
//   benchmark_recursive_cuda [PRODUCT [ROWS...]]     rows of a product's matrices (8192), and of closures and
//                                                    eliminations (8192 16384 32768)
#include <cmath>
#include <limits>

#include "tests/benchmarks/tiles_on_cuda.hpp"

namespace terrace::recursive {
namespace {

using testing::DeviceMatrix;
using testing::distances_from;
using testing::Elements;
using testing::most_weight;
using testing::print;
using testing::square_task;
using testing::time_blocks;
using testing::updates_in_place;

/// Elements of a matrix that needs no pivoting.
template <class T>
struct DominantElements {
  Elements<T> others;
  std::int64_t n;

  T at(std::int64_t i, std::int64_t j) const {
    return others.at(i, j) + (i == j ? static_cast<T>(n * static_cast<std::int64_t>(others.most)) : T(0));
  }
};

/// x <- x + u * v of one tile, three times; the last time's row is compared with the definition.
template <class S, class T>
void report_product(device::Context& context, std::int64_t n) {
  constexpr std::uint64_t most = std::is_same_v<S, PlusTimes> ? 3 : most_weight<T>;
  const Elements<T> left{1, most}, right{2, most};
  DeviceMatrix<T> x(context, n, n), u(context, n, n), v(context, n, n);
  u.fill(left);
  v.fill(right);
  TileTask task = square_task(n);
  task.empty = 1;
  task.x = x.at(0, 0);
  task.u = u.at(0, 0);
  task.v = v.at(0, 0);
  double seconds = 1e30;
  for (int turn = 0; turn < 3; ++turn) {
    seconds = std::min(seconds, time_blocks(context, {find_semiring(S::name), element_type_of<T>()}, n, {task}));
  }
  const std::int64_t i = n / 3;
  std::vector<T> expected(static_cast<std::size_t>(n), S::template zero<T>());
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t j = 0; j < n; ++j) {
      T& sum = expected[static_cast<std::size_t>(j)];
      sum = S::template plus<T>(sum, S::template times<T>(left.at(i, k), right.at(k, j)));
    }
  }
  print(fmt::format("product {} {}, {}", S::name, name_of(element_type_of<T>()), n), n, seconds,
        x.row(i) == expected);
}

/// A closure in one launch.
template <class T>
void report_closure(device::Context& context, std::int64_t n, std::int64_t tile) {
  const Elements<T> weights{static_cast<std::uint64_t>(n + tile), most_weight<T>};
  DeviceMatrix<T> x(context, n, tile);
  x.fill(weights);
  const std::vector<TileTask> tasks = updates_in_place(x, tile, false);
  const double seconds = time_blocks(context, {find_semiring("min_plus"), element_type_of<T>()}, tile, tasks);
  const bool right = x.row(n / 3) == distances_from(n / 3, n, weights);
  print(fmt::format("closure {}, {}, tiles of {}", name_of(element_type_of<T>()), n, tile), n, seconds, right);
}

/// An elimination in one launch; a row of L times U is compared with the matrix. The rate counts n^3 / 3 operations.
template <class T>
void report_elimination(device::Context& context, std::int64_t n, std::int64_t tile) {
  const DominantElements<T> elements{{static_cast<std::uint64_t>(n + tile), 1000}, n};
  DeviceMatrix<T> x(context, n, tile);
  x.fill(elements);
  const double seconds = time_blocks(context, {find_semiring("minus_times"), element_type_of<T>()}, tile,
                                     updates_in_place(x, tile, true));
  const std::int64_t i = std::min(n - 1, tile + 70);
  const std::vector<T> factors = x.row(i);
  std::vector<double> product(static_cast<std::size_t>(n)), magnitude(product.size());
  for (std::int64_t k = 0; k <= i; ++k) {
    const std::vector<T> upper = x.row(k);
    const double factor = k == i ? 1 : static_cast<double>(factors[static_cast<std::size_t>(k)]);
    for (auto j = static_cast<std::size_t>(k); j < product.size(); ++j) {
      product[j] += factor * static_cast<double>(upper[j]);
      magnitude[j] += std::abs(factor * static_cast<double>(upper[j]));
    }
  }
  bool right = true;
  for (std::int64_t j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double bound = static_cast<double>(n) * std::numeric_limits<T>::epsilon() * magnitude[at];
    right = right && std::abs(product[at] - static_cast<double>(elements.at(i, j))) <= bound;
  }
  print(fmt::format("elimination {}, {}, tiles of {}", name_of(element_type_of<T>()), n, tile), n, seconds, right,
        1.0 / 3);
}

template <class T>
void report(device::Context& context, std::int64_t product, const std::vector<std::int64_t>& closures) {
  report_product<MinPlus, T>(context, product);
  if constexpr (is_real<T>) report_product<PlusTimes, T>(context, product);
  for (const std::int64_t n : closures) {
    for (const std::int64_t tile : {2048, 4096}) {
      if (n % tile != 0 || tile >= n) continue;
      report_closure<T>(context, n, tile);
      if constexpr (is_real<T>) report_elimination<T>(context, n, tile);
    }
    if (n <= 8192) report_closure<T>(context, n, n);
  }
}

void report_all(device::Context& context, const std::vector<std::int64_t>& numbers) {
  const std::int64_t product = numbers.empty() ? 8192 : numbers[0];
  std::vector<std::int64_t> closures{8192, 16384, 32768};
  if (numbers.size() > 1) closures.assign(numbers.begin() + 1, numbers.end());
  report<float>(context, product, closures);
  report<std::int32_t>(context, product, closures);
  report<std::int16_t>(context, product, closures);
  report<double>(context, product, closures);
  report<std::int64_t>(context, product, closures);
}

}  // namespace
}  // namespace terrace::recursive

int main(int argc, char** argv) {
  return terrace::recursive::testing::run_on_cuda(argc, argv, terrace::recursive::report_all);
}
