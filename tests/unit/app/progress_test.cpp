// Lines of progress: share, rate and time left, on terminals and elsewhere.
#include "pipeline/app/progress/progress.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

namespace terrace::app {
namespace {

ProgressState state_at(double done) { return {"align", 1, 2, done, 1000, 0, "cell"}; }

TEST_CASE("A line of progress has the share done, the rate and the time left") {
  CHECK(progress_line(state_at(250), 10) == "align (1 of 2): 25.0%, 25 cell/s, 30.0 s left");
  CHECK(progress_line({"align", 1, 1, 250, 1000, 0, "cell"}, 10) == "align: 25.0%, 25 cell/s, 30.0 s left");
  CHECK(progress_line(state_at(0), 10) == "align (1 of 2): 0.0%");
  CHECK(progress_line(state_at(250), 0.1) == "align (1 of 2): 25.0%");
}

TEST_CASE("What an earlier attempt did counts for the share and not for the rate") {
  CHECK(progress_line({"align", 1, 1, 750, 1000, 500, "cell"}, 10) == "align: 75.0%, 25 cell/s, 10.0 s left");
}

TEST_CASE("Nothing is wholly done before it is") {
  CHECK(progress_line(state_at(999.9999), 0) == "align (1 of 2): 99.9%");
  CHECK(progress_line(state_at(1000), 10) == "align (1 of 2): 100.0%, 100 cell/s");
}

TEST_CASE("Without a total the work done is shown") {
  CHECK(progress_line({"s", 1, 1, 5000, 0, 0, "cell"}, 2) == "s: 5.00 kcells, 2.50 kcell/s");
}

/// Shows one state a tenth of a second, for `seconds`, and returns the printed text.
std::string shown(ProgressStyle style, double seconds) {
  std::ostringstream stream;
  double now = 0;
  {
    Progress progress(stream, style, [&] { return now; });
    for (int tick = 0; tick < static_cast<int>(seconds * 10); ++tick) {
      now = tick / 10.0;
      progress.show(state_at(tick));
    }
    progress.say("done");
  }
  return stream.str();
}

TEST_CASE("Elsewhere than on a terminal a plain line appears now and then") {
  const std::string text = shown(ProgressStyle::plain, 62);
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.starts_with("align (1 of 2): 1.0%, 10 cell/s, 99.0 s left\nalign (1 of 2): 31.0%, 10"));
}

TEST_CASE("What takes less than a second has no progress") {
  for (const ProgressStyle style : {ProgressStyle::plain, ProgressStyle::live}) {
    std::ostringstream stream;
    double now = 0;
    Progress progress(stream, style, [&] { return now; });
    for (const char* stage : {"first", "second", "third"}) {
      ProgressState state{stage, 1, 3, 0, 1000, 0, "cell", 2000};
      progress.show(state);
      now += 0.9;
      state.done = 990;
      progress.show(state);
      state.ended = true;
      progress.show(state);
    }
    CHECK(stream.str().empty());
  }
}

TEST_CASE("A time left of less than a second is not named") {
  CHECK(progress_line(state_at(999), 10) == "align (1 of 2): 99.9%, 99.9 cell/s");
  CHECK(progress_line({"align", 1, 1, 0, 1000, 0, "cell", 1e9}, 0) == "align: 0.0%");
  CHECK(progress_line({"align", 1, 1, 0, 1000, 0, "cell", 1000}, 0.01) == "align: 0.0%");
  CHECK(progress_line({"align", 1, 1, 0, 1000, 0, "cell", 500}, 0) == "align: 0.0%, about 2.00 s left");
}

TEST_CASE("On a terminal one line is written again and again, and goes away") {
  const std::string text = shown(ProgressStyle::live, 2);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(std::count(text.begin(), text.end(), '\r') >= 5);
  CHECK(text.ends_with("\r\x1b[Kdone\n"));
}

TEST_CASE("The rate of a new stage begins anew") {
  std::ostringstream stream;
  double now = 0;
  Progress progress(stream, ProgressStyle::plain, [&] { return now; });
  progress.show(state_at(0));
  now = 1;
  progress.show(state_at(0));
  progress.show({"next", 2, 2, 0, 10, 0, "cell"});
  now = 2;
  progress.show({"next", 2, 2, 0, 10, 0, "cell"});
  now = 41;
  progress.show({"next", 2, 2, 4, 10, 0, "cell"});
  CHECK(stream.str() ==
        "align (1 of 2): 0.0%\nnext (2 of 2): 0.0%\nnext (2 of 2): 40.0%, 0.10 cell/s, 60.0 s left\n");
}

TEST_CASE("Stages that take turns keep their times, and one that begins again begins anew") {
  std::ostringstream stream;
  double now = 0;
  Progress progress(stream, ProgressStyle::plain, [&] { return now; });
  for (now = 0; now < 2; now += 0.25) {
    progress.show({"long", 1, 1, 100 * now, 1000, 0, "cell"});
    progress.show({"short", 1, 1, 0, 10, 0, "byte"});
    progress.show({"short", 1, 1, 10, 10, 0, "byte", 0, true});
  }
  CHECK(stream.str() == "long: 10.0%, 100 cell/s, 9.00 s left\n");
}

TEST_CASE("The time left counts down while a block is computed") {
  const ProgressState state = state_at(250);
  CHECK(progress_line(state, 10, 0) == "align (1 of 2): 25.0%, 25 cell/s, 30.0 s left");
  CHECK(progress_line(state, 14, 4) == "align (1 of 2): 25.0%, 25 cell/s, 26.0 s left");
  // A block that takes longer than expected: the time left grows with the time passed.
  CHECK(progress_line(state, 60, 50) == "align (1 of 2): 25.0%, 25 cell/s, 3 min left");
}

TEST_CASE("Before the first block of an attempt has ended the time left is the plan's") {
  ProgressState state{"align", 1, 1, 500, 1000, 500, "cell", 25};
  CHECK(progress_line(state, 0) == "align: 50.0%, about 20.0 s left");
  CHECK(progress_line(state, 8, 8) == "align: 50.0%, about 12.0 s left");
  CHECK(progress_line(state, 30, 30) == "align: 50.0%");
}

TEST_CASE("Elsewhere than on a terminal a long stage ends with its last state") {
  std::ostringstream stream;
  double now = 0;
  Progress progress(stream, ProgressStyle::plain, [&] { return now; });
  ProgressState state{"align", 1, 1, 100, 1000, 100, "cell"};
  progress.show(state);
  now = 1;
  progress.show(state);
  now = 2;
  state.done = 500;
  progress.show(state);
  now = 3;
  state.done = 990;  // the plan expected a little more
  state.ended = true;
  progress.show(state);
  CHECK(stream.str() == "align: 10.0%\nalign: 100.0%, 297 cell/s\n");
}

/// The screen after a live line of 60 letters on a terminal of `columns` columns, which then has `later`.
std::string drawn(std::size_t columns, std::size_t later) {
  std::ostringstream stream;
  double now = 0;
  std::size_t width = columns;
  Progress progress(
      stream, ProgressStyle::live, [&] { return now; }, [&] { return width; });
  const std::string name(53, 'x');
  progress.show({name, 1, 1, 10, 1000, 10, "cell"});
  now = 1;
  progress.show({name, 1, 1, 10, 1000, 10, "cell"});
  width = later;
  now = 2;
  progress.show({name, 1, 1, 10, 1000, 10, "cell"});
  progress.finish();
  return stream.str();
}

TEST_CASE("A live line is never wider than the terminal") {
  const std::string name(53, 'x'), clear = "\r\x1b[K";
  CHECK(drawn(80, 80) == clear + name + ": 1.0%" + clear + name + ": 1.0%" + clear);
  CHECK(drawn(40, 40) == clear + name.substr(0, 39) + clear + name.substr(0, 39) + clear);
}

TEST_CASE("A live line goes away whole where the terminal has become narrower") {
  const std::string name(53, 'x'), clear = "\r\x1b[K";
  // 59 letters are three rows of 20 columns: the first of them is two rows up.
  CHECK(drawn(80, 20) == clear + name + ": 1.0%" + "\x1b[2A\r\x1b[J" + name.substr(0, 19) + clear);
  CHECK(drawn(20, 80) == clear + name.substr(0, 19) + clear + name + ": 1.0%" + clear);
}

TEST_CASE("Quiet is silent") {
  CHECK(shown(ProgressStyle::none, 100).empty());
  CHECK(progress_style(2, true) == ProgressStyle::none);
}

}  // namespace
}  // namespace terrace::app
