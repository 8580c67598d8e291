// The functions of formulas on packs of values. Included only by sources that define TERRACE_ISA (kernels.hpp).
#pragma once

#include "kernels/formula/cpu/vectors.hpp"

namespace terrace::formula::strips::TERRACE_ISA {

struct Negate {
  static constexpr int operands = 1;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a) {
    return P(-a.v);
  }
};
struct Absolute {
  static constexpr int operands = 1;
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a) { return absolute(a); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a) { return absolute(a); }
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a) { return Pack<i64>(a.v < 0 ? -a.v : a.v); }
};
struct Root {
  static constexpr int operands = 1;
#if defined(__AVX512F__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a) { return _mm512_maskz_sqrt_ps(0xFFFF, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a) { return _mm512_maskz_sqrt_pd(0xFF, a.v); }
#elif defined(__AVX2__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a) { return _mm256_sqrt_ps(a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a) { return _mm256_sqrt_pd(a.v); }
#else
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a) { return _mm_sqrt_ps(a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a) { return _mm_sqrt_pd(a.v); }
#endif
};
struct Inverse {
  static constexpr int operands = 1;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a) {
    return P(~a.v);
  }
};

struct Add {
  static constexpr int operands = 2;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v + b.v);
  }
};
struct Subtract {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v - b.v);
  }
};
struct Multiply {
  static constexpr int operands = 2;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v * b.v);
  }
};

/// Quotients of whole numbers within 52 bits are those of f64 without their fractions: a fraction is at least 1 /
/// divisor below the next whole number, more than half of the last bit.
TERRACE_HOST_DEVICE Pack<i64> quotient(Pack<i64> a, Pack<i64> b) {
#if defined(__AVX512DQ__)
  const __m512i x = reinterpret_cast<__m512i>(a.v), y = reinterpret_cast<__m512i>(b.v);
  const __m512i most = _mm512_set1_epi64((i64(1) << 52) - 1);
  const auto beyond = _mm512_cmp_epu64_mask(_mm512_maskz_abs_epi64(0xFF, x), most, _MM_CMPINT_NLE) |
                      _mm512_cmp_epu64_mask(_mm512_maskz_abs_epi64(0xFF, y), most, _MM_CMPINT_NLE);
  if (beyond == 0) {
    const __m512d divided = _mm512_div_pd(_mm512_cvtepi64_pd(x), _mm512_cvtepi64_pd(y));
    return reinterpret_cast<Pack<i64>::Vector>(_mm512_cvttpd_epi64(divided));
  }
#endif
  for (int lane = 0; lane < Pack<i64>::lanes; ++lane) a.v[lane] /= b.v[lane];
  return a;
}

struct Divide {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v / b.v);
  }
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a, Pack<i64> b) { return quotient(a, b); }
};
struct Remainder {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a, Pack<i64> b) {
    return Pack<i64>(a.v - quotient(a, b).v * b.v);
  }
};

/// b < a ? b : a, which the instructions of the CPU give for b and a in this order.
struct Minimum {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
#if defined(__AVX512F__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) {
    return _mm512_maskz_min_ps(0xFFFF, b.v, a.v);
  }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) {
    return _mm512_maskz_min_pd(0xFF, b.v, a.v);
  }
#elif defined(__AVX2__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) { return _mm256_min_ps(b.v, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) { return _mm256_min_pd(b.v, a.v); }
#else
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) { return _mm_min_ps(b.v, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) { return _mm_min_pd(b.v, a.v); }
#endif
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a, Pack<i64> b) { return Pack<i64>(b.v < a.v ? b.v : a.v); }
};
/// a < b ? b : a, alike.
struct Maximum {
  static constexpr int operands = 2;
  static constexpr bool changes_places = false;
#if defined(__AVX512F__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) {
    return _mm512_maskz_max_ps(0xFFFF, b.v, a.v);
  }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) {
    return _mm512_maskz_max_pd(0xFF, b.v, a.v);
  }
#elif defined(__AVX2__)
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) { return _mm256_max_ps(b.v, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) { return _mm256_max_pd(b.v, a.v); }
#else
  TERRACE_HOST_DEVICE static Pack<float> of(Pack<float> a, Pack<float> b) { return _mm_max_ps(b.v, a.v); }
  TERRACE_HOST_DEVICE static Pack<double> of(Pack<double> a, Pack<double> b) { return _mm_max_pd(b.v, a.v); }
#endif
  TERRACE_HOST_DEVICE static Pack<i64> of(Pack<i64> a, Pack<i64> b) { return Pack<i64>(a.v < b.v ? b.v : a.v); }
};

struct Both {
  static constexpr int operands = 2;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v & b.v);
  }
};
struct Either {
  static constexpr int operands = 2;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b) {
    return P(a.v | b.v);
  }
};
struct Equal {
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static auto of(P a, P b) {
    return a.v == b.v;
  }
};
struct NotEqual {
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static auto of(P a, P b) {
    return a.v != b.v;
  }
};
struct Less {
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static auto of(P a, P b) {
    return a.v < b.v;
  }
};
struct LessEqual {
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static auto of(P a, P b) {
    return a.v <= b.v;
  }
};

struct Fused {
  static constexpr int operands = 3;
  static constexpr bool changes_places = true;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b, P c) {
    return fused(a, b, c);
  }
};
struct AddProduct {
  static constexpr int operands = 3;
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b, P c) {
    return P(a.v + b.v * c.v);
  }
};
struct SubtractProduct {
  static constexpr int operands = 3;
  static constexpr bool changes_places = false;
  template <class P>
  TERRACE_HOST_DEVICE static P of(P a, P b, P c) {
    return P(a.v - b.v * c.v);
  }
};

}  // namespace terrace::formula::strips::TERRACE_ISA
