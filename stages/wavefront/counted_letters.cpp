#include "stages/wavefront/counted_letters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "stages/wavefront/letters.hpp"

namespace terrace::stages {
namespace {

constexpr double most_unlike = 0.1;  // of the letters of a sequence, without a warning

}  // namespace

void CountedLetters::read(const Box& box, void* buffer) {
  codes_->read(box, buffer);
  const auto* codes = static_cast<const std::uint8_t*>(buffer);
  const std::int64_t count = box.volume();
  unlike_ += std::count_if(codes, codes + count, [](std::uint8_t code) { return code >= first_unlike; });
  read_ += count;
}

double CountedLetters::share() const {
  const std::int64_t all = read_;
  return all == 0 ? 0 : static_cast<double>(unlike_) / static_cast<double>(all);
}

std::string warning_of_letters(const Place& place, const std::string& stage, const LetterCounts& sequences) {
  std::set<std::string> names;
  for (const auto& sequence : sequences) {
    if (sequence->share() > most_unlike) names.insert("'" + sequence->name() + "'");
  }
  if (names.empty()) return "";
  return message_at(
      place, "stage '" + stage + "': more than a tenth of the letters of " +
                 fmt::format("{}", fmt::join(names, " and ")) +
                 " are no A, C, G, T or U, and match nothing, not even themselves: for a protein say `alphabet: "
                 "protein`, or score it by `matrix: blosum62`; for DNA say `ambiguous: literal`, with which equal "
                 "letters match, or `ambiguous: mismatch`, if that is meant");
}

}  // namespace terrace::stages
