// The arrays that a stencil reads, in the type of the grid.
#pragma once

#include <atomic>
#include <limits>
#include <memory>

#include "io/data_error.hpp"
#include "io/source.hpp"

namespace terrace::stages {

/// True once any thread has read an infinity.
class FoundInfinity {
 public:
  bool value() const { return value_.load(); }
  void note() { value_.store(true); }

 private:
  std::atomic<bool> value_{false};
};

/// A source of f32 or f64 of which a NaN is a DataError of the read that names the cell. Its reads note infinities.
std::shared_ptr<io::Source> without_nan(std::shared_ptr<io::Source> source, io::DataLabel label,
                                        std::shared_ptr<FoundInfinity> infinity);

/// The source in type f32 or f64: 1 if an element is not 0, else 0. NaN is a DataError of the read.
std::shared_ptr<io::Source> as_mask(std::shared_ptr<io::Source> source, ElementType type, io::DataLabel label);

/// The least and the largest of the elements that any thread has read so far.
class ReadRange {
 public:
  /// Infinity and its negative before anything is read.
  double least() const { return least_.load(); }
  double most() const { return most_.load(); }
  void note(double least, double most) {
    for (double before = least_.load(); least < before && !least_.compare_exchange_weak(before, least);) continue;
    for (double before = most_.load(); most > before && !most_.compare_exchange_weak(before, most);) continue;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  std::atomic<double> least_{infinity}, most_{-infinity};
};

/// A source of f32 or f64 whose reads note their range. NaN is left out.
std::shared_ptr<io::Source> with_range(std::shared_ptr<io::Source> source, std::shared_ptr<ReadRange> range);

}  // namespace terrace::stages
