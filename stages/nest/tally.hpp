// The folded results of a nest's blocks: best elements, corners, and the first cell without a value.
#pragma once

#include <string>
#include <vector>

#include "pipeline/run/tally.hpp"
#include "stages/nest/plan.hpp"

namespace terrace::stages {

class NestTally : public run::Tally {
 public:
  explicit NestTally(const NestPlan& plan) : plan_(plan) {}

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;
  std::string fault() const override { return fault_; }
  Place fault_place() const override;

  /// By the number of the array.
  const nest::BestElement& best(std::size_t array) const { return found_.best[array]; }
  const nest::Word& corner(std::size_t array) const { return found_.corner[array]; }

 private:
  const NestPlan& plan_;
  std::string fault_;
  int faulty_ = -1;  // its statement; -1: of none
  nest::NestResult found_{};
};

}  // namespace terrace::stages
