// The phases of a stencil stage: passes of several steps, and what is done between them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace terrace::stages {

/// Rows whose changes a block of a check adds up: the order of the sum depends on it.
inline constexpr std::int64_t stencil_total_rows = 1 << 20;

enum class StencilWork : std::int64_t {
  rims,      // rows beside parts are copied, before a pass
  pass,      // slabs make steps
  record,    // values of receivers are brought to their dataset, after a pass
  snapshot,  // the grid is copied into the dataset of snapshots
  total,     // changes of rows are added up
  finish     // the grid becomes the result as it is
};

/// The value of a phase.
struct StencilPhase {
  StencilWork work;
  std::int64_t step;    // steps made before it
  std::int64_t steps;   // steps of the pass
  std::int64_t passes;  // passes made before it
  std::int64_t index;   // number of the snapshot or of the check
  std::int64_t counts;  // not 0: cells that are not finite after it are counted
};

/// The steps at which something is done in addition.
struct StencilEvents {
  std::int64_t steps = 0;               // of the stage, the most with checks
  std::vector<std::int64_t> snapshots;  // steps, ascending, each at most `steps`
  std::int64_t check_every = 0;         // 0: no checks
  bool receives = false;                // true: receivers are recorded in every pass

  /// The steps of the snapshots if so many steps are made: a check may end the stage early. Its last grid then takes
  /// the place of all snapshots that are left, unless there is one of that step.
  std::vector<std::int64_t> snapshots_of(std::int64_t made) const;
};

/// Cells that are not finite are counted at every event, and after so many steps without one.
inline constexpr std::int64_t steps_between_counts = 512;

class Timeline {
 public:
  Timeline() = default;
  /// @param pass_steps the most steps of a pass @param rims true if every pass needs the rims of parts
  Timeline(const StencilEvents& events, std::int64_t pass_steps, bool rims);

  /// The phase of that number if the stage is not stopped by a check; nullopt after the last.
  std::optional<StencilPhase> phase(std::int64_t number) const;
  /// The phase of that number after the check in phase `stopped`: the last snapshot if one is left, then the finish.
  std::optional<StencilPhase> phase_after_stop(std::int64_t number, std::int64_t stopped) const;
  /// Passes if no check stops the stage.
  std::int64_t passes() const { return passes_; }
  /// True if a phase makes the result of the grid as it is.
  bool has_finish() const { return checks_ || passes_ == 0; }
  /// True if the pass ends at a check.
  bool is_checked(const StencilPhase& pass) const;

 private:
  /// Passes up to a step, then a snapshot or a check or both.
  struct Span {
    std::int64_t begin, end;  // steps
    std::int64_t first_phase, first_pass;
    std::int64_t snapshot, check;  // numbers, or -1
  };

  std::int64_t passes_of(const Span& span) const;
  std::int64_t phases_of(const Span& span) const;
  std::int64_t phases_a_pass() const { return 1 + (rims_ ? 1 : 0) + (events_.receives ? 1 : 0); }

  StencilEvents events_;
  std::vector<Span> spans_;
  std::int64_t pass_steps_ = 1, passes_ = 0, phases_ = 0;
  bool rims_ = false, checks_ = false;
};

/// The steps of each of the fewest passes that make so many steps, but the last pass, which makes those that are
/// left: about as many in each, and if they are many, a multiple of those that a kernel makes at a time where that
/// can be.
/// @param most steps of a pass @return at most `steps`, and at least 1
std::int64_t steps_of_passes(std::int64_t steps, std::int64_t most);
/// The most steps between two events: no pass has more.
std::int64_t longest_span(const StencilEvents& events);
/// Snapshots and checks.
double count_events(const StencilEvents& events);

}  // namespace terrace::stages
