// Vectors of words in which every bit is a row. Included by files that define TERRACE_ISA (the namespace that
// separates the symbols of instruction sets) and are compiled for it.
#pragma once

#include "kernels/values/bits.hpp"
#include "kernels/values/vector_bytes.hpp"

namespace terrace::values::TERRACE_ISA {

using device::i64;

/// As many words of 64 rows as a vector of this instruction set holds.
struct Words {
  static constexpr int lanes = vector_bytes / 8;
  typedef u64 Vector __attribute__((vector_size(vector_bytes)));
  typedef i64 Signed __attribute__((vector_size(vector_bytes)));

  Vector v;

  Words() = default;
  TERRACE_HOST_DEVICE Words(Vector vector) : v(vector) {}
  TERRACE_HOST_DEVICE explicit Words(int value) : v(Vector{} + static_cast<u64>(value)) {}

  TERRACE_HOST_DEVICE static Words load(const u64* memory) {
    Words words;
    __builtin_memcpy(&words.v, memory, vector_bytes);
    return words;
  }
  TERRACE_HOST_DEVICE void store(u64* memory) const { __builtin_memcpy(memory, &v, vector_bytes); }
};

TERRACE_HOST_DEVICE Words operator&(Words a, Words b) { return a.v & b.v; }
TERRACE_HOST_DEVICE Words operator|(Words a, Words b) { return a.v | b.v; }
TERRACE_HOST_DEVICE Words operator^(Words a, Words b) { return a.v ^ b.v; }
TERRACE_HOST_DEVICE Words operator~(Words a) { return ~a.v; }

TERRACE_HOST_DEVICE Words add_bits(Words a, Words b) { return a.v + b.v; }
/// 2 word + bit; `bit` becomes the highest one, which is shifted out.
TERRACE_HOST_DEVICE Words shift_in(Words word, Words& bit) {
  const Words shifted = (word.v + word.v) | bit.v;
  bit = word.v >> 63;
  return shifted;
}
TERRACE_HOST_DEVICE Words add_with_carry(Words a, Words b, Words& carry) {
  const Words sum = a.v + b.v + carry.v;
  carry = (b.v | (a.v & ~sum.v)) >> 63;
  return sum;
}

/// A word with all bits equal to the highest bit of `word`, which is shifted out.
TERRACE_HOST_DEVICE Words spread_next(Words& word) {
  const Words spread = reinterpret_cast<Words::Vector>(reinterpret_cast<Words::Signed>(word.v) < 0);
  word = word.v + word.v;
  return spread;
}
/// The highest bit, which is shifted out.
TERRACE_HOST_DEVICE Words take_next(Words& word) {
  const Words bit = word.v >> 63;
  word = word.v + word.v;
  return bit;
}

}  // namespace terrace::values::TERRACE_ISA
