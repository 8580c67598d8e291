// Distances in differences, a bit a row, with a pair's words in each lane. Included once for each instruction set,
// with TERRACE_ISA as its name.
#pragma once

#include "kernels/pairs/cpu/work.hpp"
#include "kernels/values/cpu_words.hpp"
#include "kernels/wavefront/problem_list.hpp"

namespace terrace::pairs::TERRACE_ISA {
namespace {

using namespace values::TERRACE_ISA;

template <class Bits, int words, int planes>
void advance_words(BitsWork& work) {
  constexpr int lanes = Words::lanes;
  typename Bits::template Rows<Words> rows[words];
  Words letters[words][planes], codes[planes], above[Bits::planes], below[Bits::planes];
  for (int w = 0; w < words; ++w) {
    rows[w] = Bits::template rows<Words>(Words::load(work.plus + w * lanes), Words::load(work.minus + w * lanes));
    for (int p = 0; p < planes; ++p) letters[w][p] = Words::load(work.letters + (w * planes + p) * lanes);
  }
  for (int p = 0; p < planes; ++p) codes[p] = Words::load(work.codes + p * lanes);
  for (int p = 0; p < Bits::planes; ++p) {
    above[p] = Words::load(work.above[p]);
    below[p] = Words::load(work.below[p]);
  }
  for (i64 column = 0; column < work.columns; ++column) {
    Words code[planes], bits[Bits::planes], horizontal[Bits::planes];
    for (int p = 0; p < planes; ++p) code[p] = spread_next(codes[p]);
    for (int p = 0; p < Bits::planes; ++p) bits[p] = take_next(above[p]);
#pragma GCC unroll 4
    for (int w = 0; w < words; ++w) {
      Words differs = letters[w][0] ^ code[0];
      for (int p = 1; p < planes; ++p) differs = differs | (letters[w][p] ^ code[p]);
      Bits::template column<Words>(rows[w], differs, bits, horizontal);
    }
    for (int p = 0; p < Bits::planes; ++p) below[p] = (below[p].v + below[p].v) | bits[p].v;
  }
  for (int w = 0; w < words; ++w) {
    Bits::template plus<Words>(rows[w]).store(work.plus + w * lanes);
    Bits::template minus<Words>(rows[w]).store(work.minus + w * lanes);
  }
  for (int p = 0; p < planes; ++p) codes[p].store(work.codes + p * lanes);
  for (int p = 0; p < Bits::planes; ++p) {
    above[p].store(work.above[p]);
    below[p].store(work.below[p]);
  }
}

template <class Bits, int words>
void advance_planes(BitsWork& work) {
  switch (work.planes) {
    case 1:
      return advance_words<Bits, words, 1>(work);
    case 2:
      return advance_words<Bits, words, 2>(work);
    case 3:
      return advance_words<Bits, words, 3>(work);
    case 4:
      return advance_words<Bits, words, 4>(work);
    case 5:
      return advance_words<Bits, words, 5>(work);
    default:
      return advance_words<Bits, words, values::code_bits>(work);
  }
}

template <class Bits>
void advance_strip(BitsWork& work) {
  static_assert(strip_words == 4);
  switch (work.words) {
    case 1:
      return advance_planes<Bits, 1>(work);
    case 2:
      return advance_planes<Bits, 2>(work);
    case 3:
      return advance_planes<Bits, 3>(work);
    default:
      return advance_planes<Bits, 4>(work);
  }
}

}  // namespace

BitsFunction bits_function(int problem) {
  BitsFunction found = nullptr;
  wavefront::Problems::visit(problem, [&]<class P>(P) {
    if constexpr (requires { typename P::Bits; }) found = advance_strip<typename P::Bits>;
  });
  return found;
}

}  // namespace terrace::pairs::TERRACE_ISA
