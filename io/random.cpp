#include "io/random.hpp"

namespace terrace::io {

Random::Random(std::int64_t seed, RandomStream stream)
    : key_(mix(mix(static_cast<std::uint64_t>(seed) + golden) + static_cast<std::uint64_t>(stream) * golden)) {}

std::uint64_t Random::below(std::uint64_t count, std::int64_t index) const {
  __extension__ using Wide = unsigned __int128;
  if (count == 0) return bits(index);
  return static_cast<std::uint64_t>((static_cast<Wide>(bits(index)) * count) >> 64);
}

}  // namespace terrace::io
