// Histograms of distances: their keys, their array in plans, and what results say of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/results/file.hpp"
#include "kernels/values/bins.hpp"
#include "pipeline/job/declaration.hpp"
#include "pipeline/run/access.hpp"
#include "pipeline/run/array.hpp"

namespace terrace::stages {

/// The keys of a histogram.
inline constexpr Parameter histogram_parameters[] = {
    {"bins", ParameterKind::integer, "the number of bins of the histogram of distances; left out: 256", "", nullptr,
     1, 65536},
    {"range", ParameterKind::numbers,
     "the lower end of the first bin of the histogram and the upper end of the last; left out: [0, bins], bins 1 "
     "wide",
     ""}};

/// The outputs of a histogram. @param when the condition, for people @param written decides about it
std::vector<job::OutputDeclaration> histogram_outputs(const std::string& when, bool (*written)(const Settings&));

/// The faults of its keys. @param remedy of keys that are given although there is no histogram; empty: there is one
std::vector<job::Finding> check_histogram(const Settings& settings, const std::string& remedy);

/// The bins of keys without a fault.
values::Bins bins_of(const Settings& settings);

/// A histogram as an array of one tile, which the blocks of a phase update in turn. @param blocks of the phase
run::ArraySpec histogram_array(const values::Bins& bins, std::int64_t blocks);

/// The access of a block to that array. @param block number in its phase
run::Access histogram_access(run::Slot slot, int array, const run::ArraySpec& spec, std::int64_t block);

/// Bytes of its memory; 0 if there is none.
std::int64_t histogram_bytes(const std::optional<values::Bins>& bins);

/// Its dataset.
io::DatasetSpec histogram_dataset(const std::string& stage);

/// The pairs of different nodes that a histogram does not count.
struct Uncounted {
  std::int64_t outside = 0;      // their distance lies in no bin
  std::int64_t unreachable = 0;  // they have no path
};

/// The datasets that accompany it.
std::vector<io::SmallDataset> histogram_small(const std::string& stage, const values::Bins& bins,
                                              const Uncounted& uncounted);

}  // namespace terrace::stages
