// Scores of paths from their steps alone, and wrong paths that a replay finds.
#include "kernels/wavefront/replay.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "kernels/wavefront/reference/path.hpp"
#include "kernels/wavefront/visit.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/wavefront/pairs.hpp"
#include "tests/differential/wavefront/samples.hpp"

namespace terrace::wavefront {
namespace {

template <class Item>
ReadItems reader_of(const std::vector<Item>& items) {
  return [&items](std::int64_t first, std::int64_t count, void* to) {
    REQUIRE(first >= 0);
    REQUIRE(first + count <= static_cast<std::int64_t>(items.size()));
    std::memcpy(to, items.data() + first, static_cast<std::size_t>(count) * sizeof(Item));
  };
}

/// Steps from the first to the last as runs from the last to the first.
std::vector<PathRun> runs_of(const std::string& steps) {
  std::vector<PathRun> runs;
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    if (!runs.empty() && runs.back().step == *step) ++runs.back().count;
    else runs.push_back({*step, 1});
  }
  return runs;
}

/// The steps after those that the recurrence's border represents.
std::string inner_steps(const ReferencePath& path, std::int64_t& row, std::int64_t& column, bool local) {
  row = path.row_begin;
  column = path.column_begin;
  const std::size_t first = local ? 0 : path.steps.find_first_not_of(path.steps.empty() ? 'I' : path.steps[0]);
  if (local || path.steps.empty() || path.steps[0] == '=' || path.steps[0] == 'X') return path.steps;
  const auto led = static_cast<std::int64_t>(first == std::string::npos ? path.steps.size() : first);
  (path.steps[0] == 'I' ? row : column) += led;
  return path.steps.substr(static_cast<std::size_t>(led));
}

TEST_CASE("a path of letters scores in its replay what the table says") {
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    if constexpr (Traceable<P>) {
      for (std::int64_t height : {0, 1, 40, 200}) {
        for (std::int64_t width : {0, 1, 37, 210}) {
          const auto kind = static_cast<test::Letters>(++turn % 4);
          const auto rows = test::letters_for<P>(kind, true, height, turn);
          const auto columns =
              turn % 2 == 0 ? test::mutated(rows, 9, turn) : test::letters_for<P>(kind, false, width, turn);
          const Settings settings = test::sample_settings<P>();
          const ReferencePath expected = reference_path<P>(problem_constants<P>(settings), rows, columns);
          FollowedPath path{
              P::name, settings,        ElementType::i64,  height, static_cast<std::int64_t>(columns.size()), 0, 0,
              {},      reader_of(rows), reader_of(columns)};
          const std::string steps = inner_steps(expected, path.row, path.column, is_local<P>);
          const std::vector<PathRun> runs = runs_of(steps);
          path.runs = runs;
          const BlockResult found = replay(path);
          INFO(P::name << " " << height << " x " << width << ", turn " << turn);
          CHECK(found.score == expected.score);
          CHECK(found.row == expected.row_end);
          CHECK(found.column == expected.column_end);
        }
      }
    }
  });
}

FollowedPath path_of(const std::vector<std::uint8_t>& rows, const std::vector<std::uint8_t>& columns,
                     std::span<const PathRun> runs) {
  Settings settings;
  settings.set("match", 2.0);
  settings.set("mismatch", -1.0);
  settings.set("gap_open", 3.0);
  settings.set("gap_extend", 1.0);
  return {"smith_waterman",
          settings,
          ElementType::i64,
          static_cast<std::int64_t>(rows.size()),
          static_cast<std::int64_t>(columns.size()),
          0,
          0,
          runs,
          reader_of(rows),
          reader_of(columns)};
}

TEST_CASE("a replay of an affine gap worked by hand") {
  const std::vector<std::uint8_t> rows{0, 1, 2, 3, 0, 1}, columns{0, 1, 0, 2};
  // Two pairs, a gap of two rows, a pair, and one that differs: 4 - (3 + 2) + 2 - 1.
  const std::vector<PathRun> runs{{'X', 1}, {'=', 1}, {'I', 2}, {'=', 2}};
  const BlockResult found = replay(path_of(rows, columns, runs));
  CHECK(found.score == 0);
  CHECK(found.row == 6);
  CHECK(found.column == 4);
}

TEST_CASE("a replay finds letters that are not what the path takes them for, and steps that leave the table") {
  const std::vector<std::uint8_t> rows{0, 1, 2}, columns{0, 1, 3};
  const auto throws = [&](const std::vector<PathRun>& runs) {
    CHECK_THROWS_AS(replay(path_of(rows, columns, runs)), ComputeError);
  };
  throws({{'=', 3}});
  throws({{'X', 1}, {'=', 1}, {'X', 1}});
  throws({{'I', 4}});
  throws({{'D', 1}, {'X', 1}, {'=', 2}});
}

TEST_CASE("a replay finds a path through a whole table that does not begin at its border") {
  const std::vector<std::uint8_t> rows{0, 1, 2}, columns{0, 1, 2};
  const std::vector<PathRun> runs{{'=', 2}};
  FollowedPath path = path_of(rows, columns, runs);
  path.problem = "edit_distance";
  path.settings = {};
  path.row = path.column = 1;
  CHECK_THROWS_AS(replay(path), ComputeError);
}

TEST_CASE("the replay of a warping path adds costs in the order of the cells") {
  const std::vector<float> rows{0.1f, 0.7f, 1.3f}, columns{0.2f, 1.1f};
  Settings settings;
  settings.set("cost", std::string("squared"));
  settings.set("steps", std::string("symmetric1"));
  const std::vector<PathRun> runs{{'I', 1}, {'=', 2}};
  const auto cost = [](float a, float b) {
    const float difference = a - b;
    return difference * difference;
  };
  float expected = cost(0.1f, 0.2f);
  expected += cost(0.7f, 1.1f);
  expected += cost(1.3f, 1.1f);
  const FollowedPath path{"dtw", settings, ElementType::f32, 3, 2, 0, 0, runs, reader_of(rows), reader_of(columns)};
  const BlockResult found = replay(path);
  CHECK(found.score == reported(expected));
  CHECK(found.row == 3);
  CHECK(found.column == 2);
}

TEST_CASE("the replay of a warping path with free columns begins anywhere in the first row") {
  const std::vector<double> rows{4, 7}, columns{9, 1, 5, 6};
  Settings settings;
  settings.set("cost", std::string("absolute"));
  settings.set("free_ends", std::string("columns"));
  for (const char* steps : {"symmetric1", "symmetric2"}) {
    settings.set("steps", std::string(steps));
    // From (0, 2) diagonally to (1, 3); where a diagonal step costs twice, the path comes to (0, 2) from above.
    const bool twice = std::string_view(steps) == "symmetric2";
    const std::vector<PathRun> runs =
        twice ? std::vector<PathRun>{{'=', 1}, {'I', 1}} : std::vector<PathRun>{{'=', 2}};
    const FollowedPath path{"dtw", settings,        ElementType::f64,  2, 4, 0, twice ? 3 : 2,
                            runs,  reader_of(rows), reader_of(columns)};
    const BlockResult found = replay(path);
    CHECK(reported_cost(found.score) == (twice ? 3 : 2));
    CHECK(found.row == 2);
    CHECK(found.column == 4);
  }
}

}  // namespace
}  // namespace terrace::wavefront
