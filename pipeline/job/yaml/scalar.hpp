// Scalars of a job, read strictly: text that YAML or C libraries read in a surprising way is refused with a hint.
#pragma once

#include <cstdint>
#include <string>

#include "pipeline/job/yaml/node.hpp"

namespace terrace::job {

/// A value, or no value and a `hint` that names valid text (it may be empty).
template <class T>
struct Scalar {
  bool valid = false;
  T value = {};
  std::string hint = {};
};

/// Decimal digits with an optional sign.
Scalar<std::int64_t> read_integer(const Node& node);
/// As an integer, and with units and exponents: 1e9, 64Ki, -2k, which may stand in quotes, as JSON has them.
Scalar<std::int64_t> read_count(const Node& node);
/// A decimal number; `.inf` and `inf` with an optional sign; never NaN.
Scalar<double> read_number(const Node& node);
/// Bytes: 4GiB, also in quotes.
Scalar<std::int64_t> read_size(const Node& node);
/// Seconds: 30s, also in quotes.
Scalar<double> read_duration(const Node& node);
/// Strictly `true` or `false`.
Scalar<bool> read_flag(const Node& node);

}  // namespace terrace::job
