// When and how the pairs of a vector are aligned one after another, each in all lanes.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "kernels/pairs/cpu/work.hpp"

namespace terrace::pairs {

/// The letters that the columns of a block have, with a place for each.
struct LetterPlaces {
  std::array<u8, 256> place{};
  std::array<u8, most_profile_letters> letters{};
  i64 count = 0;
};

/// nullopt: there are more than most_profile_letters.
std::optional<LetterPlaces> letter_places(const void* items, const i64* begin, i64 count);

/// True if pairs of these items are soon aligned one after another, rather than side by side in `lanes` lanes.
bool is_striped_faster(const LaneItem* items, i64 count, i64 lanes);

/// Letters as places.
void write_places(const LetterPlaces& places, const u8* letters, i64 count, std::vector<u8>& out);

}  // namespace terrace::pairs
