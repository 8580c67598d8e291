// Nodes whose neighbourhoods may be summed row by row, on the CPU: the sums of a row serve all rows around it.
#pragma once

#include <array>
#include <vector>

#include "kernels/device/cpu_features.hpp"
#include "kernels/graph/cpu/term_sums.hpp"
#include "kernels/graph/operator.hpp"

namespace terrace::graph {

/// Makes sums of terms of a row that a thread gathers.
template <class T>
class TermSums {
 public:
  explicit TermSums(SumTerms<T> sum) : sum_(sum) {}

  void clear() { rows_.clear(); }
  /// Adds terms: the values of a row that begin so many columns before a cell, and those after them.
  void add(const T* row, i64 before, i64 count) {
    for (i64 n = 0; n < count; ++n) rows_.push_back(row + n - before);
  }
  /// Makes cells [begin, end). @param factors of the terms; null: none
  void make(const T* factors, i64 begin, i64 end, T* made) const {
    if (begin < end) sum_({rows_.data(), factors, std::ssize(rows_)}, begin, end, made);
  }

 private:
  SumTerms<T> sum_;
  std::vector<const T*> rows_;
};

/// For the instruction set of this CPU.
template <class T>
SumTerms<T> sum_terms() {
  switch (device::best_instruction_set()) {
    case device::InstructionSet::avx512:
      return avx512::sum_terms<T>;
    case device::InstructionSet::avx2:
      return avx2::sum_terms<T>;
    default:
      return sse2::sum_terms<T>;
  }
}

/// The sums of the last rows of a thread: those of row i in place i modulo their number.
template <class T>
class RowSums {
 public:
  void forget() { rows_.clear(); }

  /// The sums of a row. @param height rows of a neighbourhood @param make makes the sums: make(T* made)
  template <class Make>
  const T* row(i64 i, i64 height, i64 columns, const Make& make) {
    if (std::ssize(rows_) != height) {
      rows_.assign(static_cast<std::size_t>(height), none);
      sums_.resize(static_cast<std::size_t>(height * columns));
    }
    const i64 place = (i % height + height) % height;
    T* own = sums_.data() + place * columns;
    if (rows_[static_cast<std::size_t>(place)] != i) make(own);
    rows_[static_cast<std::size_t>(place)] = i;
    return own;
  }

 private:
  static constexpr i64 none = i64{-1} << 62;  // no row, also beyond an end

  std::vector<i64> rows_;
  std::vector<T> sums_;
};

/// Makes row i of a node. @param inside, any read columns inside of the operand, and all @param inner the columns
/// whose cells read none outside
template <SumsRows Op, class T, class Inside, class Any>
void make_from_sums(const Constants<T>& k, const Inside& inside, const Any& any, Range inner, i64 columns, i64 i,
                    RowSums<T>& sums, TermSums<T>& terms, T* made) {
  const i64 height = 2 * k.row_radius + 1, width = 2 * k.column_radius + 1;
  std::array<const T*, 2 * most_radius + 1> rows{};
  for (i64 a = 0; a < height; ++a) {
    const i64 at = i - k.row_radius + a;
    rows[static_cast<std::size_t>(a)] = sums.row(at, height, columns, [&](T* own) {
      for (i64 j = 0; j < inner.begin; ++j) own[j] = Op::row_sum(k, any, at, j);
      terms.clear();
      terms.add(inside.row(0, at), k.column_radius, width);
      terms.make(Op::column_factors(k), inner.begin, inner.end, own);
      for (i64 j = inner.end; j < columns; ++j) own[j] = Op::row_sum(k, any, at, j);
    });
  }
  terms.clear();
  for (i64 a = 0; a < height; ++a) terms.add(rows[static_cast<std::size_t>(a)], 0, 1);
  terms.make(Op::row_factors(k), 0, columns, made);
}

/// The same of a node whose cells are sums of all their neighbourhood.
template <SumsTerms Op, class T, class Inside, class Any>
void make_from_terms(const Constants<T>& k, const Inside& inside, const Any& any, Range inner, i64 columns, i64 i,
                     TermSums<T>& terms, T* made) {
  for (i64 j = 0; j < inner.begin; ++j) made[j] = Op::cell(k, any, i, j);
  terms.clear();
  for (i64 a = -k.row_radius; a <= k.row_radius; ++a)
    terms.add(inside.row(0, i + a), k.column_radius, 2 * k.column_radius + 1);
  terms.make(k.numbers, inner.begin, inner.end, made);
  for (i64 j = inner.end; j < columns; ++j) made[j] = Op::cell(k, any, i, j);
}

}  // namespace terrace::graph
