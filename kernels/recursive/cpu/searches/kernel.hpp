// The vectorised parts of searches for one instruction set. Included by files that define TERRACE_ISA.
#pragma once

#include "kernels/recursive/cpu/searches/vectors.hpp"
#include "kernels/values/vector_bytes.hpp"

namespace terrace::recursive::TERRACE_ISA {

template <i64 words>
i64 push_words(const LevelSearch& search, const i32* list, i64 count, i32* marked) {
  i64 found = 0;
  for (i64 n = 0; n < count; ++n) {
    const i64 node = list[n];
    u64 front[words];
    for (i64 w = 0; w < words; ++w) front[w] = search.front[node * words + w];
    for (i64 edge = search.edges.begin[node]; edge < search.edges.begin[node + 1]; ++edge) {
      const i64 to = search.edges.to[edge];
      u64* next = search.next + to * words;
      for (i64 w = 0; w < words; ++w) next[w] |= front[w];
      marked[found] = static_cast<i32>(to);
      found += search.is_marked[to] == 0 ? 1 : 0;
      search.is_marked[to] = 1;
    }
  }
  return found;
}

template <i64 words>
i64 settle_words(const LevelSearch& search, const i32* marked, i64 count, u32 level, i32* list) {
  i64 found = 0;
  for (i64 n = 0; n < count; ++n) {
    const i64 node = marked[n], at = node * words;
    u64 any = 0, fresh[words];
    for (i64 w = 0; w < words; ++w) {
      fresh[w] = search.next[at + w] & ~search.reached[at + w];
      search.reached[at + w] |= fresh[w];
      search.front[at + w] = fresh[w];
      search.next[at + w] = 0;
      any |= fresh[w];
    }
    search.is_marked[node] = 0;
    if (any == 0) continue;
    list[found++] = static_cast<i32>(node);
    for (u32 bits = level, p = 0; bits != 0; bits >>= 1, ++p) {
      if ((bits & 1) == 0) continue;
      u64* plane = search.planes[p] + at;
      for (i64 w = 0; w < words; ++w) plane[w] |= fresh[w];
    }
  }
  return found;
}

inline i64 push(const LevelSearch& search, const i32* list, i64 count, i32* marked) {
  if (search.words == 8) return push_words<8>(search, list, count, marked);
  if (search.words == 4) return push_words<4>(search, list, count, marked);
  if (search.words == 2) return push_words<2>(search, list, count, marked);
  return push_words<1>(search, list, count, marked);
}

inline i64 settle(const LevelSearch& search, const i32* marked, i64 count, u32 level, i32* list) {
  if (search.words == 8) return settle_words<8>(search, marked, count, level, list);
  if (search.words == 4) return settle_words<4>(search, marked, count, level, list);
  if (search.words == 2) return settle_words<2>(search, marked, count, level, list);
  return settle_words<1>(search, marked, count, level, list);
}

/// Makes bit j of word b bit b of word j (Warren, "Hacker's Delight", 7-3).
inline void transpose(u64* rows) {
  u64 mask = 0x00000000FFFFFFFFull;
  for (int half = 32; half != 0; half >>= 1, mask ^= mask << half) {
    for (int first = 0; first < 64; first += 2 * half) {
      for (int k = first; k < first + half; ++k) {
        const u64 changed = (rows[k] >> half ^ rows[k + half]) & mask;
        rows[k] ^= changed << half;
        rows[k + half] ^= changed;
      }
    }
  }
}

inline void add_plane(const u64* plane, i64 stride, i64 count, int place, u32* levels) {
  u64 rows[64];
  u64 any = 0;
  for (i64 j = 0; j < count; ++j) any |= rows[j] = plane[j * stride];
  if (any == 0) return;
  for (i64 j = count; j < 64; ++j) rows[j] = 0;
  transpose(rows);
  for (int b = 0; b < 64; ++b) {
    const u32 low = static_cast<u32>(rows[b]), high = static_cast<u32>(rows[b] >> 32);
    u32* of_source = levels + 64 * b;
    for (u32 j = 0; j < 32; ++j) of_source[j] += (low >> j & 1u) << place;
    for (u32 j = 0; j < 32; ++j) of_source[32 + j] += (high >> j & 1u) << place;
  }
}

inline void levels_of(const LevelSearch& search, i64 nodes, i64 node, i64 word, i64 planes, u32* levels) {
  const i64 count = nodes - node < 64 ? nodes - node : 64, at = node * search.words + word;
  for (int n = 0; n < 64 * 64; ++n) levels[n] = 0;
  add_plane(search.reached + at, search.words, count, 0, levels);
  for (i64 p = 0; p < planes; ++p) add_plane(search.planes[p] + at, search.words, count, static_cast<int>(p), levels);
}

template <class S>
i64 sweep(const SweepSearch<S>& search, i64 count, i64& passed) {
  constexpr i64 lanes = sweep_lanes<S>, part = values::TERRACE_ISA::vector_bytes / static_cast<i64>(sizeof(S)),
                parts = lanes / part;
  typedef S Vector __attribute__((vector_size(values::TERRACE_ISA::vector_bytes)));
  typedef i64 Words __attribute__((vector_size(values::TERRACE_ISA::vector_bytes)));
  i64 found = 0;
  for (i64 n = 0; n < count; ++n) {
    const i64 node = search.list[n];
    search.is_listed[node] = 0;
    const auto* from = reinterpret_cast<const Vector*>(search.distance + node * lanes);
    Vector before[parts];
    for (i64 p = 0; p < parts; ++p) before[p] = from[p];
    const i64 end = search.edges.begin[node + 1];
    passed += end - search.edges.begin[node];
    for (i64 edge = search.edges.begin[node]; edge < end; ++edge) {
      const i64 to = search.edges.to[edge];
      auto* at = reinterpret_cast<Vector*>(search.distance + to * lanes);
      const Vector weight = search.weight[edge] - Vector{};
      auto better = before[0] < before[0];
      for (i64 p = 0; p < parts; ++p) {
        const Vector through = before[p] + weight, old = at[p];
        const auto less = through < old;
        at[p] = less ? through : old;
        better |= less;
      }
      const auto words = reinterpret_cast<Words>(better);
      i64 any = words[0] | words[1];
      for (int w = 2; w < values::TERRACE_ISA::vector_bytes / 8; ++w) any |= words[w];
      if (any == 0 || search.is_listed[to] != 0) continue;
      search.is_listed[to] = 1;
      search.later[found++] = static_cast<i32>(to);
    }
  }
  return found;
}

SearchKernels search_kernels() { return {push, settle, levels_of, sweep<i32>, sweep<i64>, sweep<double>}; }

}  // namespace terrace::recursive::TERRACE_ISA
