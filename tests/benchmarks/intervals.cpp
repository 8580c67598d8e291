// Rates of problems over intervals in core, on the first CUDA device if there is one, else on the CPU: splits a
// second, n^3 / 6 over the time of all blocks in their order, with checks of samples of the table.
//
//   benchmark_intervals [cpu|cuda [NODES...]]     (cuda 8192 16384 32768; cpu 4096)
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "kernels/recursive/interval_rules.hpp"
#include "kernels/recursive/intervals.hpp"
#include "stages/recursive/triangles/order.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/differential/recursive/tiled_triangle.hpp"

namespace terrace::recursive {
namespace {

using testing::Values;

/// A triangle of full tiles in the memory that the device computes in.
template <class R, class T>
class Triangle {
 public:
  Triangle(device::Context& context, std::int64_t nodes, std::int64_t tile, const std::vector<T>& terms)
      : context_(context), nodes_(nodes), tile_(tile), across_(nodes / tile), terms_(context, terms) {
    const std::size_t bytes = static_cast<std::size_t>(tile * tile) * sizeof(T);
    for (std::int64_t n = 0; n < across_ * (across_ + 1) / 2; ++n) {
      tiles_.push_back(std::make_unique<device::Memory>(context, bytes));
    }
  }

  /// All blocks in the order that jobs have.
  std::vector<IntervalTask> tasks() const {
    const stages::TriangleOrder order(across_, {2});
    std::vector<IntervalTask> tasks;
    for (std::int64_t index = 0; index < order.count(); ++index) tasks.push_back(task(order.at(index)));
    return tasks;
  }

  T at(std::int64_t i, std::int64_t j) const { return row(i, j, j + 1).front(); }

  /// Rows [begin, end) of a column.
  std::vector<T> column(std::int64_t j, std::int64_t begin, std::int64_t end) const {
    std::vector<T> values;
    for (std::int64_t a = begin / tile_; a * tile_ < end; ++a) {
      const std::vector<T> tile = fetch(tile_at(a, j / tile_), tile_ * tile_);
      for (std::int64_t i = std::max(begin, a * tile_); i < std::min(end, (a + 1) * tile_); ++i) {
        values.push_back(tile[static_cast<std::size_t>(i % tile_ * tile_ + j % tile_)]);
      }
    }
    return values;
  }
  /// Columns [begin, end) of a row.
  std::vector<T> row(std::int64_t i, std::int64_t begin, std::int64_t end) const {
    std::vector<T> values;
    for (std::int64_t j = begin, next = 0; j < end; j = next) {
      next = std::min(end, (j / tile_ + 1) * tile_);
      const std::vector<T> part = fetch(tile_at(i / tile_, j / tile_) + i % tile_ * tile_ + j % tile_, next - j);
      values.insert(values.end(), part.begin(), part.end());
    }
    return values;
  }

 private:
  T* tile_at(std::int64_t i, std::int64_t j) const {
    return tiles_[static_cast<std::size_t>(j * (j + 1) / 2 + i)]->as<T>();
  }

  std::vector<T> fetch(const T* from, std::int64_t count) const {
    if (context_.shares_host_memory()) return {from, from + count};
    const device::Memory staging(context_, static_cast<std::size_t>(count) * sizeof(T), device::In::host);
    context_.copy(device::Queue::down, staging.as<void>(), from, static_cast<std::size_t>(count) * sizeof(T));
    context_.record(device::Queue::down)->wait();
    return {staging.as<T>(), staging.as<T>() + count};
  }

  IntervalTask task(const stages::TriangleUpdate& at) const {
    IntervalTask task{};
    task.step = !at.closes() ? IntervalStep::multiply : at.i == at.j ? IntervalStep::diagonal : IntervalStep::close;
    task.rows = task.columns = task.x_stride = task.u_stride = task.v_stride = task.beside_stride = tile_;
    task.row = at.i * tile_;
    task.column = at.j * tile_;
    task.nodes = nodes_;
    task.empty = at.before == 0;
    task.wobble = 1;
    task.least_inside = 3;
    task.x = tile_at(at.i, at.j);
    task.terms = terms_.data();
    if (at.i == at.j) return task;
    if (!at.closes()) {
      task.depth = tile_;
      task.first_split = at.k * tile_;
      task.u = tile_at(at.i, at.k);
      task.v = tile_at(at.k, at.j);
      return task;
    }
    task.u = tile_at(at.i, at.i);
    task.v = tile_at(at.j, at.j);
    task.under = tile_at(at.i + 1, at.j);
    task.beside = tile_at(at.i, at.j - 1) + tile_ - 1;
    if (at.i + 1 < at.j) task.corner = tile_at(at.i + 1, at.j - 1) + tile_ - 1;
    return task;
  }

  device::Context& context_;
  std::int64_t nodes_, tile_, across_;
  Values<T> terms_;
  std::vector<std::unique_ptr<device::Memory>> tiles_;
};

/// True if a value follows by the definition from the values of its row and its column.
template <class R, class T>
bool is_right(const Triangle<R, T>& triangle, const NodeTerms<T>& terms, std::int64_t i, std::int64_t j) {
  using S = typename R::Algebra;
  const std::vector<T> row = triangle.row(i, i + 1, j), column = triangle.column(j, i + 1, j);
  T best = S::template zero<T>();
  for (std::int64_t k = i + 1; k < j; ++k) {
    const auto n = static_cast<std::size_t>(k - i - 1);
    const T weight = R::weighted ? static_cast<T>(terms.first[i] * terms.first[k]) : T(0);
    best = S::template plus<T>(best, R::template split<T>(row[n], column[n], weight, terms.first[j]));
  }
  return triangle.at(i, j) == R::whole(best, triangle.at(i + 1, j - 1), terms, i, j);
}

template <class R, class T>
void report(device::Context& context, const std::string& name, std::int64_t nodes, std::int64_t tile) {
  const std::vector<T> values = testing::random_terms<R, T>(nodes, 7);
  const NodeTerms<T> terms{values.data(), values.data() + nodes, values.data() + 2 * nodes, 3, 1};
  const Triangle<R, T> triangle(context, nodes, tile, values);
  const IntervalSpec spec{Rules::index<R>(), element_type_of<T>(), false};
  std::unique_ptr<device::Memory> workspace;
  std::unique_ptr<device::BlockKernel> kernel;
  if (context.shares_host_memory()) {
    kernel = make_intervals_cpu(spec, context);
  } else {
    workspace = std::make_unique<device::Memory>(context, intervals_cuda_bytes(spec, tile));
    kernel = make_intervals_cuda(spec, tile, context, workspace->template as<void>());
  }
  std::vector<IntervalResult> results;
  const std::vector<IntervalTask> tasks = triangle.tasks();
  double closing = 0, products = 0;
  const auto run = [&](const std::vector<IntervalTask>& part) {
    double seconds = 1e30;
    for (int turn = 0; turn < 2; ++turn) {
      seconds = std::min(seconds, testing::run_blocks(context, *kernel, part, results).seconds);
    }
    return seconds;
  };
  const double all = run(tasks);
  bool right = true;
  for (const std::int64_t i : {std::int64_t{0}, nodes / 3, nodes - tile / 2 - 2}) {
    right &= is_right(triangle, terms, i, nodes - 1);
    right &= is_right(triangle, terms, i, std::min(nodes - 1, i + tile / 2));
  }
  // Blocks of finished tiles once more; their results are not checked.
  for (const IntervalStep step : {IntervalStep::close, IntervalStep::multiply}) {
    const auto one = std::find_if(tasks.begin(), tasks.end(), [&](const auto& task) { return task.step == step; });
    if (one == tasks.end()) continue;
    IntervalTask again = *one;
    again.empty = 0;
    (step == IntervalStep::close ? closing : products) = run({again});
  }
  const double n = static_cast<double>(nodes), side = static_cast<double>(tile);
  std::cout << fmt::format(
                   "{:8} {:3} {:6} nodes, tiles of {:4}: {:9.1f} ms, {:8.1f} G splits/s; a product {:7.2f} ms, "
                   "{:8.1f} G/s; closing a tile {:7.2f} ms, {:8.1f} G/s; {}\n",
                   name, name_of(spec.value), nodes, tile, 1e3 * all, 1e-9 * n * n * n / 6 / all, 1e3 * products,
                   products > 0 ? 1e-9 * side * side * side / products : 0, 1e3 * closing,
                   closing > 0 ? 1e-9 * side * side * side / closing : 0, right ? "right" : "WRONG")
            << std::flush;
}

int run(int argc, char** argv) {
  const bool cuda = argc > 1 ? std::string(argv[1]) == "cuda" : !device::cuda_devices().empty();
  if (cuda && device::cuda_devices().empty()) {
    std::cout << "SKIPPED: no CUDA device\n";
    return 0;
  }
  const auto context = cuda ? device::make_cuda_context(0) : device::make_cpu_context();
  std::vector<std::int64_t> sizes;
  for (int n = 2; n < argc; ++n) sizes.push_back(std::atoll(argv[n]));
  if (sizes.empty()) sizes = cuda ? std::vector<std::int64_t>{8192, 16384, 32768} : std::vector<std::int64_t>{4096};
  std::cout << context->limits().name << "\n";
  for (const std::int64_t nodes : sizes) {
    for (const std::int64_t tile :
         cuda ? std::vector<std::int64_t>{1024, 2048} : std::vector<std::int64_t>{512, 1024}) {
      if (nodes % tile != 0) continue;
      report<ChainRule, double>(*context, "chain", nodes, tile);
      report<ChainRule, i32>(*context, "chain", nodes, tile);
      report<SearchTreeRule, double>(*context, "tree", nodes, tile);
      report<SearchTreeRule, i32>(*context, "tree", nodes, tile);
      report<PairingRule, i16>(*context, "pairing", nodes, tile);
    }
  }
  return 0;
}

}  // namespace
}  // namespace terrace::recursive

int main(int argc, char** argv) {
  return terrace::benchmark_main([&] { return terrace::recursive::run(argc, argv); });
}
