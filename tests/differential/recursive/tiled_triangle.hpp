// A triangle of tiles of any size, updated through launches on any device, and random terms of each rule.
#pragma once

#include <catch2/catch.hpp>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "kernels/recursive/interval_reference.hpp"
#include "kernels/recursive/intervals.hpp"
#include "tests/differential/recursive/tiled_matrix.hpp"

namespace terrace::recursive::testing {

template <>
struct TaskOfResult<IntervalResult> {
  using Type = IntervalTask;
};

/// Terms of a problem of `nodes` nodes: three rows. Few values, so that many splits are equally good.
template <class R, class T>
std::vector<T> random_terms(std::int64_t nodes, unsigned seed) {
  std::mt19937 random(seed);
  const auto draw = [&](int most) { return static_cast<T>(std::uniform_int_distribution<int>(0, most)(random)); };
  std::vector<T> terms(static_cast<std::size_t>(3 * nodes));
  const auto at = [&](std::int64_t row, std::int64_t node) -> T& {
    return terms[static_cast<std::size_t>(row * nodes + node)];
  };
  T sum = T(0);
  for (std::int64_t node = 0; node < nodes; ++node) {
    if constexpr (same_type<R, PairingRule>) {
      at(0, node) = static_cast<T>(1 << std::uniform_int_distribution<int>(0, 3)(random));
    } else if constexpr (same_type<R, ChainRule>) {
      at(0, node) = static_cast<T>(draw(8) + T(1));
    } else if constexpr (same_type<R, PerimeterRule>) {
      at(0, node) = draw(20);
      at(1, node) = draw(20);
    } else {
      at(0, node) = sum;
      sum = static_cast<T>(sum + draw(5));
      at(1, node) = sum;
      at(2, node) = draw(3);
      sum = static_cast<T>(sum + at(2, node));
    }
  }
  return terms;
}

/// The table and the splits of a triangle, row-major.
template <class T>
struct Solved {
  std::vector<T> table;
  std::vector<std::int32_t> split;
  friend bool operator==(const Solved&, const Solved&) = default;
};

/// Conditions on pairs in a pairing; other rules ignore them.
struct PairRules {
  std::int64_t least_inside = 3;
  bool wobble = true;
};

template <class R, class T>
Solved<T> solve_plainly(const std::vector<T>& terms, std::int64_t nodes, const PairRules& rules) {
  Solved<T> solved{std::vector<T>(static_cast<std::size_t>(nodes * nodes)),
                   std::vector<std::int32_t>(static_cast<std::size_t>(nodes * nodes))};
  const NodeTerms<T> view{terms.data(), terms.data() + nodes, terms.data() + 2 * nodes, rules.least_inside,
                          rules.wobble};
  solve_intervals<R, T>(view, nodes, solved.table.data(), solved.split.data());
  return solved;
}

/// Tiles tightly packed, each in memory that the host and the kernels reach. Diagonal by diagonal; the splits between
/// a tile's rows and columns from the last tile to the first, so that none comes in its natural order.
template <class T>
class TiledTriangle {
 public:
  TiledTriangle(device::Context& context, const std::vector<T>& terms, std::int64_t nodes, std::int64_t tile,
                const PairRules& rules, bool pairs, bool splits)
      : context_(context),
        nodes_(nodes),
        tile_(tile),
        across_((nodes + tile - 1) / tile),
        rules_(rules),
        pairs_(pairs),
        splits_(splits),
        terms_(context, terms) {
    for (std::int64_t i = 0; i < across_; ++i) {
      for (std::int64_t j = 0; j < across_; ++j) {
        const auto size = static_cast<std::size_t>(side(i) * side(j));
        tiles_.push_back(std::make_unique<Values<T>>(context, std::vector<T>(size, T(7))));
        split_.push_back(std::make_unique<Values<std::int32_t>>(context, std::vector<std::int32_t>(size, 7)));
      }
    }
  }

  /// @returns the value of all items, as a block reported it
  IntervalResult solve(device::BlockKernel& kernel) {
    std::vector<IntervalResult> results;
    const auto run = [&](const std::vector<IntervalTask>& tasks) {
      if (run_blocks(context_, kernel, tasks, results).done != tasks.size()) {
        throw std::runtime_error("the launch ended before its blocks were done");
      }
    };
    for (std::int64_t apart = 0; apart < across_; ++apart) {
      std::vector<IntervalTask> products, closes, below;
      for (std::int64_t i = 0; i + apart < across_; ++i) {
        const std::int64_t j = i + apart;
        for (std::int64_t k = j - 1; k > i; --k) products.push_back(multiply(i, j, k));
        closes.push_back(close(i, j));
        if (apart > 0) below.push_back(task(j, i, IntervalStep::below));
      }
      // Products of one tile run one after another; blocks of one launch may not.
      for (const IntervalTask& product : products) run({product});
      run(below);
      run(closes);
    }
    return results.back();
  }

  Solved<T> solved() const {
    Solved<T> all{std::vector<T>(static_cast<std::size_t>(nodes_ * nodes_)),
                  std::vector<std::int32_t>(static_cast<std::size_t>(nodes_ * nodes_), 7)};
    for (std::int64_t i = 0; i < nodes_; ++i) {
      for (std::int64_t j = 0; j < nodes_; ++j) {
        const auto n = static_cast<std::size_t>(i / tile_ * across_ + j / tile_);
        const std::int64_t within = i % tile_ * side(j / tile_) + j % tile_;
        all.table[static_cast<std::size_t>(i * nodes_ + j)] = tiles_[n]->data()[within];
        all.split[static_cast<std::size_t>(i * nodes_ + j)] = split_[n]->data()[within];
      }
    }
    return all;
  }

  /// Brackets before and after each item, counted by walking through all tiles.
  std::pair<std::vector<std::int32_t>, std::vector<std::int32_t>> trace(device::BlockKernel& kernel) {
    Values<std::int32_t> words(context_, std::vector<std::int32_t>(static_cast<std::size_t>(3 * nodes_), 5));
    std::vector<IntervalResult> results;
    const auto run = [&](IntervalTask step) {
      step.trace = words.data();
      if (step.step == IntervalStep::report) step.trace += nodes_ + step.row;
      run_blocks(context_, kernel, {step}, results);
    };
    run(task(0, 0, IntervalStep::begin_trace));
    for (std::int64_t i = 0; i < across_; ++i) {
      for (std::int64_t j = across_ - 1; j >= i; --j) run(task(i, j, IntervalStep::trace));
    }
    std::vector<std::int32_t> opens, closes;
    for (std::int64_t row = 0; row < nodes_; row += reported_nodes) {
      IntervalTask report = task(0, 0, IntervalStep::report);
      report.row = row;
      report.rows = std::min<std::int64_t>(reported_nodes, nodes_ - row);
      run(report);
      opens.insert(opens.end(), results.back().opens, results.back().opens + report.rows);
      closes.insert(closes.end(), results.back().closes, results.back().closes + report.rows);
    }
    return {opens, closes};
  }

  /// IntervalResult::lost of a walk through tiles of which the first splits all items at `k`.
  std::int64_t lost(device::BlockKernel& kernel, std::int32_t k) {
    Values<std::int32_t> words(context_, std::vector<std::int32_t>(static_cast<std::size_t>(3 * nodes_), 5));
    const std::int64_t last = across_ - 1;
    std::int32_t& split = split_[static_cast<std::size_t>(last)]->data()[side(last) - 1];
    const std::int32_t right = std::exchange(split, k);
    std::vector<IntervalResult> results;
    for (IntervalTask step : {task(0, 0, IntervalStep::begin_trace), task(0, last, IntervalStep::trace)}) {
      step.trace = words.data();
      run_blocks(context_, kernel, {step}, results);
    }
    split = right;
    return results.back().lost;
  }
  std::int32_t split_of_all() const {
    return split_[static_cast<std::size_t>(across_ - 1)]->data()[side(across_ - 1) - 1];
  }

 private:
  std::int64_t side(std::int64_t i) const { return std::min(tile_, nodes_ - i * tile_); }
  T* at(std::int64_t i, std::int64_t j) const { return tiles_[static_cast<std::size_t>(i * across_ + j)]->data(); }

  IntervalTask task(std::int64_t i, std::int64_t j, IntervalStep step) const {
    IntervalTask task{};
    task.step = step;
    task.rows = side(i);
    task.columns = side(j);
    task.row = i * tile_;
    task.column = j * tile_;
    task.nodes = nodes_;
    task.pairs = pairs_;
    task.least_inside = rules_.least_inside;
    task.wobble = rules_.wobble;
    task.x = at(i, j);
    task.x_stride = side(j);
    if (splits_) {
      task.split = split_[static_cast<std::size_t>(i * across_ + j)]->data();
      task.split_stride = side(j);
    }
    task.terms = terms_.data();
    return task;
  }
  IntervalTask multiply(std::int64_t i, std::int64_t j, std::int64_t k) const {
    IntervalTask product = task(i, j, IntervalStep::multiply);
    product.empty = k == j - 1;
    product.depth = side(k);
    product.first_split = k * tile_;
    product.u = at(i, k);
    product.u_stride = side(k);
    product.v = at(k, j);
    product.v_stride = side(j);
    return product;
  }
  IntervalTask close(std::int64_t i, std::int64_t j) const {
    IntervalTask closing = task(i, j, i == j ? IntervalStep::diagonal : IntervalStep::close);
    closing.top = i == 0 && j + 1 == across_;
    if (i == j) return closing;
    closing.empty = j == i + 1;
    closing.u = at(i, i);
    closing.u_stride = side(i);
    closing.v = at(j, j);
    closing.v_stride = side(j);
    if (!pairs_) return closing;
    closing.under = at(i + 1, j);
    closing.beside = at(i, j - 1) + side(j - 1) - 1;
    closing.beside_stride = side(j - 1);
    if (j > i + 1) closing.corner = at(i + 1, j - 1) + side(j - 1) - 1;
    return closing;
  }

  device::Context& context_;
  std::int64_t nodes_, tile_, across_;
  PairRules rules_;
  bool pairs_, splits_;
  Values<T> terms_;
  std::vector<std::unique_ptr<Values<T>>> tiles_;
  std::vector<std::unique_ptr<Values<std::int32_t>>> split_;
};

/// Splits of all items that lead out of them, or nowhere.
template <class R, class T>
void check_lost(TiledTriangle<T>& triangle, device::BlockKernel& kernel, std::int32_t nodes) {
  INFO("rule " << Rules::index<R>());
  CHECK(triangle.lost(kernel, triangle.split_of_all()) == 0);
  constexpr std::int32_t largest = std::numeric_limits<std::int32_t>::max();
  for (const std::int32_t k : {-largest - 1, -1, nodes - 1, nodes, largest}) {
    INFO("split at " << k);
    CHECK(triangle.lost(kernel, k) == 1);
  }
  if (!R::looks_inside) CHECK(triangle.lost(kernel, 0) == 1);
}

}  // namespace terrace::recursive::testing
