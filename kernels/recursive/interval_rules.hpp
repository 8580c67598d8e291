// The rules of problems over intervals: the value of an interval of items, from the values of its parts.
//
// Nodes 0 .. n - 1 are the places between items; the interval [i, j) has the items between nodes i and j. Its value
// is
//
//   x(i, i) = 0,   x(i, i + 1) = leaf(i),
//   x(i, j) = whole(i, j, best over i < k < j of split(x(i, k), x(k, j), weight of (i, k, j))),
//
// where the best is the algebra's sum (a minimum or a maximum). A rule R is a struct without data:
//
//   using Algebra = MinPlus or MaxPlus;
//   static constexpr bool weighted;     true if the weight of a split depends on its place
//   static constexpr bool looks_inside; true if whole() reads x(i + 1, j - 1)
//   template <class T> static constexpr bool has;          true if it is computed in that type
//   template <class T> static T leaf(terms, i);
//   template <class T> static T whole(best, inner, terms, i, j);  j > i + 1
//   template <class V> static V split(left, right, weight, last); the weight of (i, k, j) is weight * last, where
//                                       weight = terms.first[i] * terms.first[k] and last = terms.first[j]
#pragma once

#include "kernels/recursive/semiring_list.hpp"
#include "kernels/values/rounded.hpp"

namespace terrace::recursive {

using device::i16;
using device::i32;
using device::i64;

/// The terms from which values of a problem are made: vectors with one element per node, and numbers.
template <class T>
struct NodeTerms {
  const T* first;    // chains: the sizes; search trees: weight up to a node; pairings: codes of bases; points: x
  const T* second;   // search trees: weight before a node's items; points: y
  const T* leaf;     // search trees: the values of single items
  i64 least_inside;  // pairings: bases between two that pair, at least
  i32 wobble;        // pairings: not 0: G and U pair, too
};

/// No split: a single item, or no item.
inline constexpr i32 no_split = -1;
/// A split that any other one is before.
inline constexpr i32 last_split = 0x7FFFFFFF;

/// Products of chains: (i, k, j) costs first[i] * first[k] * first[j].
struct ChainRule {
  using Algebra = MinPlus;
  static constexpr bool weighted = true, looks_inside = false;
  template <class T>
  static constexpr bool has = sizeof(T) >= 4 && !same_type<T, float>;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T leaf(const NodeTerms<T>&, i64) {
    return T(0);
  }
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T whole(T best, T, const NodeTerms<T>&, i64, i64) {
    return best;
  }
  template <class V, class W>
  TERRACE_HOST_DEVICE static constexpr V split(V left, V right, W weight, V last) {
    return (left + weight * last) + right;
  }
};

/// Search trees: the cost of a tree is the total weight of its items plus the costs of its two parts.
struct SearchTreeRule {
  using Algebra = MinPlus;
  static constexpr bool weighted = false, looks_inside = false;
  template <class T>
  static constexpr bool has = sizeof(T) >= 4 && !same_type<T, float>;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T leaf(const NodeTerms<T>& terms, i64 i) {
    return terms.leaf[i];
  }
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T whole(T best, T, const NodeTerms<T>& terms, i64 i, i64 j) {
    return best + (terms.first[j] - terms.second[i]);
  }
  template <class V, class W>
  TERRACE_HOST_DEVICE static constexpr V split(V left, V right, W, V) {
    return left + right;
  }
};

/// Distance of two points, whose coordinates are `first` and `second`.
template <class T>
TERRACE_HOST_DEVICE constexpr T distance(const NodeTerms<T>& terms, i64 i, i64 j) {
  const T x = terms.first[i] - terms.first[j], y = terms.second[i] - terms.second[j];
  return values::square_root(values::plus(values::times(x, x), values::times(y, y)));
}

/// Triangulations of polygons of points: each triangle costs its perimeter. What is stored is the cost of a piece of
/// the polygon with its chord once more, x(i, j) = cost(i, j) + distance(i, j): so a triangle adds twice its chord.
struct PerimeterRule {
  using Algebra = MinPlus;
  static constexpr bool weighted = false, looks_inside = false;
  template <class T>
  static constexpr bool has = is_real<T> && sizeof(T) == 8;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T leaf(const NodeTerms<T>& terms, i64 i) {
    return distance(terms, i, i + 1);
  }
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T whole(T best, T, const NodeTerms<T>& terms, i64 i, i64 j) {
    return best + 2 * distance(terms, i, j);
  }
  template <class V, class W>
  TERRACE_HOST_DEVICE static constexpr V split(V left, V right, W, V) {
    return left + right;
  }
};

/// Codes of bases: each a bit, 0 for a base that pairs with nothing.
inline constexpr i32 base_a = 1, base_c = 2, base_g = 4, base_u = 8;

/// Pairs of bases that do not cross: the first and the last base of an interval may pair.
struct PairingRule {
  using Algebra = MaxPlus;
  static constexpr bool weighted = false, looks_inside = true;
  template <class T>
  static constexpr bool has = (sizeof(T) == 2 || sizeof(T) == 4) && !is_real<T>;
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T leaf(const NodeTerms<T>&, i64) {
    return T(0);
  }
  template <class T>
  TERRACE_HOST_DEVICE static constexpr bool pairs(const NodeTerms<T>& terms, i64 i, i64 j) {
    const i32 both = terms.first[i] | terms.first[j - 1];
    return j - 1 - i > terms.least_inside && (both == (base_a | base_u) || both == (base_c | base_g) ||
                                              (terms.wobble != 0 && both == (base_g | base_u)));
  }
  template <class T>
  TERRACE_HOST_DEVICE static constexpr T whole(T best, T inner, const NodeTerms<T>& terms, i64 i, i64 j) {
    return pairs(terms, i, j) && inner + 1 > best ? static_cast<T>(inner + 1) : best;
  }
  template <class V, class W>
  TERRACE_HOST_DEVICE static constexpr V split(V left, V right, W, V) {
    return static_cast<V>(left + right);
  }
};

/// Every rule.
using Rules = values::TypeList<ChainRule, SearchTreeRule, PairingRule, PerimeterRule>;

/// True if a value at split k replaces `best` at split `of_best`: it is better, or equal and before it.
template <class S, class T>
TERRACE_HOST_DEVICE constexpr bool takes_place(T value, i32 k, T best, i32 of_best) {
  const bool better = same_type<S, MinPlus> ? value < best : best < value;
  return better | ((value == best) & (k < of_best));
}

}  // namespace terrace::recursive
