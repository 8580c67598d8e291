#include "stages/makespan/rounding.hpp"

#include <algorithm>
#include <numeric>

#include "kernels/dp_table/kernels.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t most_capped_machines = 253;
constexpr std::size_t most_changes = 200'000;
constexpr std::int64_t most_units = 4'000'000;  // of all times, at which their multiples change

std::vector<std::int64_t> evenly(std::int64_t lower, std::int64_t upper, std::size_t count) {
  const auto step = std::max<std::int64_t>(1, (upper - lower) / static_cast<std::int64_t>(count));
  std::vector<std::int64_t> targets;
  for (std::int64_t target = lower; target <= upper; target += step) targets.push_back(target);
  if (targets.back() != upper) targets.push_back(upper);
  return targets;
}

}  // namespace

Extents RoundedJobs::extents() const {
  Extents extents;
  for (const auto& same : jobs) extents.push_back(static_cast<std::int64_t>(same.size()) + 1);
  return extents;
}

Rounding::Rounding(const Instance& instance, std::int64_t k) : order_(longest_first(instance.times)), k_(k) {
  for (const std::int64_t job : order_) times_.push_back(instance.times[static_cast<std::size_t>(job)]);
}

bool Rounding::all_short(std::int64_t target) const { return times_.empty() || times_.front() <= target / k_; }

RoundedJobs Rounding::jobs(std::int64_t target) const {
  RoundedJobs rounded;
  const std::int64_t step = unit(target), longest_short = target / k_;
  rounded.last = (step + 1) * k_ * k_ - 1;
  for (std::size_t n = 0; n < times_.size(); ++n) {
    if (times_[n] <= longest_short) {
      rounded.short_jobs.assign(order_.begin() + static_cast<std::ptrdiff_t>(n), order_.end());
      break;
    }
    const std::int64_t size = step == 0 ? times_[n] : times_[n] / step * step;
    if (rounded.sizes.empty() || rounded.sizes.back() != size) {
      rounded.sizes.push_back(size);
      rounded.jobs.emplace_back();
    }
    rounded.jobs.back().push_back(order_[n]);
  }
  return rounded;
}

Rounding::Size Rounding::size(std::int64_t target) const {
  Size size{target, 0, 1};
  const std::int64_t step = unit(target), longest_short = target / k_;
  for (auto at = times_.begin(); at != times_.end() && *at > longest_short;) {
    const std::int64_t least = std::max(step == 0 ? *at : *at / step * step, longest_short + 1);
    const auto next = std::partition_point(at, times_.end(), [&](std::int64_t time) { return time >= least; });
    size.cells *= static_cast<double>(next - at) + 1;
    if (++size.dimensions > dp_table::most_dimensions) break;
    at = next;
  }
  return size;
}

std::vector<std::int64_t> Rounding::changes(std::int64_t lower, std::int64_t upper, std::size_t most) const {
  if (upper - lower < static_cast<std::int64_t>(most)) return evenly(lower, upper, most);
  std::vector<std::int64_t> targets{lower};
  const auto add = [&](std::int64_t target) {
    if (target > lower && target <= upper) targets.push_back(target);
  };
  const std::int64_t squared = k_ * k_, most_unit = upper / squared;
  const std::int64_t least_unit = std::max<std::int64_t>(1, lower / squared);
  std::int64_t before = -1, units = 0;
  add(squared);  // without rounding the sizes are the times
  for (const std::int64_t time : times_) {
    if (time == before) continue;
    before = time;
    if (time <= lower / k_) break;
    if (time <= upper / k_) add(time * k_);
    if (most_unit == 0) continue;
    // time / unit is v for the units above time / (v + 1), up to time / v.
    units += time / least_unit - time / most_unit;
    if (units > most_units) return evenly(lower, upper, most);
    for (std::int64_t v = time / most_unit; v < time / least_unit; ++v) add((time / (v + 1) + 1) * squared);
  }
  std::sort(targets.begin(), targets.end());
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets.size() <= most ? targets : evenly(lower, upper, most);
}

Rounding::Largest Rounding::largest(std::int64_t lower, std::int64_t upper) const {
  Largest largest;
  for (const std::int64_t target : changes(lower, upper, most_changes)) {
    const Size found = size(target);
    if (found.cells > largest.cells.cells || largest.cells.target == 0) largest.cells = found;
    if (found.dimensions > largest.dimensions.dimensions || largest.dimensions.target == 0) {
      largest.dimensions = found;
    }
  }
  return largest;
}

std::optional<dp_table::Table> table_of(const RoundedJobs& jobs, std::int64_t target, ElementType type,
                                        std::int64_t machines) {
  dp_table::Table table;
  table.type = type;
  table.extents = jobs.extents();
  if (type == ElementType::u8) table.cap = machines + 1;
  auto steps = dp_table::steps_of_capacity(table.extents, jobs.sizes, target);
  if (!steps) return std::nullopt;
  table.steps = *std::move(steps);
  return table;
}

std::vector<std::int64_t> SizedTable::by_sizes(const std::int64_t* by_dimensions) const {
  std::vector<std::int64_t> numbers(sizes.size());
  for (std::size_t d = 0; d < sizes.size(); ++d) numbers[static_cast<std::size_t>(sizes[d])] = by_dimensions[d];
  return numbers;
}

std::optional<SizedTable> sized_table(const RoundedJobs& jobs, std::int64_t target, ElementType type,
                                      std::int64_t machines, const dp_table::Cut& cut, bool ordered) {
  auto table = table_of(jobs, target, type, machines);
  if (!table) return std::nullopt;
  table->cut = cut;
  std::vector<int> sizes(jobs.sizes.size());
  std::iota(sizes.begin(), sizes.end(), 0);
  if (!ordered) return SizedTable{*std::move(table), std::move(sizes)};
  sizes = dp_table::fast_cuda_order(*table);
  return SizedTable{dp_table::in_order(*table, sizes), std::move(sizes)};
}

ElementType cell_type(const Instance& instance) {
  if (instance.machines <= most_capped_machines) return ElementType::u8;
  return instance.times.size() < 65535 ? ElementType::u16 : ElementType::i32;
}

}  // namespace terrace::stages
