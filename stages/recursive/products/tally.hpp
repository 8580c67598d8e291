// The ranges of elements that the blocks of a product find.
#pragma once

#include <string>

#include "pipeline/run/tally.hpp"
#include "stages/recursive/products/plan.hpp"

namespace terrace::stages {

class ProductTally : public run::Tally {
 public:
  explicit ProductTally(const ProductPlan& plan) : plan_(plan) {}

  void fold(const run::Phase& phase, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  const ProductRanges& ranges() const { return ranges_; }

 private:
  const ProductPlan& plan_;
  ProductRanges ranges_;
};

}  // namespace terrace::stages
