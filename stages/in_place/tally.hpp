// The tally of in-place sweeps, which folds nothing.
#pragma once

#include <string>

#include "pipeline/base/error.hpp"
#include "pipeline/run/tally.hpp"

namespace terrace::stages {

class InPlaceTally : public run::Tally {
 public:
  void fold(const run::Phase&, std::int64_t, const void*) override {}
  std::string save() const override { return "{}"; }
  void load(const std::string&) override {}
  void failed(const run::Phase&, std::int64_t index, int) override {
    throw ComputeError("slab " + std::to_string(index) + " of an in-place pass failed, which no slab does");
  }
};

}  // namespace terrace::stages
