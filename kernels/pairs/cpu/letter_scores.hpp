// Scores of the letters of a row with those of a few columns, in lanes. Included by files that define TERRACE_ISA and
// are compiled for it.
#pragma once

#include "kernels/pairs/cpu/saturating.hpp"
#include "kernels/pairs/cpu/work.hpp"

namespace terrace::pairs::TERRACE_ISA {
namespace {

/// Letters in lanes of T, of `lanes` bytes.
template <class T>
TERRACE_HOST_DEVICE Pack<T> letters_of(const u8* letters) {
  return widened<T>(reinterpret_cast<const i8*>(letters));
}

/// Scoring::equal.
template <class T, int block>
class EqualScores {
  using V = Pack<T>;

 public:
  EqualScores(const LettersWork& work, T*)
      : work_(work), match_(work.scores.match), mismatch_(work.scores.mismatch) {}

  void begin(i64 column) {
    for (int k = 0; k < block; ++k) columns_[k] = letters_of<T>(work_.column_letters + (column + k) * V::lanes);
  }
  TERRACE_HOST_DEVICE void row(i64 row, V (&scores)[block]) const {
    const V letter = letters_of<T>(work_.row_letters + row * V::lanes);
    for (int k = 0; k < block; ++k) scores[k] = select_equal(letter, columns_[k], match_, mismatch_);
  }

 private:
  const LettersWork& work_;
  V match_, mismatch_, columns_[block];
};

/// Scoring::shared.
template <class T, int block>
class SharedScores {
  using V = Pack<T>;

 public:
  /// @param memory for the scores of most_profile_letters letters with the columns
  SharedScores(const LettersWork& work, T* memory) : work_(work), memory_(memory) {}

  void begin(i64 column) {
    const u8* columns = work_.column_letters + column * V::lanes;
    for (i64 n = 0; n < work_.letter_count; ++n) {
      for (int k = 0; k < block; ++k) score(n, columns + k * V::lanes).store(memory_ + (n * block + k) * V::lanes);
    }
  }
  TERRACE_HOST_DEVICE void row(i64 row, V (&scores)[block]) const {
    const T* at = memory_ + work_.row_letters[row] * block * V::lanes;
    for (int k = 0; k < block; ++k) scores[k] = V::load(at + k * V::lanes);
  }

 private:
  TERRACE_HOST_DEVICE V score(i64 n, const u8* columns) const {
    const LetterScores& rules = work_.scores;
    if (rules.matrix == nullptr) {
      return select_equal(V(static_cast<i8>(work_.letters[n])), letters_of<T>(columns), V(rules.match),
                          V(rules.mismatch));
    }
    i8 found[V::lanes];
    look_up<V::lanes>(rules.matrix + work_.letters[n] * table_width, columns, found);
    return sizeof(T) == 1 ? widened<T>(found) : multiply(widened<T>(found), V(rules.scale));
  }

  const LettersWork& work_;
  T* memory_;
};

/// 16 bytes, once, twice or four times.
template <int parts>
struct Sixteens;
template <>
struct Sixteens<1> {
  using Vector = __m128i;
  TERRACE_HOST_DEVICE static Vector low(Vector a, Vector b) { return _mm_unpacklo_epi8(a, b); }
  TERRACE_HOST_DEVICE static Vector high(Vector a, Vector b) { return _mm_unpackhi_epi8(a, b); }
  /// @param part of 16 bytes by its number
  template <class Part>
  TERRACE_HOST_DEVICE static Vector of(const Part& part) {
    return part(0);
  }
};
#if defined(__AVX2__)
template <>
struct Sixteens<2> {
  using Vector = __m256i;
  TERRACE_HOST_DEVICE static Vector low(Vector a, Vector b) { return _mm256_unpacklo_epi8(a, b); }
  TERRACE_HOST_DEVICE static Vector high(Vector a, Vector b) { return _mm256_unpackhi_epi8(a, b); }
  template <class Part>
  TERRACE_HOST_DEVICE static Vector of(const Part& part) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
  }
};
#endif
#if defined(__AVX512BW__)
template <>
struct Sixteens<4> {
  using Vector = __m512i;
  // Without masks GCC 12 warns of values that are not initialised.
  TERRACE_HOST_DEVICE static Vector low(Vector a, Vector b) {
    return _mm512_maskz_unpacklo_epi8(~__mmask64{0}, a, b);
  }
  TERRACE_HOST_DEVICE static Vector high(Vector a, Vector b) {
    return _mm512_maskz_unpackhi_epi8(~__mmask64{0}, a, b);
  }
  template <class Part>
  TERRACE_HOST_DEVICE static Vector of(const Part& part) {
    const __m256i upper = _mm256_inserti128_si256(_mm256_castsi128_si256(part(2)), part(3), 1);
    const __m256i lower = _mm256_inserti128_si256(_mm256_castsi128_si256(part(0)), part(1), 1);
    return _mm512_maskz_inserti64x4(0xFF, _mm512_maskz_broadcast_i64x4(0xFF, lower), upper, 1);
  }
};
#endif

/// A step of the exchange of rows and columns of bytes: rows that are half of all apart are joined, byte by byte.
template <int parts, int count>
TERRACE_HOST_DEVICE void join_bytes(typename Sixteens<parts>::Vector (&rows)[count]) {
  typename Sixteens<parts>::Vector joined[count];
#pragma GCC unroll 8
  for (int k = 0; k < count / 2; ++k) {
    joined[2 * k] = Sixteens<parts>::low(rows[k], rows[k + count / 2]);
    joined[2 * k + 1] = Sixteens<parts>::high(rows[k], rows[k + count / 2]);
  }
#pragma GCC unroll 8
  for (int k = 0; k < count; ++k) rows[k] = joined[k];
}

/// Scoring::mixed: of every lane a table of the scores of each letter of the rows with the block's columns.
template <class T, int block>
class MixedScores {
  using V = Pack<T>;
  static_assert(block == 8);
  static constexpr int table_bytes = table_width * block;

 public:
  MixedScores(const LettersWork& work, T* memory)
      : work_(work), tables_(reinterpret_cast<i8*>(memory)), scale_(work.scores.scale) {}

  void begin(i64 column) {
    for (i64 lane = 0; lane < V::lanes; ++lane) {
      const u8* letters = work_.column_letters + column * V::lanes + lane;
      for (int half = 0; half < table_width; half += 16) {
        __m128i rows[block];
        for (int k = 0; k < block; ++k) {
          const i8* scores = work_.scores.matrix_by_columns + letters[k * V::lanes] * table_width + half;
          rows[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(scores));
        }
        for (int step = 0; step < 3; ++step) join_bytes<1>(rows);
        auto* table = reinterpret_cast<__m128i*>(tables_ + lane * table_bytes + half * block);
        for (int k = 0; k < block; ++k) _mm_storeu_si128(table + k, rows[k]);
      }
    }
  }
  TERRACE_HOST_DEVICE void row(i64 row, V (&scores)[block]) const {
    const u8* letters = work_.row_letters + row * V::lanes;
    constexpr int parts = V::lanes < 16 ? 1 : V::lanes / 16;
    using Bytes = Sixteens<parts>;
    typename Bytes::Vector rows[block];
#pragma GCC unroll 8
    for (int k = 0; k < block; ++k) {
      const auto entries = [&](int first) __attribute__((always_inline)) {
        return Bytes::of([&](int part) __attribute__((always_inline)) { return entry(letters, 16 * part + first); });
      };
      rows[k] = Bytes::low(entries(k), entries(k + 8));
    }
#pragma GCC unroll 4
    for (int step = 0; step < 3; ++step) join_bytes<parts>(rows);
#pragma GCC unroll 8
    for (int k = 0; k < block; ++k) {
      const V found = widened<T>(reinterpret_cast<const i8*>(&rows[k]));
      scores[k] = sizeof(T) == 1 ? found : multiply(found, scale_);
    }
  }

 private:
  /// The scores of a lane's letter with the columns; vectors of few lanes repeat.
  TERRACE_HOST_DEVICE __m128i entry(const u8* letters, int lane) const {
    lane %= V::lanes;
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(tables_ + lane * table_bytes + letters[lane] * block));
  }

  const LettersWork& work_;
  i8* tables_;
  V scale_;
};

}  // namespace
}  // namespace terrace::pairs::TERRACE_ISA
