// The value of all items of a problem over intervals, and their bracketing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pipeline/run/tally.hpp"
#include "stages/recursive/triangles/plan.hpp"

namespace terrace::stages {

/// The folded findings.
struct TriangleFindings {
  std::int64_t whole = 0;                   // the value of all items, of integer types
  double real = 0;                          // of others
  std::vector<std::int32_t> opens, closes;  // brackets before and after each item; with splits alone
};

class TriangleTally : public run::Tally {
 public:
  explicit TriangleTally(const TrianglePlan& plan) : plan_(plan) {}

  /// @throws ComputeError if the splits are damaged
  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const TriangleFindings& findings() const { return findings_; }

 private:
  const TrianglePlan& plan_;
  TriangleFindings findings_;
};

}  // namespace terrace::stages
