#include "pipeline/app/show/rate.hpp"

#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

constexpr double least_computing = 0.1;

}  // namespace

std::string rate_in_words(const StageRate& stage) {
  if (stage.rate <= 0 || stage.computing < least_computing) return "";
  const std::string unit = stage.unit + "/s", text = format_rate(stage.rate, unit) + " while computing";
  if (stage.limit <= 0) return text;
  return text + ", " + format_share(stage.rate / stage.limit) + " of the limit of " + format_rate(stage.limit, unit) +
         " (" + stage.limit_kind + ")";
}

}  // namespace terrace::app
