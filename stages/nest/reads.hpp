// The boxes of inputs that blocks of a nest read.
#pragma once

#include <vector>

#include "kernels/nest/sweep.hpp"
#include "pipeline/base/box.hpp"

namespace terrace::stages {

/// Boxes of a nest's inputs, one each. The nest and the sweep outlive it.
class NestReads {
 public:
  NestReads(const nest::Nest& nest, const nest::Sweep& sweep) : nest_(nest), sweep_(sweep) {}

  std::vector<Box> none() const;
  /// Elements that iterations read. @param ranges of coordinates
  std::vector<Box> by_iterations(const nest::Ranges& ranges) const;
  /// Adds what elements of an array read that no statement has made.
  void read_first(int array, const nest::Ranges& elements, std::vector<Box>& boxes) const;

 private:
  void read_whole(int input, std::vector<Box>& boxes) const;
  void read_access(const nest::Access& access, const nest::Ranges& loops, std::vector<Box>& boxes) const;

  const nest::Nest& nest_;
  const nest::Sweep& sweep_;
};

}  // namespace terrace::stages
