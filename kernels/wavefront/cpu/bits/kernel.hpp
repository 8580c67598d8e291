// The bit-parallel kernel on vectors of words. Included by files that define TERRACE_ISA and are compiled for it.
#pragma once

#include "kernels/values/cpu_words.hpp"
#include "kernels/wavefront/cpu/band.hpp"
#include "kernels/wavefront/problem.hpp"

namespace terrace::wavefront::TERRACE_ISA {

using namespace values::TERRACE_ISA;

/// `whole`: no word ends before its highest bit.
template <class P, BitLetters kind, bool whole>
TERRACE_HOST_DEVICE void advance_vector(BitWords& words, device::i64 at, device::i64 columns) {
  using Bits = typename P::Bits;
  constexpr int planes = Bits::planes, letter_planes = kind == BitLetters::any ? code_bits : 2;
  auto rows = Bits::template rows<Words>(Words::load(words.plus + at), Words::load(words.minus + at));
  Words letters[letter_planes], codes[letter_planes];
  for (int k = 0; k < letter_planes; ++k) {
    letters[k] = Words::load(words.letters[k] + at);
    codes[k] = Words::load(words.columns[k] + at);
  }
  const Words others = Words::load(words.others + at), last = Words::load(words.last + at);
  Words rare = Words::load(words.rare + at), above[planes], below[planes];
  for (int p = 0; p < planes; ++p) {
    above[p] = Words::load(words.above[p] + at);
    below[p] = Words::load(words.below[p] + at);
  }
  for (device::i64 i = 0; i < columns; ++i) {
    Words differs = letters[0] ^ spread_next(codes[0]);
    for (int k = 1; k < letter_planes; ++k) differs = differs | (letters[k] ^ spread_next(codes[k]));
    if constexpr (kind != BitLetters::any) differs = differs | others;
    if constexpr (kind == BitLetters::rare) differs = differs | spread_next(rare);
    Words bits[planes], horizontal[planes];
    for (int p = 0; p < planes; ++p) bits[p] = take_next(above[p]);
    Bits::template column<Words>(rows, differs, bits, horizontal);
    for (int p = 0; p < planes; ++p) {
      const Words next = whole ? bits[p] : Words(horizontal[p].v >> last.v & Words(1).v);
      below[p] = (below[p].v + below[p].v) | next.v;
    }
  }
  Bits::template plus<Words>(rows).store(words.plus + at);
  Bits::template minus<Words>(rows).store(words.minus + at);
  for (int k = 0; k < letter_planes; ++k) codes[k].store(words.columns[k] + at);
  rare.store(words.rare + at);
  for (int p = 0; p < planes; ++p) {
    above[p].store(words.above[p] + at);
    below[p].store(words.below[p] + at);
  }
}

template <class P, BitLetters kind, bool whole>
void advance_all(BitWords& words, device::i64 columns) {
  for (device::i64 at = 0; at < words.count; at += Words::lanes) advance_vector<P, kind, whole>(words, at, columns);
}

template <class P>
void advance_bits(BitWords& words, device::i64 columns, BitLetters letters) {
  if (letters == BitLetters::four && words.whole) advance_all<P, BitLetters::four, true>(words, columns);
  else if (letters == BitLetters::four) advance_all<P, BitLetters::four, false>(words, columns);
  else if (letters == BitLetters::rare) advance_all<P, BitLetters::rare, false>(words, columns);
  else advance_all<P, BitLetters::any, false>(words, columns);
}

}  // namespace terrace::wavefront::TERRACE_ISA
