// Reading a grid for strips: four values a lane and row, of a type known at run time.
#pragma once

#include "kernels/wavefront/cuda/sums/strips.cuh"

namespace terrace::wavefront {

/// Four neighbouring values of a grid as they lie in memory.
template <int bytes>
struct RawFour {
  u32 words[bytes];
};

/// Reads them at once, past L1 and first to leave L2: nobody reads them again.
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
  }

  /// Starts to read the batch whose rows of this warp begin at `first_row`.
  __device__ __forceinline__ void read(i32 first_row) {
    first_row_ = first_row;
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

  /// The values that were read, 0 outside the block.
  __device__ __forceinline__ void values(W (&sums)[R][4]) const {
    const K low = static_cast<K>(strip_.task.keys.low), high = static_cast<K>(strip_.task.keys.high);
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        const K bits = bits_at(raw_[r], c);
        if constexpr (counts) {
          const K key = key_of_bits_at(bits);
          const bool inside = first_row_ + r < strip_.rows && column_ + c < strip_.width;
          sums[r][c] = inside && key >= low && key <= high ? 1 : 0;
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

  const Strip& strip_;
  const i32 column_;
  u64 policy_ = device::evict_first_policy();
  const device::u8* grid_;
  bool whole_;  // four columns are there and move at once
  KeyRule<K> rule_;
  RawFour<bytes> raw_[R];
  i32 first_row_ = 0;
};

}  // namespace terrace::wavefront
