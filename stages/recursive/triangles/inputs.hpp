// Inputs of problems over intervals: arrays of jobs as the terms that kernels compute with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The terms of a problem (recursive::NodeTerms), in numbers wide enough for every type of theirs.
struct IntervalInputs {
  std::int64_t nodes = 1;
  bool whole = true;        // true if all are whole numbers of an integer type
  bool fractions = false;   // true if some are no whole numbers
  bool points = false;      // true if nodes are points, x in `first` and y in `second`
  long double largest = 0;  // no value, and no sum that one is chosen from, is larger
  std::vector<long double> first, second, leaf;
  std::vector<std::filesystem::path> files;
};

/// Reads the inputs that the step of a job names. @throws JobError naming the wrong element
IntervalInputs read_intervals(const Request& request);

/// The type that the step's `type` asks for; auto: the fastest that is sure to hold every value. @throws JobError
/// if it may not hold them, naming the type that does
ElementType interval_type(const Request& request, const IntervalInputs& inputs);

/// 3 x nodes terms in that type.
std::shared_ptr<io::Source> interval_terms(const IntervalInputs& inputs, ElementType type);

}  // namespace terrace::stages
