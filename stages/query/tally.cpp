#include "stages/query/tally.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/recursive/semiring.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

void QueryTally::fold(const run::Phase&, std::int64_t index, const void* folded) {
  recursive::ReductionResult result;
  std::memcpy(&result, folded, sizeof result);
  const QueryCut& cut = plan_.cut();
  const bool whole = !is_floating(cut.value);
  const std::int64_t rows = plan_.rows(index).shape()[0];
  for (std::int64_t row = 0; row < rows; ++row) {
    const recursive::RowTotals& found = result.rows[row];
    if (cut.each && whole) {
      const std::int64_t none = dispatch(cut.value, [](auto value) -> std::int64_t {
        if constexpr (std::is_signed_v<decltype(value)> && sizeof value > 1 && std::is_integral_v<decltype(value)>)
          return recursive::infinity<decltype(value)>();
        else return 0;
      });
      totals_.farthest.push_back(found.finite > 0 ? found.most : none);
    } else if (cut.each) {
      totals_.farthest_real.push_back(found.finite > 0 ? found.most_real : recursive::infinity<double>());
    }
    totals_.outside += found.outside;
    if (found.finite == 0) continue;
    const bool first = totals_.finite == 0;
    totals_.least = first ? found.least : std::min<std::int64_t>(totals_.least, found.least);
    totals_.most = first ? found.most : std::max<std::int64_t>(totals_.most, found.most);
    totals_.least_real = first ? found.least_real : std::min(totals_.least_real, found.least_real);
    totals_.most_real = first ? found.most_real : std::max(totals_.most_real, found.most_real);
    totals_.finite += found.finite;
    totals_.sum_real += found.sum_real;
    totals_.low += found.low;
    totals_.high += found.high + (totals_.low >> 32);
    totals_.low &= 0xFFFFFFFF;
  }
}

std::string QueryTally::save() const {
  const DistanceTotals& t = totals_;
  const nlohmann::json whole = {t.finite, t.least, t.most, t.high, t.low, t.farthest};
  const nlohmann::json all = {{"whole", whole},
                              {"outside", t.outside},
                              {"real", numbers_json({t.least_real, t.most_real, t.sum_real})},
                              {"farthest_real", numbers_json(t.farthest_real)}};
  return all.dump();
}

void QueryTally::load(const std::string& text) {
  const nlohmann::json all = nlohmann::json::parse(text);
  const nlohmann::json& whole = all.at("whole");
  const std::vector<double> real = numbers_from(all.at("real"));
  totals_ = {};
  totals_.finite = whole.at(0);
  totals_.outside = all.value("outside", std::int64_t{0});
  totals_.least = whole.at(1);
  totals_.most = whole.at(2);
  totals_.high = whole.at(3);
  totals_.low = whole.at(4);
  totals_.farthest = whole.at(5).get<std::vector<std::int64_t>>();
  totals_.least_real = real.at(0);
  totals_.most_real = real.at(1);
  totals_.sum_real = real.at(2);
  totals_.farthest_real = numbers_from(all.at("farthest_real"));
}

}  // namespace terrace::stages
