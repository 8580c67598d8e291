// The list of operators as types.
#pragma once

#include "kernels/graph/operators/add.hpp"
#include "kernels/graph/operators/box_sum.hpp"
#include "kernels/graph/operators/constant.hpp"
#include "kernels/graph/operators/downscale.hpp"
#include "kernels/graph/operators/harris.hpp"
#include "kernels/graph/operators/mix.hpp"
#include "kernels/graph/operators/peaks.hpp"
#include "kernels/graph/operators/product.hpp"
#include "kernels/graph/operators/pyramid_down.hpp"
#include "kernels/graph/operators/pyramid_up.hpp"
#include "kernels/graph/operators/scale.hpp"
#include "kernels/graph/operators/sobel.hpp"
#include "kernels/graph/operators/stencil.hpp"
#include "kernels/graph/operators/subtract.hpp"
#include "kernels/graph/operators/threshold.hpp"
#include "kernels/graph/operators/upscale.hpp"
#include "kernels/graph/operators/warp.hpp"
#include "kernels/graph/reductions/histogram.hpp"
#include "kernels/graph/reductions/positions.hpp"
#include "kernels/graph/reductions/reduce.hpp"
#include "kernels/values/type_list.hpp"

namespace terrace::graph {

using values::TypeList;

/// Every operator that a node may name.
using Operators = TypeList<Add, Subtract, Product, Scale, Mix, Threshold, Harris, Stencil, Sobel, BoxSum, Downscale,
                           Upscale, PyramidDown, PyramidUp, Warp, Peaks, Constant>;

/// What makes a number or a list of an array.
using Reductions = values::TypeList<Reduce, Histogram, Positions>;

}  // namespace terrace::graph
