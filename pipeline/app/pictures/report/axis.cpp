#include "pipeline/app/pictures/report/axis.hpp"

#include <cmath>

namespace terrace::app {

std::vector<double> linear_ticks(double least, double most, int count) {
  if (!(most > least)) return {least};
  const double rough = (most - least) / count;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power;
  const double step = power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
  std::vector<double> ticks;
  for (double number = std::ceil(least / step); number * step <= most; ++number) ticks.push_back(number * step);
  return ticks;
}

}  // namespace terrace::app
