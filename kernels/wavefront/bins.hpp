// The bins of an integral histogram, as in numpy.histogram.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/wavefront/keys.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::wavefront {

/// The default range of grids of a type: all values, each one wide ([0, 256] for u8). nullopt for types wider than 16
/// bits.
std::optional<std::array<double, 2>> default_range(ElementType grid);

/// `bins` + 1 edges, evenly spaced from the lower to the upper end of the range as numpy.linspace makes them; of f32
/// grids rounded to f32. What lies in bin b decides on comparisons with edges alone: edges[b] <= value < edges[b +
/// 1], in the last bin also value == edges[bins].
/// @param settings `bins` and, if the type has no default, `range`
std::vector<double> bin_edges(const Settings& settings, ElementType grid);

/// The keys of the values of a grid that lie in bin `bin`. Integers are compared with the edges as exact numbers.
KeyRange bin_keys(const std::vector<double>& edges, std::int64_t bin, ElementType grid);

}  // namespace terrace::wavefront
