// Series with limits of their costs, against the plain program of each pair's table.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/differential/pairs/compare.hpp"

namespace terrace::pairs::testing {

/// Series of slow waves, each near some others, so that limits leave some pairs.
template <class T>
Items<T> waves(Samples& samples, i64 count, i64 shortest, i64 longest) {
  Items<T> items;
  for (i64 n = 0; n < count; ++n) {
    std::vector<T> item(static_cast<std::size_t>(samples.draw(shortest, longest)));
    const double level = static_cast<double>(samples.draw(0, 3)) * 5;
    for (std::size_t i = 0; i < item.size(); ++i) {
      item[i] = static_cast<T>(level + std::sin(static_cast<double>(i) / 9) +
                               static_cast<double>(samples.draw(0, 100)) / 500);
    }
    items.push_back(item);
  }
  return items;
}

/// Compares the pairs of a rectangle at limits that are costs of some of them: these pass.
/// @param make a kernel of a spec @return pairs that were left out, or left on the way
template <class T, class Make>
i64 compare_limits(device::Context& context, const Kind& kind, const Block<T>& block, const Make& make) {
  PairsSpec spec = spec_of(kind, block, false);
  spec.most_pairs = block.count();
  std::vector<double> costs;
  for (const T cost : run<T>(context, *make(spec), block, false).scores) costs.push_back(cost);
  std::sort(costs.begin(), costs.end());
  i64 stopped = 0;
  for (const std::size_t rank : {std::size_t{0}, costs.size() / 20, costs.size() / 3, costs.size() - 1}) {
    INFO("at most " << costs[rank]);
    spec.at_most = costs[rank];
    stopped += compare(context, spec, block, make).stopped;
  }
  return stopped;
}

/// The same of waves.
template <class T, class Make>
i64 compare_limits(device::Context& context, const Kind& kind, Samples& samples, i64 rows, i64 columns,
                   const Make& make) {
  const Block<T> block{waves<T>(samples, rows, 90, 130), waves<T>(samples, columns, 90, 130), {}};
  return compare_limits(context, kind, block, make);
}

}  // namespace terrace::pairs::testing
