// Progress of a run, for people who wait for it.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <mutex>
#include <string>

namespace terrace::app {

/// The form in which progress is shown.
enum class ProgressStyle {
  live,   // one line of a terminal, written again and again
  plain,  // a line now and then
  none
};

/// The style for a stream of the process: `live` on a terminal, else `plain`; `none` when quiet.
ProgressStyle progress_style(int file_descriptor, bool quiet);

/// The progress of a stage.
struct ProgressState {
  std::string stage;
  std::int64_t number = 0, stages = 1;  // this is stage `number` (from 1; 0: no stage) of `stages`
  double done = 0, total = 0;           // work in `unit`s; total 0: not known
  double restored = 0;                  // the part of `done` from earlier attempts; not in the rate
  std::string unit = "cell";
  double expected = 0;  // units a second that the plan expects; 0: not known
  bool ended = false;   // the stage is complete
};

/// Prints progress with rate and time left. Members may be called from several threads.
class Progress {
 public:
  /// Seconds on any clock that never goes back.
  using Clock = std::function<double()>;
  /// Columns of the terminal, asked for whenever a line is drawn; 0: not known.
  using Columns = std::function<std::size_t()>;

  /// @param clock null: the machine's steady clock
  /// @param columns null: lines of any length fit
  Progress(std::ostream& stream, ProgressStyle style, Clock clock = nullptr, Columns columns = nullptr);
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Shows the state of a stage that lasts for a second or longer, unless it was shown a moment ago (0.2 s live, 30 s
  /// plain). Of a stage that was shown the end is shown, too. May be called as often as one likes; several stages may
  /// take turns. A live line that is wider than the terminal is cut.
  void show(const ProgressState& state);
  /// Prints a line of its own above the progress.
  void say(const std::string& line);
  /// Takes the live line away; call this before writing to the stream in another way.
  void finish() noexcept;

 private:
  /// The state of one stage since it began, or began anew.
  struct Track {
    double begin = 0;
    double done = 0, done_since = 0;  // and when that was new
    double last_shown = 0;
    bool shown = false, ended = false;
  };

  Track& track_of(const ProgressState& state, double now);
  bool is_due(const Track& track, double now) const;
  void print(const std::string& line);
  std::string erasure() const;
  void clear();

  std::mutex mutex_;
  std::ostream& stream_;
  ProgressStyle style_;
  Clock clock_;
  Columns columns_;
  std::map<std::string, Track> tracks_;  // by the names of stages
  bool line_stands_ = false;
  std::size_t drawn_ = 0;  // letters of the line that stands
};

/// "align (1 of 2): 45.3%, 3.34 Tcell/s, 12 min left".
/// Before there is a rate the time left is the plan's; between blocks that end it counts down. Less than a second is
/// not named.
/// @param seconds since the stage began in this attempt
/// @param since the last block ended
std::string progress_line(const ProgressState& state, double seconds, double since = 0);

}  // namespace terrace::app
