// The path of an alignment while it is traced from its end to its start, and the resulting alignment.
#pragma once

#include "pipeline/base/json_library.hpp"
#include "pipeline/base/watch.hpp"
#include "stages/wavefront/path.hpp"
#include "stages/wavefront/tally.hpp"

namespace terrace::stages {

/// The table that a path leads through, and the cell that its sweeps reported.
struct TracedTable {
  const wavefront::SweepSpec& spec;
  const wavefront::Description& problem;
  const WavefrontScore& score;
};

/// A place of a path, as a part of a phase's value.
struct PlaceValue {
  std::int64_t row, column, gap, ended;

  static PlaceValue of(const wavefront::PathPlace& place);
  wavefront::PathPlace place() const;
};

class TracedPath {
 public:
  /// Begins at the end of the path, by the reported result.
  void begin(const TracedTable& table);
  /// Adds the steps that a walk from the place found.
  void add(const wavefront::TraceResult& found);

  const wavefront::PathPlace& place() const { return place_; }
  /// True if it has reached its start, or the table's border.
  bool finished() const { return place_.ended != 0 || place_.row == 0 || place_.column == 0; }

  /// Follows a finished path forwards: what it scores is what the table reports, or neither is to be believed.
  /// @throws ComputeError, and what the watch throws
  void check(const TracedTable& table, io::Source& rows, io::Source& columns, const Watch& watch) const;
  /// The results of a finished path, with its steps along the table's border.
  Alignment alignment(const wavefront::Description& problem) const;

  nlohmann::json save() const;
  void load(const nlohmann::json& saved);

 private:
  wavefront::PathPlace place_{};
  Path path_;
};

}  // namespace terrace::stages
