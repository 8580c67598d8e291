#include "kernels/wavefront/bins.hpp"

#include <cmath>
#include <limits>

namespace terrace::wavefront {
namespace {

/// True if edges of that type are rounded to f32.
bool narrow(ElementType grid) { return grid == ElementType::f32; }

/// The keys of all values v of G with low <= v and v < end (closed: v <= end).
template <class G>
KeyRange integer_keys(double low, double end, bool closed) {
  constexpr G least = std::numeric_limits<G>::min(), most = std::numeric_limits<G>::max();
  const double below = static_cast<double>(least), above = std::ldexp(1.0, std::numeric_limits<G>::digits);
  const double first = std::ceil(low), last = closed ? std::floor(end) : std::ceil(end);  // open: the one after it
  if (first >= above || last < below || (!closed && last == below)) return {};
  const G low_value = first <= below ? least : static_cast<G>(first);
  G high_value = most;
  if (last < above) high_value = static_cast<G>(static_cast<G>(last) - (closed ? 0 : 1));
  return {key_of(low_value), key_of(high_value)};
}

template <class G>
KeyRange floating_keys(double low, double end, bool closed) {
  G first = static_cast<G>(low), last = static_cast<G>(end);
  if (!closed) last = std::nextafter(last, -std::numeric_limits<G>::infinity());
  if (first == 0) first = -G{0};
  if (last == 0) last = G{0};
  return {key_of(first), key_of(last)};
}

}  // namespace

std::optional<std::array<double, 2>> default_range(ElementType grid) {
  if (size_of(grid) > 2) return std::nullopt;
  return dispatch(grid, [](auto sample) -> std::array<double, 2> {
    using Limits = std::numeric_limits<decltype(sample)>;
    return {static_cast<double>(Limits::min()), static_cast<double>(Limits::max()) + 1};
  });
}

std::vector<double> bin_edges(const Settings& settings, ElementType grid) {
  const std::int64_t bins = settings.integer("bins");
  std::array<double, 2> range{};
  if (settings.has("range")) {
    const auto& given = settings.get<std::vector<double>>("range");
    range = {given[0], given[1]};
  } else {
    range = default_range(grid).value();
  }
  const double step = (range[1] - range[0]) / static_cast<double>(bins);
  std::vector<double> edges(static_cast<std::size_t>(bins) + 1);
  for (std::int64_t b = 0; b < bins; ++b) {
    edges[static_cast<std::size_t>(b)] = static_cast<double>(b) * step + range[0];
  }
  edges.back() = range[1];
  if (narrow(grid)) {
    for (double& edge : edges) edge = static_cast<double>(static_cast<float>(edge));
  }
  return edges;
}

KeyRange bin_keys(const std::vector<double>& edges, std::int64_t bin, ElementType grid) {
  const auto b = static_cast<std::size_t>(bin);
  const bool closed = b + 2 == edges.size();
  return dispatch(grid, [&](auto sample) {
    using G = decltype(sample);
    if constexpr (std::is_floating_point_v<G>) return floating_keys<G>(edges[b], edges[b + 1], closed);
    else return integer_keys<G>(edges[b], edges[b + 1], closed);
  });
}

}  // namespace terrace::wavefront
