#include "pipeline/app/progress.hpp"

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
  CHECK(progress_line({"s", 1, 1, 5000, 0, 0, "cell"}, 2) == "s: 5.00 k cells, 2.50 kcell/s");
}

/// Shows one state a tenth of a second, for `seconds`, and returns what was printed.
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
  const std::string text = shown(ProgressStyle::plain, 61);
  CHECK(std::count(text.begin(), text.end(), '\n') == 4);
  CHECK(text.find('\r') == std::string::npos);
  CHECK(text.starts_with("align (1 of 2): 0.0%\nalign (1 of 2): 30.0%, 10"));
}

TEST_CASE("On a terminal one line is written again and again, and goes away") {
  const std::string text = shown(ProgressStyle::live, 1);
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(std::count(text.begin(), text.end(), '\r') >= 5);
  CHECK(text.ends_with("\r\x1b[Kdone\n"));
}

TEST_CASE("A new stage is shown at once, and its rate begins anew") {
  std::ostringstream stream;
  double now = 0;
  Progress progress(stream, ProgressStyle::plain, [&] { return now; });
  progress.show(state_at(0));
  now = 1;
  progress.show({"next", 2, 2, 0, 10, 0, "cell"});
  now = 41;
  progress.show({"next", 2, 2, 4, 10, 0, "cell"});
  CHECK(stream.str() ==
        "align (1 of 2): 0.0%\nnext (2 of 2): 0.0%\nnext (2 of 2): 40.0%, 0.10 cell/s, 60.0 s left\n");
}

TEST_CASE("Quiet is silent") {
  CHECK(shown(ProgressStyle::none, 100).empty());
  CHECK(progress_style(2, true) == ProgressStyle::none);
}

}  // namespace
}  // namespace terrace::app
