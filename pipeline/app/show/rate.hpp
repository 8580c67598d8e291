// Rates of stages in words.
#pragma once

#include <string>

namespace terrace::app {

/// The rate of a stage, as its profile has it.
struct StageRate {
  double computing = 0;        // seconds during which at least one block was being computed
  double rate = 0, limit = 0;  // operations a second while computing; limit 0: not known
  std::string unit, limit_kind;
};

/// "516 Mcell/s while computing, 10% of the limit of 5.40 Gcell/s (device memory)". Empty if the stage has no rate,
/// or computed too shortly for one: for less than 0.1 s.
std::string rate_in_words(const StageRate& stage);

}  // namespace terrace::app
