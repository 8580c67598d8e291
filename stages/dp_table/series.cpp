#include "stages/dp_table/series.hpp"

namespace terrace::stages {
namespace {

__extension__ using Wide = __int128;

}  // namespace

std::optional<SeriesTerms> inverse_of_counts(const dp_table::Table& table, std::size_t most) {
  SeriesTerms terms{{std::vector<std::int64_t>(static_cast<std::size_t>(table.extents.rank()), 0), 1}};
  for (std::int64_t number = 0; number < table.steps.count(); ++number) {
    SeriesTerms next = terms;
    for (const auto& [exponents, coefficient] : terms) {
      std::vector<std::int64_t> sum = exponents;
      for (std::size_t d = 0; d < sum.size(); ++d) sum[d] += table.steps.step(number)[d];
      if (!dp_table::fits_table(table.extents, sum.data())) continue;
      std::int64_t& found = next[sum];
      if (__builtin_sub_overflow(found, coefficient, &found)) return std::nullopt;
    }
    std::erase_if(next, [](const auto& term) { return term.second == 0; });
    terms = std::move(next);
    if (terms.size() > most) return std::nullopt;
  }
  return terms;
}

std::uint64_t with_term(std::uint64_t sum, std::int64_t coefficient, std::uint64_t count, std::uint64_t modulus) {
  if (modulus == 0) return sum + static_cast<std::uint64_t>(coefficient) * count;
  const auto wrap = static_cast<Wide>(modulus);
  // Each factor is below 2^63, or reduced by the modulus.
  const Wide made =
      (static_cast<Wide>(sum) + static_cast<Wide>(coefficient) % wrap * static_cast<Wide>(count % modulus)) % wrap;
  return static_cast<std::uint64_t>(made < 0 ? made + wrap : made);
}

}  // namespace terrace::stages
