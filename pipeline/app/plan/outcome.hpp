// The answer of a run to the result that is there.
#pragma once

#include <map>
#include <string>

#include "pipeline/app/earlier/taking_over.hpp"

namespace terrace::app {

/// The answer of `terrace run` to the result that is there.
struct Outcome {
  TakenOver taken;                            // its parts
  bool there = false;                         // nothing is computed: the result is the one of this job
  std::map<std::string, std::string> doubts;  // by stages: why what they read is to be compared first

  std::string doubt(const std::string& stage) const {
    const auto found = doubts.find(stage);
    return found == doubts.end() ? std::string() : found->second;
  }
};

}  // namespace terrace::app
