#include "kernels/pairs/cpu/striped.hpp"

#include <algorithm>

#include "kernels/pairs/measured.hpp"

namespace terrace::pairs {

std::optional<LetterPlaces> letter_places(const void* items, const i64* begin, i64 count) {
  std::array<bool, 256> is_there{};
  const auto* letters = static_cast<const u8*>(items);
  for (i64 at = begin[0]; at < begin[count]; ++at) is_there[letters[at]] = true;
  LetterPlaces places;
  for (int letter = 0; letter < 256; ++letter) {
    if (!is_there[static_cast<std::size_t>(letter)]) continue;
    if (places.count == most_profile_letters) return std::nullopt;
    places.place[static_cast<std::size_t>(letter)] = static_cast<u8>(places.count);
    places.letters[static_cast<std::size_t>(places.count++)] = static_cast<u8>(letter);
  }
  return places;
}

bool is_striped_faster(const LaneItem* items, i64 count, i64 lanes) {
  i64 rows = 0, columns = 0;
  double striped = 0;
  for (i64 lane = 0; lane < count; ++lane) {
    rows = std::max<i64>(rows, items[lane].rows);
    columns = std::max<i64>(columns, items[lane].columns);
    const auto segments = static_cast<double>((items[lane].rows + lanes - 1) / lanes);
    striped += (segments * measured::CpuStriped::segment + measured::CpuStriped::column) * items[lane].columns;
  }
  return striped < static_cast<double>(rows) * static_cast<double>(columns);
}

void write_places(const LetterPlaces& places, const u8* letters, i64 count, std::vector<u8>& out) {
  out.resize(static_cast<std::size_t>(count));
  std::transform(letters, letters + count, out.begin(), [&](u8 letter) { return places.place[letter]; });
}

}  // namespace terrace::pairs
