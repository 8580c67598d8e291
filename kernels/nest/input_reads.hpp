// The boxes of inputs that blocks of a nest read.
#pragma once

#include <vector>

#include "kernels/nest/sweep.hpp"
#include "pipeline/base/box.hpp"

namespace terrace::nest {

/// Boxes of a nest's inputs, one each. The nest and the sweep outlive it.
class InputReads {
 public:
  InputReads(const Nest& nest, const Sweep& sweep) : nest_(nest), sweep_(sweep) {}

  std::vector<Box> none() const;
  /// Elements that iterations read. @param ranges of coordinates
  std::vector<Box> by_iterations(const Ranges& ranges) const;
  /// Adds what elements of an array read that no statement has made.
  void read_first(int array, const Ranges& elements, std::vector<Box>& boxes) const;

 private:
  void read_whole(int input, std::vector<Box>& boxes) const;
  void read_access(const Access& access, const Ranges& loops, std::vector<Box>& boxes) const;

  const Nest& nest_;
  const Sweep& sweep_;
};

}  // namespace terrace::nest
