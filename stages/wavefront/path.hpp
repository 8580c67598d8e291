// A path through a table, run by run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/wavefront/replay.hpp"
#include "kernels/wavefront/trace.hpp"

namespace terrace::stages {

using wavefront::PathRun;

/// A path in the order in which it is found: from its end to its start.
class Path {
 public:
  void add(char step, std::int64_t count);
  void add(const wavefront::TraceResult& found);

  /// Steps, all or of one kind.
  std::int64_t length() const;
  std::int64_t count(char step) const;
  /// Row and column of the cells that it goes through, one pair a step, from its first cell to its last; it ends at
  /// the last of `rows` x `columns` cells.
  std::vector<std::int64_t> cells(std::int64_t rows, std::int64_t columns) const;
  /// "12=1X3I", from the start of the path to its end; empty if it has no step.
  std::string cigar() const;

  /// The runs as they were found: from the last one to the first.
  std::span<const PathRun> runs() const { return runs_; }

  /// The same as text, and its way back. @throws std::invalid_argument for other text
  std::string save() const;
  static Path load(const std::string& saved);

 private:
  std::vector<PathRun> runs_;
};

/// A path and the letters of rows and columns consumed before it.
struct Alignment {
  Path path;
  std::int64_t row = 0, column = 0;
};

}  // namespace terrace::stages
