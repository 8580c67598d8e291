// The arrays that a stencil reads, in the type of the grid.
#pragma once

#include <atomic>
#include <memory>

#include "io/data_error.hpp"
#include "io/source.hpp"

namespace terrace::stages {

/// A source of f32 or f64 of which a NaN is a DataError of the read that names the cell.
std::shared_ptr<io::Source> without_nan(std::shared_ptr<io::Source> source, io::DataLabel label);

/// The source in type f32 or f64: 1 if an element is not 0, else 0. NaN is a DataError of the read.
std::shared_ptr<io::Source> as_mask(std::shared_ptr<io::Source> source, ElementType type, io::DataLabel label);

/// The largest magnitude of the elements that any thread has read so far.
class LargestMagnitude {
 public:
  /// 0 before anything is read.
  double value() const { return value_.load(); }
  void note(double magnitude) {
    double before = value_.load();
    while (magnitude > before && !value_.compare_exchange_weak(before, magnitude)) {
    }
  }

 private:
  std::atomic<double> value_{0};
};

/// A source of f32 or f64 whose reads note their largest magnitude. NaN is left out.
std::shared_ptr<io::Source> with_largest(std::shared_ptr<io::Source> source,
                                         std::shared_ptr<LargestMagnitude> largest);

}  // namespace terrace::stages
