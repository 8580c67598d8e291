// Reading a grid for strips: four values a lane and row, of a type known at run time.
#pragma once

#include "kernels/wavefront/cuda/sums/strips.cuh"

namespace terrace::wavefront {

/// Four neighbouring values of a grid as they lie in memory.
template <int bytes>
struct RawFour {
  u32 words[bytes];
};

/// Reads them at once, past L1.
template <int bytes>
__device__ __forceinline__ RawFour<bytes> load_once(const void* address, u64 policy) {
  RawFour<bytes> raw;
  const u32* from = static_cast<const u32*>(address);
  if constexpr (bytes < 4) {
    device::load_once<bytes>(from, policy, raw.words);
  } else {
#pragma unroll
    for (int w = 0; w < bytes; w += 4) device::load_once<4>(from + w, policy, raw.words + w);
  }
  return raw;
}

/// Bits of value c, zero-extended.
template <int bytes>
__device__ __forceinline__ typename KeyOfBytes<bytes == 8 ? 8 : 4>::Type bits_at(const RawFour<bytes>& raw, int c) {
  if constexpr (bytes == 8) return raw.words[2 * c] | static_cast<u64>(raw.words[2 * c + 1]) << 32;
  else if constexpr (bytes == 4) return raw.words[c];
  else if constexpr (bytes == 2) return raw.words[c / 2] >> 16 * (c % 2) & 0xFFFFu;
  else return raw.words[0] >> 8 * c & 0xFFu;
}

template <int bytes>
__device__ __forceinline__ void put_bits(RawFour<bytes>& raw, int c, u64 bits) {
  if constexpr (bytes == 8) {
    raw.words[2 * c] = static_cast<u32>(bits);
    raw.words[2 * c + 1] = static_cast<u32>(bits >> 32);
  } else if constexpr (bytes == 4) {
    raw.words[c] = static_cast<u32>(bits);
  } else {
    raw.words[c * bytes / 4] |= static_cast<u32>(bits) << 8 * (c * bytes % 4);
  }
}

/// The key rule of a type that is known at run time, for bits in a K.
template <class K>
__device__ inline KeyRule<K> rule_of(Stored type) {
  KeyRule<K> rule{0, 0};
  dispatch_stored(type, [&]<class G>(G) {
    constexpr auto own = key_rule<G>();
    rule = {static_cast<K>(own.flip), static_cast<K>(own.negative)};
  });
  return rule;
}

/// The test that a byte is at least some number, for the four of a word at once.
class ByteThreshold {
 public:
  /// @param least in [0, 256]; no byte is at least 256
  __device__ explicit ByteThreshold(u32 least)
      : both_(least >= 128 ? ~0u : 0u), add_((128 - (least >= 128 ? least - 128 : least)) * 0x01010101u) {}

  /// Sets the highest bit of each byte that is large enough; the other bits mean nothing.
  __device__ __forceinline__ u32 reached(u32 bytes) const {
    // The highest bit of a sum: whether the lower seven bits reach those of the threshold. Of a threshold above 127
    // a byte needs that and its own highest bit, else one of them.
    const u32 lower = (bytes & 0x7F7F7F7Fu) + add_;
    return (bytes & lower) | ((bytes | lower) & ~both_);
  }

 private:
  u32 both_, add_;
};

/// The values of a strip's batches as one lane reads them: R rows of the four columns from `column` on, kept in their
/// form in memory until they are needed. @tparam W type of sums @tparam counts true if they are marks
template <class W, int bytes, bool counts, int R>
class StripReader {
 public:
  /// @param column of the block
  __device__ StripReader(const Strip& strip, Stored type, i32 column) : strip_(strip), column_(column) {
    constexpr u64 alignment = bytes < 4 ? 4 * bytes : 16;
    grid_ = static_cast<const device::u8*>(strip.task.grid) + column * bytes;
    whole_ = column + 4 <= strip.width && reinterpret_cast<u64>(grid_) % alignment == 0 &&
             static_cast<u64>(strip.task.grid_stride) * bytes % alignment == 0;
    rule_ = rule_of<K>(type);
#pragma unroll
    for (int c = 0; c < 4; ++c) inside_ |= column + c < strip.width ? 1u << 8 * c : 0;
  }

  /// Starts to read the batch whose rows of this warp begin at `first_row`.
  __device__ __forceinline__ void read(i32 first_row) {
    first_row_ = first_row;
    // Without a branch a row; sums of values leave no registers for it.
    if (counts && whole_ && first_row + R <= strip_.rows) {
      const i64 stride = strip_.task.grid_stride * bytes;
      const device::u8* at = grid_ + first_row * stride;
#pragma unroll
      for (int r = 0; r < R; ++r, at += stride) raw_[r] = load_once<bytes>(at, policy_);
      return;
    }
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const i32 row = first_row + r;
      const device::u8* at = grid_ + row * strip_.task.grid_stride * bytes;
      if (whole_ && row < strip_.rows) {
        raw_[r] = load_once<bytes>(at, policy_);
        continue;
      }
      raw_[r] = {};
      if (row >= strip_.rows) continue;
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        if (column_ + c < strip_.width) {
          put_bits(raw_[r], c, device::load_past_l1(reinterpret_cast<const Narrow*>(at) + c));
        }
      }
    }
  }

  /// The marks of the values that were read, 0 outside the block: each 0 or 1, in the byte of its column.
  __device__ __forceinline__ void marks(u32 (&marks)[R]) const {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const u32 inside = first_row_ + r < strip_.rows ? inside_ : 0;
      if constexpr (bytes == 1) {
        const u32 keys = raw_[r].words[0] ^ rule_.flip * 0x01010101u;
        marks[r] = (low_.reached(keys) & ~past_.reached(keys)) >> 7 & inside;
      } else {
        marks[r] = 0;
#pragma unroll
        for (int c = 0; c < 4; ++c) marks[r] |= is_marked(bits_at(raw_[r], c)) ? 1u << 8 * c : 0;
        marks[r] &= inside;
      }
    }
  }

  /// The values that were read, 0 outside the block.
  __device__ __forceinline__ void values(W (&sums)[R][4]) const {
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const K bits = bits_at(raw_[r], c);
        if constexpr (counts) {
          const bool inside = first_row_ + r < strip_.rows && column_ + c < strip_.width;
          sums[r][c] = inside && is_marked(bits) ? 1 : 0;
        } else if constexpr (bytes >= static_cast<int>(sizeof(W))) {
          sums[r][c] = static_cast<W>(bits);
        } else {
          // Sign extension if the type has a sign: flip is then its bit, else 0.
          sums[r][c] = add_wrapping(static_cast<W>(bits ^ rule_.flip), negative_of_flip());
        }
      }
    }
  }

 private:
  using K = typename KeyOfBytes<bytes == 8 ? 8 : 4>::Type;
  using Narrow = typename KeyOfBytes<bytes>::Type;

  __device__ __forceinline__ W negative_of_flip() const {
    return static_cast<W>(-static_cast<i64>(static_cast<u64>(rule_.flip)));
  }
  /// For narrow types, none of which has fractions, flip is enough.
  __device__ __forceinline__ K key_of_bits_at(K bits) const {
    if constexpr (bytes < 4) return bits ^ rule_.flip;
    else return key_of_bits(bits, rule_);
  }

  __device__ __forceinline__ bool is_marked(K bits) const {
    const K key = key_of_bits_at(bits);
    return key >= static_cast<K>(strip_.task.keys.low) && key <= static_cast<K>(strip_.task.keys.high);
  }
  /// The lowest key of bytes from `key` on, at most 256.
  __device__ __forceinline__ static u32 threshold(u64 key) { return key < 256 ? static_cast<u32>(key) : 256; }

  const Strip& strip_;
  const i32 column_;
  // Of a grid whose values are counted every layer reads them.
  u64 policy_ = counts ? device::evict_normal_policy() : device::evict_first_policy();
  const ByteThreshold low_{threshold(strip_.task.keys.low)}, past_{threshold(strip_.task.keys.high + 1)};
  u32 inside_ = 0;  // 1 in the byte of each column inside the block
  const device::u8* grid_;
  bool whole_;  // four columns are there and move at once
  KeyRule<K> rule_;
  RawFour<bytes> raw_[R];
  i32 first_row_ = 0;
};

}  // namespace terrace::wavefront
