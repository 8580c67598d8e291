// The list of problems of the recursive family as types.
#pragma once

#include "kernels/recursive/problems/floyd_warshall.hpp"
#include "kernels/recursive/problems/gaussian_elimination.hpp"
#include "kernels/recursive/problems/matrix_chain.hpp"
#include "kernels/recursive/problems/nussinov.hpp"
#include "kernels/recursive/problems/optimal_bst.hpp"
#include "kernels/recursive/problems/polygon_triangulation.hpp"
#include "kernels/recursive/problems/semiring_product.hpp"
#include "kernels/recursive/problems/transitive_closure.hpp"
#include "kernels/values/type_list.hpp"

namespace terrace::recursive {

/// Every problem.
using Problems = values::TypeList<FloydWarshall, TransitiveClosure, SemiringProduct, GaussianElimination, MatrixChain,
                                  OptimalBst, PolygonTriangulation, Nussinov>;

}  // namespace terrace::recursive
