// The list of operators as types.
#pragma once

#include "kernels/stencil/operators/fdtd.hpp"
#include "kernels/stencil/operators/heat.hpp"
#include "kernels/stencil/operators/hotspot.hpp"
#include "kernels/stencil/operators/linear.hpp"
#include "kernels/stencil/operators/separable.hpp"
#include "kernels/stencil/operators/wave.hpp"
#include "kernels/values/type_list.hpp"

namespace terrace::stencil {

using values::TypeList;

/// Every operator that a job may name.
using Operators =
    TypeList<Star1d, Star2d, Star3d, Box1d, Box2d, Box3d, Offsets, Heat2d, Heat3d, Wave2d, Wave3d, Fdtd2d, Hotspot>;

/// Every formula of a cell: the operators of one formula share a kernel. Boxes may be computed as SeparableSum.
using Formulas = TypeList<LinearSum, SeparableSum, Heat<2>, Heat<3>, Wave<2>, Wave<3>, Fdtd2d, Hotspot>;

}  // namespace terrace::stencil
