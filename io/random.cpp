#include "io/random.hpp"

namespace terrace::io {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;

std::uint64_t mix(std::uint64_t word) {
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

}  // namespace

Random::Random(std::int64_t seed, RandomStream stream)
    : key_(mix(mix(static_cast<std::uint64_t>(seed) + golden) + static_cast<std::uint64_t>(stream) * golden)) {}

std::uint64_t Random::bits(std::int64_t index) const {
  return mix(key_ + (static_cast<std::uint64_t>(index) + 1) * golden);
}

std::uint64_t Random::below(std::uint64_t count, std::int64_t index) const {
  __extension__ using Wide = unsigned __int128;
  if (count == 0) return bits(index);
  return static_cast<std::uint64_t>((static_cast<Wide>(bits(index)) * count) >> 64);
}

}  // namespace terrace::io
