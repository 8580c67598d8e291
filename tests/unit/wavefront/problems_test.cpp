// The list of wavefront problems: names, variants, parameters, bounds, value types.

#include <catch2/catch.hpp>
#include <set>
#include <sstream>
#include <string>

#include "kernels/wavefront/schedule.hpp"
#include "kernels/wavefront/visit.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {
namespace {

// One cell at a time; diagonal, up, left, e, f.
constexpr SmithWatermanLinear::Constants<int> linear{2, -1, 3};
static_assert(SmithWatermanLinear::score(linear, 7, 7) == 2);
static_assert(SmithWatermanLinear::score(linear, 7, 8) == -1);
static_assert(SmithWatermanLinear::cell(linear, Around<int>{4, 0, 0, 0, 0}, 2).h == 6);
static_assert(SmithWatermanLinear::cell(linear, Around<int>{0, 0, 2, 0, 0}, -1).h == 0);
static_assert(SmithWatermanLinear::cell(linear, Around<int>{0, 9, 2, 0, 0}, -1).h == 6);
static_assert(SmithWatermanLinear::cell(linear, Around<int>{0, 2, 8, 0, 0}, -1).h == 5);

constexpr SmithWatermanAffine::Constants<int> affine{1, -3, 5, 2};
constexpr Cell<int> from_diagonal = SmithWatermanAffine::cell(affine, Around<int>{8, 0, 0, 1, 2}, 1);
static_assert(from_diagonal.h == 9 && from_diagonal.e == 4 && from_diagonal.f == 4);
constexpr Cell<int> from_gap = SmithWatermanAffine::cell(affine, Around<int>{3, 0, 0, 7, 6}, -3);
static_assert(from_gap.h == 7 && from_gap.e == 5 && from_gap.f == 4);
constexpr Cell<int> from_nothing = SmithWatermanAffine::cell(affine, Around<int>{0, 0, 0, 0, 0}, -3);
static_assert(from_nothing.h == 0 && from_nothing.e == 0 && from_nothing.f == 0);

constexpr NeedlemanWunschLinear::Constants<short> global{1, -1, 2};
static_assert(NeedlemanWunschLinear::cell(global, Around<short>{-4, -3, -3, 0, 0}, short(1)).h == -3);
static_assert(NeedlemanWunschLinear::cell(global, Around<short>{-9, -3, -4, 0, 0}, short(-1)).h == -5);
static_assert(NeedlemanWunschLinear::top(global, 4).h == -10 && NeedlemanWunschLinear::left(global, -1).h == 0);

constexpr NeedlemanWunschAffine::Constants<int> global_affine{0, -4, 8, 2};
constexpr Cell<int> opens = NeedlemanWunschAffine::cell(global_affine, Around<int>{-1, 0, 0, -20, -21}, -4);
static_assert(opens.h == -5 && opens.e == -13 && opens.f == -13);
constexpr Cell<int> goes_on = NeedlemanWunschAffine::cell(global_affine, Around<int>{-30, 0, 0, -7, -9}, -4);
static_assert(goes_on.h == -7 && goes_on.e == -9 && goes_on.f == -11);
static_assert(NeedlemanWunschAffine::top(global_affine, 2).h == -12 &&
              NeedlemanWunschAffine::top(global_affine, 2).gap == -20);
static_assert(NeedlemanWunschAffine::left(global_affine, -1).h == 0);

constexpr EditDistance::Constants<short> edits{0, 1, 1};
static_assert(EditDistance::cell(edits, Around<short>{5, 5, 6, 0, 0}, short(0)).h == 5);
static_assert(EditDistance::cell(edits, Around<short>{5, 3, 6, 0, 0}, short(1)).h == 4);
static_assert(EditDistance::cell(edits, Around<short>{5, 5, 1, 0, 0}, short(1)).h == 2);
static_assert(EditDistance::top(edits, 4).h == 5 && EditDistance::left(edits, -1).h == 0);

constexpr Lcs::Constants<i64> common{1, 0};
static_assert(Lcs::cell(common, Around<i64>{4, 4, 4, 0, 0}, i64(1)).h == 5);
static_assert(Lcs::cell(common, Around<i64>{4, 5, 4, 0, 0}, i64(0)).h == 5);

constexpr DtwAbsolute1::Constants<float> warps{};
static_assert(DtwAbsolute1::score(warps, 3.0f, 5.5f) == 2.5f);
static_assert(DtwAbsolute1::cell(warps, Around<float>{4, 3, 2, 0, 0}, 2.5f).h == 4.5f);
static_assert(DtwAbsolute1::cell(warps, Around<float>{1, 3, 2, 0, 0}, 2.5f).h == 3.5f);
static_assert(DtwAbsolute1::corner(warps, 3.0f, 5.5f) == 0.0f);
constexpr DtwSquared2::Constants<double> weighted{};
static_assert(DtwSquared2::score(weighted, 3.0, 5.5) == 6.25);
static_assert(DtwSquared2::cell(weighted, Around<double>{4, 12, 11, 0, 0}, 6.25).h == 16.5);
static_assert(DtwSquared2::cell(weighted, Around<double>{4, 10, 11, 0, 0}, 6.25).h == 16.25);
static_assert(DtwSquared2::top(weighted, 0).h == infinity && DtwSquared2::left(weighted, 7).h == infinity);
static_assert(DtwSquared2::corner(weighted, 3.0, 5.5) == -6.25);
static_assert(DtwSquared2::top(DtwSquared2::Constants<double>{no_window, true}, 0).h == 0);
static_assert(reported(1.5f) == reported(1.5) && reported(short(-3)) == -3);
static_assert(reported(0.25) > reported(0.5) && reported(0.0) > reported(1e-300));
static_assert(reported_cost(reported(1.5)) == 1.5 && reported_cost(reported(0.0)) == 0);
static_assert(reported_cost(__builtin_bit_cast(i64, 1.5)) == 1.5);

constexpr Cell<int> sums = SummedArea::cell(SummedArea::Constants<int>{0}, Around<int>{0, 10, 0, 4, 0}, 3);
static_assert(sums.h == 17 && sums.e == 7);

Settings numbers(std::initializer_list<std::pair<const char*, double>> values) {
  Settings settings;
  for (const auto& [name, value] : values) settings.set(name, value);
  return settings;
}

TEST_CASE("every problem of the list is found by its name, once, with help and parameters") {
  std::set<std::string> names;
  for (const ProblemInfo& info : problems()) {
    CHECK(names.insert(info.name).second);
    CHECK(find_problem(info.name) == &info);
    CHECK(std::string(info.help).size() > 10);
    for (const Parameter& parameter : info.parameters) CHECK(std::string(parameter.help).back() != '.');
  }
  CHECK(names == std::set<std::string>{"smith_waterman", "needleman_wunsch", "edit_distance", "lcs", "dtw",
                                       "summed_area", "integral_histogram"});
  CHECK(find_problem("smith") == nullptr);
}

TEST_CASE("the gap parameters that are given choose linear or affine gaps") {
  const auto linear_gaps = numbers({{"match", 1}, {"mismatch", -1}, {"gap", 2}});
  const auto affine_gaps = numbers({{"match", 1}, {"mismatch", -1}, {"gap_open", 2}, {"gap_extend", 1}});
  int planes = 0;
  auto count = [&](auto problem) { planes = decltype(problem)::row_planes; };
  visit_problem("smith_waterman", linear_gaps, count);
  CHECK(planes == 1);
  visit_problem("smith_waterman", affine_gaps, count);
  CHECK(planes == 2);
  CHECK(problem_constants<SmithWatermanAffine>(affine_gaps).gap_first == 3);
  CHECK_THROWS_AS(visit_problem("smith_waterman", Settings{}, count), JobError);
  CHECK_THROWS_AS(visit_problem("nothing", Settings{}, count), JobError);
}

static_assert(in_window(2, 5, 7) && in_window(2, 7, 5) && !in_window(2, 4, 7) && !in_window(2, 7, 4));
static_assert(window_of<Lcs, i64>({1, 0}) == no_window && window_of<DtwAbsolute1, i64>({7}) == 7);

TEST_CASE("the columns of a band in a window are those of its cells there, and the one before") {
  for (i64 window : {0, 1, 3, 10}) {
    for (i64 row : {0, 2, 9, 20}) {
      for (i64 rows : {1, 4, 9}) {
        for (i64 column : {0, 5, 11}) {
          const i64 row_end = row + rows, column_end = column + 8;
          const ColumnRange range = columns_in_window(window, row, row_end, column, column_end);
          double cells = 0;
          for (i64 i = row; i < row_end; ++i) {
            for (i64 j = column; j < column_end; ++j) {
              if (!in_window(window, i, j)) continue;
              ++cells;
              CHECK((j >= range.begin && j < range.end));
            }
          }
          CHECK(cells_in_window(window, row, row_end, column, column_end) == cells);
          // The cell left of the range in the row above is outside.
          if (range.begin > column && range.begin < range.end) CHECK(!in_window(window, row - 1, range.begin - 1));
          CHECK(range.end - range.begin <= 2 * window + rows + 1);
        }
      }
    }
  }
  CHECK(cells_in_window(no_window, 0, 1000000, 0, 3000000) == 3e12);
  CHECK(cells_in_window(1000, 0, 1000000, 0, 1000000) == 2001e6 - 1000.0 * 1001);
}

TEST_CASE("the cost and the steps choose a variant of time warping") {
  for (const char* cost : {"absolute", "squared"}) {
    for (const char* steps : {"symmetric1", "symmetric2"}) {
      Settings settings;
      settings.set("cost", std::string(cost));
      settings.set("steps", std::string(steps));
      double corner = 0, score = 0;
      visit_problem("dtw", settings, [&]<class P>(P) {
        if constexpr (P::items == Items::values) {
          corner = P::template corner<double>({}, 1, 4);
          score = P::template score<double>({}, 1, 4);
        }
      });
      CHECK(score == (settings.text("cost") == "squared" ? 9 : 3));
      CHECK(corner == (settings.text("steps") == "symmetric2" ? -score : 0));
    }
  }
}

TEST_CASE("a window has no meaning where the ends of the columns are free") {
  Settings settings;
  settings.set("window", std::int64_t{4});
  settings.set("free_ends", std::string("none"));
  CHECK(parameter_errors("dtw", settings).empty());
  settings.set("free_ends", std::string("columns"));
  const auto errors = parameter_errors("dtw", settings);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].parameter == "window");
  CHECK_THAT(errors[0].message, Catch::Contains("leave out window, or free_ends"));
}

TEST_CASE("contradicting, missing and too precise parameters are named") {
  auto scored = [](std::initializer_list<std::pair<const char*, double>> values) {
    Settings settings = numbers(values);
    settings.set("match", 1.0);
    settings.set("mismatch", -1.0);
    return settings;
  };
  auto only = [](const Settings& settings) {
    const auto errors = parameter_errors("smith_waterman", settings);
    REQUIRE(errors.size() == 1);
    return errors.front().parameter + "|" + errors.front().message;
  };
  CHECK_THAT(only(scored({{"gap", 1}, {"gap_open", 1}})),
             Catch::StartsWith("gap|") && Catch::Contains("one or the other"));
  CHECK_THAT(only(scored({})), Catch::StartsWith("|gaps have no cost"));
  CHECK_THAT(only(numbers({{"gap", 1}})), Catch::StartsWith("|letters have no scores: give match and mismatch, or"));
  CHECK_THAT(only(numbers({{"match", 1}, {"gap", 1}})),
             Catch::StartsWith("match|") && Catch::Contains("mismatch is missing"));
  CHECK_THAT(only(numbers({{"mismatch", 1}, {"gap", 1}})),
             Catch::StartsWith("mismatch|") && Catch::Contains("match is missing"));
  CHECK_THAT(only(scored({{"gap_open", 1}})),
             Catch::StartsWith("gap_open|") && Catch::Contains("gap_extend is missing"));
  CHECK_THAT(only(scored({{"gap_extend", 1}})),
             Catch::StartsWith("gap_extend|") && Catch::Contains("gap_open is missing"));
  CHECK_THAT(only(scored({{"gap", 1.0001}})), Catch::StartsWith("gap|gap has more than three decimals"));
  CHECK(parameter_errors("smith_waterman", scored({{"gap", 1.001}})).empty());
  CHECK(parameter_errors("lcs", {}).empty());
  CHECK(parameter_errors("nothing", {}).size() == 1);
}

TEST_CASE("parameters with up to three decimals are scaled to integers") {
  auto scale = [](double gap) { return score_scale("smith_waterman", numbers({{"match", 2}, {"gap", gap}})); };
  CHECK(scale(3) == 1);
  CHECK(scale(9.5) == 10);
  CHECK(scale(0.25) == 100);
  CHECK(scale(1.001) == 1000);
  CHECK(scale(0.1) == 10);
  CHECK(scale(999999.999) == 1000);
  CHECK_THROWS_AS(scale(0.00001), JobError);
  const auto settings = numbers({{"match", 0.3}, {"mismatch", -0.7}, {"gap_open", 9.5}, {"gap_extend", 0.05}});
  const auto constants = problem_constants<SmithWatermanAffine>(settings);
  CHECK(constants.match == 30);
  CHECK(constants.mismatch == -70);
  CHECK(constants.gap_first == 955);
  CHECK(constants.gap_next == 5);
}

TEST_CASE("the narrowest type is the one that every value fits") {
  const auto settings = numbers({{"match", 2}, {"mismatch", -3}, {"gap", 5}});
  // 2 * (rows + 1) + 5 at most.
  CHECK(score_bound("smith_waterman", settings, 10, 1000000) == 27);
  CHECK(narrowest_value("smith_waterman", settings, 16380, 1 << 30) == ElementType::i16);
  CHECK(narrowest_value("smith_waterman", settings, 16381, 1 << 30) == ElementType::i32);
  CHECK(narrowest_value("smith_waterman", settings, std::int64_t{1} << 40, std::int64_t{1} << 40) ==
        ElementType::i64);
  CHECK(narrowest_value("edit_distance", {}, 3, 32766) == ElementType::i16);
  CHECK(narrowest_value("edit_distance", {}, 3, 32767) == ElementType::i32);
  CHECK(narrowest_value("lcs", {}, 3, 32767) == ElementType::i16);
  const auto huge = numbers({{"match", 1e6}, {"mismatch", -3.001}, {"gap", 5}});
  CHECK_THROWS_AS(narrowest_value("smith_waterman", huge, std::int64_t{1} << 50, std::int64_t{1} << 50),
                  ComputeError);
}

TEST_CASE("a matrix stands in place of match and mismatch, and its extreme scores bound the cells") {
  auto settings = numbers({{"gap_open", 9.5}, {"gap_extend", 0.5}});
  settings.set("matrix", std::string("blosum62"));
  CHECK(parameter_errors("smith_waterman", settings).empty());
  bool matrix = false;
  visit_problem("smith_waterman", settings, [&]<class P>(P) { matrix = by_matrix<P> && P::row_planes == 2; });
  CHECK(matrix);
  const auto constants = problem_constants<SmithWatermanAffineMatrix>(settings);
  CHECK(constants.match == 110);
  CHECK(constants.mismatch == -40);
  CHECK(constants.gap_first == 100);
  CHECK(constants.scale == 10);
  CHECK(SmithWatermanAffineMatrix::score<i64>(constants, 17, 17) == 110);
  CHECK(SmithWatermanAffineMatrix::score<i64>(constants, 0, 23) == -40);
  CHECK(score_bound("smith_waterman", settings, 100, 200) == 110 * 101 + 110);
  auto error = [&](const char* name, Value value) {
    Settings more = settings;
    more.set(name, std::move(value));
    const auto errors = parameter_errors("needleman_wunsch", more);
    REQUIRE(errors.size() == 1);
    return errors.front().parameter + "|" + errors.front().message;
  };
  CHECK_THAT(error("match", 1.0), Catch::StartsWith("matrix|matrix stands in place of match and mismatch"));
  CHECK_THAT(error("alphabet", std::string("dna")),
             Catch::StartsWith("alphabet|matrix blosum62 scores letters of pro"));
}

TEST_CASE("the matrices that jobs name are those of NCBI") {
  // Sums over the files in blast/matrices: of all scores, of scores times their numbers from 1 on, line by line, and
  // of equal letters; the least and the largest score; the line of W.
  struct Known {
    const char* name;
    i64 sum, by_place, of_equal, least, largest;
    const char* of_w;
  };
  const Known known[] = {
      {"blosum45", -689, -225064, 149, -5, 15,
       "-2 -2 -4 -4 -5 -2 -3 -2 -3 -2 -2 -2 -2 1 -3 -4 -3 15 3 -3 -4 -2 -2 -5"},
      {"blosum50", -814, -259664, 160, -5, 15,
       "-3 -3 -4 -5 -5 -1 -3 -3 -3 -3 -2 -3 -1 1 -4 -4 -3 15 2 -3 -5 -2 -3 -5"},
      {"blosum62", -726, -228651, 124, -4, 11,
       "-3 -3 -4 -4 -2 -2 -3 -2 -2 -3 -2 -3 -1 1 -4 -3 -2 11 2 -3 -4 -3 -2 -4"},
      {"blosum80", -1572, -492497, 198, -8, 16,
       "-5 -5 -7 -8 -5 -4 -6 -6 -4 -5 -4 -6 -3 0 -7 -6 -5 16 3 -5 -8 -5 -5 -8"},
      {"pam250", -932, -320782, 124, -8, 17, "-6 2 -4 -7 -8 -5 -7 -7 -3 -5 -2 -3 -4 0 -6 -2 -5 17 0 -6 -5 -6 -4 -8"}};
  REQUIRE(matrices().size() == std::size(known));
  std::string words;
  for (const Known& expected : known) {
    INFO(expected.name);
    words += (words.empty() ? "" : ", ") + std::string(expected.name);
    const NamedMatrix* found = find_matrix(expected.name);
    REQUIRE(found != nullptr);
    CHECK(std::string(found->letters) == "ARNDCQEGHILKMFPSTWYVBZX*");
    REQUIRE(found->matrix.count == 24);
    i64 sum = 0, by_place = 0, of_equal = 0;
    std::string of_w;
    for (int a = 0; a < 24; ++a) {
      of_equal += found->matrix.scores[a][a];
      of_w += (a == 0 ? "" : " ") + std::to_string(found->matrix.scores[17][a]);
      for (int b = 0; b < 24; ++b) {
        sum += found->matrix.scores[a][b];
        by_place += (24 * a + b + 1) * i64{found->matrix.scores[a][b]};
        if (found->matrix.scores[a][b] != found->matrix.scores[b][a]) FAIL(a << " and " << b);
      }
    }
    CHECK(sum == expected.sum);
    CHECK(by_place == expected.by_place);
    CHECK(of_equal == expected.of_equal);
    CHECK(of_w == expected.of_w);
    CHECK(range_of(found->matrix).least == expected.least);
    CHECK(range_of(found->matrix).largest == expected.largest);
  }
  CHECK(words == matrix_parameter.choices);
  CHECK(find_matrix("BLOSUM62") == nullptr);
}

TEST_CASE("a matrix of scores is kept once, by sides, and its extreme scores bound the cells") {
  auto settings = numbers({{"gap", 0.5}});
  settings.set("matrix", std::vector<std::int64_t>{-7, 5, -128, 127});
  const auto constants = problem_constants<SmithWatermanLinearMatrix>(settings);
  CHECK(constants.match == 1270);
  CHECK(constants.mismatch == -1280);
  CHECK(SmithWatermanLinearMatrix::score<i64>(constants, 0, 1) == 50);
  CHECK(SmithWatermanLinearMatrix::score<i64>(constants, 1, 0) == -1280);
  CHECK(matrix_of(settings) == matrix_of(Settings(settings)));
  CHECK(score_bound("smith_waterman", settings, 10, 20) == 1270 * 11 + 1280);
  CHECK(narrowest_value("smith_waterman", settings, 23, 1 << 30) == ElementType::i16);
  CHECK(narrowest_value("smith_waterman", settings, 24, 1 << 30) == ElementType::i32);
  settings.set("matrix", std::vector<std::int64_t>{-128});
  CHECK(score_bound("smith_waterman", settings, 10, 20) == 1280);
  settings.set("alphabet", std::string("protein"));
  settings.set("matrix", std::string("mine"));
  const auto errors = parameter_errors("smith_waterman", settings);
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].parameter + "|" + errors[0].message ==
        "alphabet|the letters are those of the matrix 'mine': leave alphabet out");
  for (const std::vector<std::int64_t>& wrong :
       {std::vector<std::int64_t>{}, {1, 2}, {128}, {-129}, std::vector<std::int64_t>(28 * 28)}) {
    settings.set("matrix", wrong);
    CHECK_THROWS_WITH(matrix_of(settings), Catch::Contains("a substitution matrix"));
  }
}

TEST_CASE("the bound of a global alignment is its worst path: two gaps, or different letters and one gap") {
  auto bound = [](double match, double mismatch, double open, double extend, i64 rows, i64 columns) {
    return score_bound(
        "needleman_wunsch",
        numbers({{"match", match}, {"mismatch", mismatch}, {"gap_open", open}, {"gap_extend", extend}}), rows,
        columns);
  };
  // A gap's first letter costs open + extend, and a further one may follow: open + 2 * extend beyond the worst H.
  CHECK(bound(0, -100, 6, 2, 10, 30) == 2 * 6 + 2 * 40 + 100);
  CHECK(bound(0, -4, 6, 2, 10, 30) == 10 * 4 + 6 + 2 * 20 + 10);
  CHECK(bound(0, -1, 6, 2, 10, 30) == 6 + 2 * 30 + 10);
  CHECK(bound(50, -4, 6, 2, 10, 30) == 10 * 50 + 50);
  CHECK(bound(0, -1, 0, 0, 10, 30) == 1);
  CHECK(score_bound("needleman_wunsch", numbers({{"match", 1}, {"mismatch", -1}, {"gap", 3}}), 10, 30) == 3 * 30 + 6);
  const auto costly = numbers({{"match", 0}, {"mismatch", -4}, {"gap_open", 6}, {"gap_extend", 2}});
  CHECK(narrowest_value("needleman_wunsch", costly, 8000, 8000) == ElementType::i16);
  CHECK(narrowest_value("needleman_wunsch", costly, 9000, 9000) == ElementType::i32);
  CHECK(narrowest_value("needleman_wunsch", costly, i64{1} << 30, i64{1} << 30) == ElementType::i64);
}

TEST_CASE("bounds saturate instead of overflowing") {
  CHECK(bounded_product(std::int64_t{1} << 40, std::int64_t{1} << 40) == unbounded);
  CHECK(bounded_product(unbounded, 0) == 0);
  CHECK(bounded_product(std::int64_t{1} << 31, (std::int64_t{1} << 31)) == std::int64_t{1} << 62);
  CHECK(bounded_sum(unbounded - 1, 1) == unbounded);
  CHECK(bounded_sum(unbounded - 1, 2) == unbounded);
  CHECK(SummedArea::sum_bound(255, 2900, 2900) == 255ll * 2900 * 2900);
}

TEST_CASE("schedules have the names that jobs use") {
  REQUIRE(schedule_from("auto").has_value());
  CHECK(schedule_from("auto")->work == Schedule::Work::needed);
  CHECK(schedule_from("registers") == Schedule{});
  REQUIRE(schedule_from("registers").has_value());
  CHECK(name_of(*schedule_from("registers")) == "registers");
  CHECK_FALSE(schedule_from("fast").has_value());
  CHECK_FALSE(schedule_from("").has_value());
  std::istringstream names(schedule_names());
  int count = 0;
  for (std::string name; std::getline(names >> std::ws, name, ','); ++count) {
    const auto schedule = schedule_from(name);
    REQUIRE(schedule.has_value());
    CHECK(name_of(*schedule) == name);
    CHECK((schedule->work == Schedule::Work::needed) == (name == "auto"));
    CHECK(schedule_help().find(name + ": ") != std::string::npos);
  }
  CHECK(count == 8);
  Schedule other;
  other.shape = Schedule::Shape::square;
  other.synchronisation = Schedule::Synchronisation::barrier;
  other.storage = Schedule::Storage::cache;
  CHECK(name_of(other) == "square, barrier, cache, modelled");
}

}  // namespace
}  // namespace terrace::wavefront
