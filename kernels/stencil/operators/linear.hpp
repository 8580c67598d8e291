// Sums over offsets with coefficients: the named stars and boxes, and offsets that the job lists.
#pragma once

#include "kernels/stencil/operators/terms.hpp"

namespace terrace::stencil {

/// The sum of coefficient times value over the terms, in their order: s = c1*x1 rounded, then s = fma(ck, xk, s).
struct LinearSum : SumOfTerms {
  static constexpr bool is_linear = true;

  template <class V, class T, class At>
  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {
    V sum{};
    for (i32 i = 0; i < k.terms.count; ++i) {
      const Term<T>& term = k.terms.list[i];
      const V value = at(0, term.offset[0], term.offset[1], term.offset[2]);
      const V coefficient = term.array < 0 ? V(term.coefficient) : V(at.array(term.array));
      sum = i == 0 ? times(coefficient, value) : fused(coefficient, value, sum);
    }
    made[0] = sum;
  }
};

/// The offsets of a linear operator.
enum class Shape {
  star,  // along one axis each, and the centre
  box,   // all within the radius
  given  // listed in the job
};

/// A linear operator of that rank (0: any) and shape.
template <int rank_, Shape shape_, int most_radius_>
struct Linear {
  using Kernel = LinearSum;
  static constexpr int rank = rank_, most_radius = most_radius_;
  static constexpr Shape shape = shape_;
  static constexpr const char* formula =
      "s = c[1]*x[1], then s = fma(c[k], x[k], s) for k = 2, 3, ...; x[k] are the values at the offsets in "
      "lexicographic order (the last axis fastest), the centre included";
};

struct Star1d : Linear<1, Shape::star, 8> {
  static constexpr const char* name = "star1d";
  static constexpr const char* help = "sum over the cells within the radius, with coefficients";
};
struct Star2d : Linear<2, Shape::star, 8> {
  static constexpr const char* name = "star2d";
  static constexpr const char* help = "sum over the cells within the radius along either axis, with coefficients";
};
struct Star3d : Linear<3, Shape::star, 4> {
  static constexpr const char* name = "star3d";
  static constexpr const char* help = "sum over the cells within the radius along any axis, with coefficients";
};
struct Box1d : Linear<1, Shape::box, 8> {
  static constexpr const char* name = "box1d";
  static constexpr const char* help = "the same as star1d";
};
struct Box2d : Linear<2, Shape::box, 8> {
  static constexpr const char* name = "box2d";
  static constexpr const char* help = "sum over the square within the radius, with coefficients";
  static constexpr const char* formula =
      "s = c[1]*x[1], then s = fma(c[k], x[k], s) for k = 2, 3, ...; x[k] are the values at the offsets in "
      "lexicographic order (the last axis fastest), the centre included. With `arithmetic: fast` and coefficients "
      "a[i]*b[j]: h[i] = b[1]*x[i,1], then h[i] = fma(b[j], x[i,j], h[i]) along each row i; s = a[1]*h[1], then "
      "s = fma(a[i], h[i], s)";
};
struct Box3d : Linear<3, Shape::box, 4> {
  static constexpr const char* name = "box3d";
  static constexpr const char* help = "sum over the cube within the radius, with coefficients";
};
struct Offsets : Linear<0, Shape::given, 8> {
  static constexpr const char* name = "offsets";
  static constexpr const char* help = "sum over the cells at given offsets, with coefficients, in the job's order";
  static constexpr const char* formula =
      "s = c[1]*x[1], then s = fma(c[k], x[k], s) for k = 2, 3, ...; x[k] are the values at the offsets in the job's "
      "order";
};

}  // namespace terrace::stencil
