// A step of a slab of a graph on CUDA.
#pragma once

#include <functional>
#include <vector>

#include "kernels/graph/cuda/launches.hpp"
#include "kernels/graph/tiling/touch.hpp"

namespace terrace::graph {

struct Step;
/// Calls the function with step after step, in an order in which all can be made.
using ManySteps = std::function<void(const std::function<void(const Step&)>&)>;

/// A launch that makes rows of a value, or stores them. If it says what it touches, any rows of its work may be made
/// alone, once all that they read is made, and all is made that reads what they write over.
struct Step {
  int value;
  bool stores;  // the rows of a kept node
  Launch launch;
  Work work;
  std::vector<Touch> touches = {};
  ManySteps many = nullptr;  // the steps of an iteration, which `launch` makes one after another
};

}  // namespace terrace::graph
