#include "stages/recursive/histogram.hpp"

#include <cmath>

#include "pipeline/base/rounding.hpp"

namespace terrace::stages {

std::vector<job::OutputDeclaration> histogram_outputs(const std::string& when, bool (*written)(const Settings&)) {
  using job::Ties;
  return {{"histogram", "bins",
           "finite distances between different nodes in each bin, i64; bins are half-open, the last is closed",
           Ties::none, when, written},
          {"bin", "bins", "the lower end of each bin", Ties::none, when, written},
          {"outside", "one value", "the finite distances that lie in no bin", Ties::none, when, written},
          {"unreachable", "one value", "pairs of different nodes between which there is no path", Ties::none, when,
           written}};
}

std::vector<job::Finding> check_histogram(const Settings& settings, const std::string& remedy) {
  std::vector<job::Finding> faults;
  for (const Parameter& key : histogram_parameters) {
    if (remedy.empty() || !settings.has(key.name)) continue;
    faults.push_back({key.name, "`" + std::string(key.name) + "` is of a histogram of distances: " + remedy});
  }
  const auto range = settings.find<std::vector<double>>("range");
  if (range && !(range->size() == 2 && (*range)[0] < (*range)[1] && std::isfinite((*range)[1] - (*range)[0]))) {
    const bool is_wide = range->size() == 2 && (*range)[0] < (*range)[1];
    faults.push_back({"range", is_wide ? "the ends of `range` are too far apart for f64: give nearer ones"
                                       : "`range` is two numbers, the lower first: [0, 256]"});
  }
  return faults;
}

values::Bins bins_of(const Settings& settings) {
  values::Bins bins;
  bins.bins = settings.find<std::int64_t>("bins").value_or(bins.bins);
  bins.high = static_cast<double>(bins.bins);
  if (const auto range = settings.find<std::vector<double>>("range")) bins.low = (*range)[0], bins.high = (*range)[1];
  return bins;
}

run::ArraySpec histogram_array(const values::Bins& bins, std::int64_t blocks) {
  run::ArraySpec spec;
  spec.name = "histogram";
  spec.role = run::Role::result;
  spec.type = ElementType::i64;
  spec.shape = spec.tile = {bins.bins};
  spec.kept = 1;
  spec.generations = blocks;
  return spec;
}

run::Access histogram_access(run::Slot slot, int array, const run::ArraySpec& spec, std::int64_t block) {
  const bool is_first = block == 0;
  run::Access access{slot, array, is_first ? 1 : block, Box::whole(spec.shape),
                     is_first ? run::Mode::write : run::Mode::update};
  if (!is_first) access.made = block + 1;
  return access;
}

std::int64_t histogram_bytes(const std::optional<values::Bins>& bins) {
  return bins ? whole_pages(bins->bins * static_cast<std::int64_t>(sizeof(std::int64_t))) : 0;
}

io::DatasetSpec histogram_dataset(const std::string& stage) {
  return {"/" + stage + "/histogram", {}, {}, {"bin"}, "", "finite distances between different nodes in each bin"};
}

std::vector<io::SmallDataset> histogram_small(const std::string& stage, const values::Bins& bins,
                                              const Uncounted& uncounted) {
  const std::string group = "/" + stage + "/";
  std::vector<double> ends;
  for (std::int64_t number = 0; number < bins.bins; ++number) ends.push_back(bins.edge(number));
  return {
      io::small_dataset<double>(group + "bin", {bins.bins}, {"bin"}, ends, "", "lower end of each bin"),
      io::small_scalar(group + "outside", uncounted.outside, "", "finite distances that lie in no bin"),
      io::small_scalar(group + "unreachable", uncounted.unreachable, "", "pairs of different nodes without a path")};
}

}  // namespace terrace::stages
