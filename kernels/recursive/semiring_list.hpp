// The list of semirings as types.
#pragma once

#include "kernels/recursive/semiring.hpp"
#include "kernels/values/type_list.hpp"

namespace terrace::recursive {

using values::same_type;

/// Every algebra that there are kernels for.
using Semirings = values::TypeList<PlusTimes, MinPlus, MaxPlus, MaxMin, OrAnd, MaxTimes, MinusTimes, Count>;

/// True if BLAS computes S in real numbers: x + u * v or x - u * v.
template <class S, class T>
inline constexpr bool is_linear = is_real<T> && (same_type<S, PlusTimes> || same_type<S, MinusTimes>);

}  // namespace terrace::recursive
