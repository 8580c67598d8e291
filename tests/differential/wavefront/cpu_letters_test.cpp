// Every problem on letters on the CPU against the reference, in every instruction set and value type.
#include <catch2/catch.hpp>
#include <memory>
#include <random>

#include "kernels/device/cpu_features.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "kernels/wavefront/reference/reference.hpp"
#include "kernels/wavefront/report.hpp"
#include "tests/differential/wavefront/feeder.hpp"
#include "tests/differential/wavefront/samples.hpp"

namespace terrace::wavefront {
namespace {

using device::InstructionSet;
using test::Letters;

constexpr std::int64_t sizes[] = {0, 1, 2, 31, 32, 33, 63, 64, 65, 200};
constexpr ElementType value_types[] = {ElementType::i16, ElementType::i32, ElementType::i64};

struct Shape {
  std::int64_t rows, columns, block_rows, block_columns;
};

/// The result of a sweep for the whole table.
template <class P>
BlockResult total(const std::vector<BlockResult>& results, const SweepSpec& spec) {
  BlockResult total = border_report<P>(problem_constants<P>(spec.settings), spec.rows, spec.columns);
  for (const BlockResult& result : results) add_report<P>(result, &result == &results.back(), total);
  return total;
}

template <class T>
bool same_table(const test::TableMemory& memory, const ReferenceTable<i64>& expected, double scale) {
  for (std::int64_t i = 0; i < expected.rows; ++i) {
    for (std::int64_t j = 0; j < expected.columns; ++j) {
      const T value = memory.cell<T>(i, j);
      const T wanted = std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(expected.at(i, j)) / scale)
                                                   : static_cast<T>(expected.at(i, j));
      if (value != wanted) {
        UNSCOPED_INFO("cell (" << i << ", " << j << ") is " << value << ", should be " << wanted);
        return false;
      }
    }
  }
  return true;
}

/// Letters of both sides, and the table of problem P of them.
template <class P>
struct Sample {
  Sample(const Settings& with, const Shape& shape, Letters of)
      : settings(with),
        kind(of),
        rows(test::letters_for<P>(kind, true, shape.rows, 5, codes())),
        columns(test::letters_for<P>(kind, false, shape.columns, 5, codes())),
        expected(letters_reference<P>(problem_constants<P>(settings), rows, columns)) {}

  int codes() const {
    const Matrix* matrix = matrix_of(settings);
    return matrix != nullptr ? matrix->count : test::sample_codes;
  }

  Settings settings;
  Letters kind;
  std::vector<std::uint8_t> rows, columns;
  ReferenceTable<i64> expected;
};

/// The tests' device, and sweeps compared with the reference.
class Comparison {
 public:
  explicit Comparison(int threads) : context_(device::make_cpu_context(threads)) {}

  template <class P>
  void compare(P, const Settings& settings, const Shape& shape, ElementType value, std::optional<ElementType> table,
               Letters kind, InstructionSet set, const test::Feeding& how = {}) {
    compare(Sample<P>(settings, shape, kind), shape, value, table, set, how);
  }

  template <class P>
  void compare(const Sample<P>& sample, const Shape& shape, ElementType value, std::optional<ElementType> table,
               InstructionSet set, const test::Feeding& how = {}) {
    SweepSpec spec;
    spec.problem = P::name;
    spec.settings = sample.settings;
    spec.rows = shape.rows;
    spec.columns = shape.columns;
    spec.block_rows = shape.block_rows;
    spec.block_columns = shape.block_columns;
    spec.value = value;
    spec.border = shape.rows % 2 == 0 ? value : ElementType::i64;
    spec.table = table;
    const ReferenceTable<i64>& expected = sample.expected;
    test::TableMemory memory(spec, sample.rows, sample.columns, {});
    const auto sweep = make_cpu_sweep(spec, *context_, set);
    const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
    const test::Fed fed = test::feed(*sweep, memory, 0, blocks, how);

    INFO(P::name << " " << shape.rows << " x " << shape.columns << " in blocks of " << shape.block_rows << " x "
                 << shape.block_columns << ", " << name_of(value) << ", " << device::name_of(set) << ", table "
                 << (table ? name_of(*table) : "none") << ", letters " << static_cast<int>(sample.kind));
    REQUIRE(fed.done == blocks);
    REQUIRE(fed.failed == 0);
    const BlockResult result = total<P>(memory.results(), spec);
    CHECK(result.score == expected.score);
    CHECK(result.row == expected.row);
    CHECK(result.column == expected.column);
    if (!table) return;
    const double scale = static_cast<double>(score_scale(P::name, sample.settings));
    dispatch(*table, [&](auto cell) { CHECK(same_table<decltype(cell)>(memory, expected, scale)); });
  }

 private:
  std::unique_ptr<device::Context> context_;
};

std::vector<InstructionSet> instruction_sets() {
  std::vector<InstructionSet> sets;
  for (auto set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set <= device::best_instruction_set()) sets.push_back(set);
  }
  return sets;
}

TEST_CASE("every problem on letters gives the reference's table and end at sizes around vectors and blocks") {
  Comparison comparison(3);
  // Every type meets every number of rows and of columns in every instruction set; which pairs of numbers, and which
  // cuts, differs from run to run.
  std::random_device random;
  const unsigned shift = random() % 3;
  unsigned turn = random() % 25;
  test::for_each_letters_problem([&]<class P>(P) {
    const Settings settings = test::sample_settings<P>();
    unsigned pair = shift;
    for (std::int64_t rows : sizes) {
      for (std::int64_t columns : sizes) {
        const Sample<P> sample(settings, {rows, columns, 0, 0}, static_cast<Letters>(pair / 3 % 3));
        for (InstructionSet set : instruction_sets()) {
          const std::int64_t cuts[] = {1000, 64, 33, 7, 1};
          const Shape shape{rows, columns, cuts[turn % 5 == 4 && rows > 40 ? 2 : turn % 5],
                            cuts[turn / 5 % 5 == 4 && columns > 40 ? 2 : turn / 5 % 5]};
          const unsigned type = pair + static_cast<unsigned>(set);
          // Small blocks wait for room in a small ring: every other shape has a large one.
          test::Feeding how;
          if (turn % 2 == 0) how.ring = 40;
          comparison.compare(sample, shape, value_types[type % 3], std::nullopt, set, how);
          comparison.compare(sample, shape, value_types[(type + 1) % 3], ElementType::i64, set, how);
          ++turn;
        }
        ++pair;
      }
    }
  });
}

TEST_CASE("very flat and very tall tables are exact, in one block and in many") {
  Comparison comparison(2);
  test::for_each_letters_problem([&]<class P>(P) {
    const Settings settings = test::sample_settings<P>();
    for (Letters kind : {Letters::random, Letters::equal, Letters::different, Letters::rare}) {
      for (const Shape& shape : {Shape{1, 5000, 1, 5000}, Shape{1, 5000, 1, 61}, Shape{5000, 1, 5000, 1},
                                 Shape{5000, 1, 333, 1}, Shape{3, 5000, 2, 4999}, Shape{5000, 3, 4999, 2}}) {
        const Sample<P> sample(settings, shape, kind);
        for (InstructionSet set : instruction_sets()) {
          comparison.compare(sample, shape, ElementType::i16, ElementType::i16, set);
          comparison.compare(sample, shape, ElementType::i32, std::nullopt, set);
        }
      }
    }
  });
}

TEST_CASE("tables of several bands and chunks are exact whatever the feeder's delays") {
  Comparison comparison(3);
  test::for_each_letters_problem([&]<class P>(P) {
    const Settings settings = test::sample_settings<P>();
    for (Letters kind : {Letters::random, Letters::equal, Letters::different, Letters::rare}) {
      for (const Shape& shape : {Shape{1500, 1100, 1500, 1100}, Shape{1500, 1100, 500, 300},
                                 Shape{1777, 777, 400, 777}, Shape{777, 1777, 777, 200}}) {
        const test::Feeding how{3, 200, static_cast<unsigned>(shape.block_rows), ~0ull, ~0ull};
        const Sample<P> sample(settings, shape, kind);
        for (InstructionSet set : instruction_sets()) {
          comparison.compare(sample, shape, ElementType::i16, std::nullopt, set, how);
          comparison.compare(sample, shape, ElementType::i16, ElementType::i32, set, how);
          comparison.compare(sample, shape, ElementType::i32, std::nullopt, set, how);
        }
      }
    }
  });
}

TEST_CASE("one thread computes what many do") {
  for (int threads : {1, 2, 7}) {
    Comparison comparison(threads);
    test::for_each_letters_problem([&](auto problem) {
      comparison.compare(problem, test::sample_settings<decltype(problem)>(), {900, 700, 250, 90}, ElementType::i16,
                         ElementType::i16, Letters::random, device::best_instruction_set());
    });
  }
}

TEST_CASE("of equal scores in one band the smaller row wins, then the smaller column, however late it is found") {
  const auto context = device::make_cpu_context(1);
  struct Match {
    int row, column;
  };
  // Places of two runs of ten equal letters, and the end that must be reported.
  struct Case {
    Match matches[2];
    Match end;
  };
  const Case cases[] = {{{{40, 100}, {20, 600}}, {30, 610}},
                        {{{20, 100}, {40, 600}}, {30, 110}},
                        {{{20, 600}, {20, 100}}, {30, 110}},
                        {{{20, 130}, {20, 100}}, {30, 110}},
                        {{{21, 100}, {20, 130}}, {30, 140}}};
  for (InstructionSet set : instruction_sets()) {
    for (const Case& match : cases) {
      SweepSpec spec;
      spec.problem = "smith_waterman";
      spec.settings = test::sample_settings<SmithWatermanAffine>();
      spec.rows = spec.block_rows = 140;
      spec.columns = spec.block_columns = 900;
      spec.value = spec.border = ElementType::i16;
      std::vector<std::uint8_t> rows(140, 250), columns(900, 251);
      for (const auto& [row, column] : match.matches) {
        for (int i = 0; i < 10; ++i) {
          rows[static_cast<std::size_t>(row + i)] = static_cast<std::uint8_t>(row + i);
          columns[static_cast<std::size_t>(column + i)] = static_cast<std::uint8_t>(row + i);
        }
      }
      test::TableMemory memory(spec, rows, columns, {});
      const auto sweep = make_cpu_sweep(spec, *context, set);
      REQUIRE(test::feed(*sweep, memory, 0, 1).done == 1);
      CHECK(memory.result(0).score == 20);
      CHECK(memory.result(0).row == match.end.row);
      CHECK(memory.result(0).column == match.end.column);
    }
  }
}

TEST_CASE("parameters with decimals are computed in scaled integers, and a floating table has the true values") {
  Comparison comparison(2);
  Settings settings;
  settings.set("match", 1.5);
  settings.set("mismatch", -0.125);
  settings.set("gap_open", 2.5);
  settings.set("gap_extend", 0.75);
  REQUIRE(score_scale("smith_waterman", settings) == 1000);
  for (ElementType table : {ElementType::f32, ElementType::f64, ElementType::i64}) {
    comparison.compare(SmithWatermanAffine{}, settings, {130, 150, 60, 70}, ElementType::i32, table, Letters::random,
                       device::best_instruction_set());
  }
}

TEST_CASE("costs without gaps' weight, and scores that are all negative or all positive, are exact") {
  Comparison comparison(2);
  const double cases[][4] = {{1, -3, 0, 0}, {1, 1, 3, 0},    {-1, -1, 1, 1},
                             {0, 0, 0, 0},  {5, -4, 100, 1}, {3, 2, 0, 1}};
  for (const auto& [match, mismatch, open, extend] : cases) {
    Settings settings;
    settings.set("match", match);
    settings.set("mismatch", mismatch);
    Settings linear = settings;
    linear.set("gap", open);
    settings.set("gap_open", open);
    settings.set("gap_extend", extend);
    for (Letters kind : {Letters::random, Letters::equal}) {
      for (InstructionSet set : instruction_sets()) {
        comparison.compare(SmithWatermanAffine{}, settings, {413, 307, 300, 290}, ElementType::i16, ElementType::i32,
                           kind, set);
        comparison.compare(SmithWatermanLinear{}, linear, {413, 307, 300, 290}, ElementType::i16, std::nullopt, kind,
                           set);
        comparison.compare(NeedlemanWunschAffine{}, settings, {413, 307, 300, 290}, ElementType::i32,
                           ElementType::i32, kind, set);
        comparison.compare(NeedlemanWunschLinear{}, linear, {413, 307, 300, 290}, ElementType::i32, ElementType::i32,
                           kind, set);
      }
    }
  }
}

TEST_CASE("local scores that leave bytes, words and any base for these on their way are exact") {
  Comparison comparison(2);
  const double cases[][4] = {{1, -1, 2, 1},     {3, -2, 4, 0},       {40, -30, 50, 9},       {127, -127, 100, 27},
                             {128, -5, 200, 3}, {900, -700, 800, 9}, {32767, -3, 32000, 70}, {200000, -1, 1, 1}};
  for (const auto& [match, mismatch, open, extend] : cases) {
    Settings settings;
    settings.set("match", match);
    settings.set("mismatch", mismatch);
    Settings linear = settings;
    linear.set("gap", open);
    settings.set("gap_open", open);
    settings.set("gap_extend", extend);
    for (const Shape& shape : {Shape{1300, 1100, 1300, 400}, Shape{900, 800, 70, 800}}) {
      for (Letters kind : {Letters::equal, Letters::rare}) {
        const Sample<SmithWatermanAffine> affine_sample(settings, shape, kind);
        const Sample<SmithWatermanLinear> linear_sample(linear, shape, kind);
        for (InstructionSet set : instruction_sets()) {
          comparison.compare(affine_sample, shape, ElementType::i32, std::nullopt, set);
          comparison.compare(linear_sample, shape, ElementType::i32, std::nullopt, set);
        }
      }
    }
  }
}

TEST_CASE("with free ends the best of the last row and column is found, also where it is negative or the border's") {
  Comparison comparison(2);
  unsigned turn = 0;
  for (const char* ends : {"none", "rows", "columns", "both"}) {
    for (const auto& [match, gap] : {std::pair{2, 1}, std::pair{-1, 2}, std::pair{0, 0}}) {
      Settings linear = test::sample_settings<NeedlemanWunschLinear>();
      linear.set("free_ends", std::string(ends));
      linear.set("match", double(match));
      Settings affine = linear;
      linear.set("gap", double(gap));
      affine.set("gap_open", double(gap));
      affine.set("gap_extend", double(gap));
      for (const Shape& shape :
           {Shape{0, 0, 1, 1}, Shape{0, 9, 1, 4}, Shape{9, 0, 4, 1}, Shape{1, 1, 1, 1}, Shape{1, 300, 1, 70},
            Shape{300, 1, 70, 1}, Shape{40, 700, 16, 150}, Shape{900, 210, 400, 210}, Shape{413, 307, 90, 64}}) {
        for (Letters kind : {Letters::random, Letters::equal, Letters::different}) {
          const auto set = instruction_sets()[turn++ % instruction_sets().size()];
          const auto table = turn % 4 == 0 ? std::optional(ElementType::i32) : std::nullopt;
          comparison.compare(NeedlemanWunschLinear{}, linear, shape, ElementType::i16, table, kind, set);
          comparison.compare(NeedlemanWunschAffine{}, affine, shape, ElementType::i32, table, kind, set);
        }
      }
    }
  }
}

/// A matrix and the costs of its gaps.
struct MatrixCase {
  int codes, least, largest;
  double open, extend;
};
constexpr MatrixCase matrix_cases[] = {{27, -128, 127, 11, 1}, {27, -128, 127, 0, 0}, {27, -128, 127, 300.125, 0.5},
                                       {1, 127, 127, 5, 2},    {1, -128, -128, 5, 2}, {4, -128, -100, 1000, 90},
                                       {25, 100, 127, 40, 0},  {15, -4, 5, 2.5, 0.5}, {27, 0, 0, 3, 1}};

TEST_CASE("matrices of any size and any scores, which differ with the sides of letters, are exact") {
  Comparison comparison(3);
  unsigned turn = 0;
  for (const auto& [codes, least, largest, open, extend] : matrix_cases) {
    for (const char* ends : {"none", "rows", "columns", "both"}) {
      Settings linear = test::with_matrix({}, codes, least, largest, ++turn), affine = linear;
      linear.set("gap", open);
      affine.set("gap_open", open);
      affine.set("gap_extend", extend);
      Settings global_linear = linear, global_affine = affine;
      global_linear.set("free_ends", std::string(ends));
      global_affine.set("free_ends", std::string(ends));
      for (const Shape& shape : {Shape{1, 300, 1, 70}, Shape{300, 1, 70, 1}, Shape{33, 65, 33, 20},
                                 Shape{413, 307, 90, 64}, Shape{900, 210, 900, 210}}) {
        for (InstructionSet set : instruction_sets()) {
          const auto kind = static_cast<Letters>(turn++ % 2);
          const auto compare = [&](auto problem, const Settings& settings) {
            const auto narrowest = narrowest_value(decltype(problem)::name, settings, shape.rows, shape.columns);
            const Sample<decltype(problem)> sample(settings, shape, kind);
            for (ElementType value : value_types) {
              if (size_of(value) < size_of(narrowest)) continue;
              const auto table =
                  turn % 3 == 0 ? std::nullopt : std::optional(turn % 3 == 1 ? value : ElementType::f64);
              comparison.compare(sample, shape, value, table, set);
            }
          };
          compare(SmithWatermanLinearMatrix{}, linear);
          compare(SmithWatermanAffineMatrix{}, affine);
          compare(NeedlemanWunschLinearMatrix{}, global_linear);
          compare(NeedlemanWunschAffineMatrix{}, global_affine);
        }
      }
    }
  }
}

TEST_CASE("a value type that the scores could overflow is refused") {
  const auto context = device::make_cpu_context(1);
  SweepSpec spec;
  spec.problem = "lcs";
  spec.rows = spec.columns = spec.block_rows = spec.block_columns = 32767;
  spec.value = spec.border = ElementType::i16;
  CHECK_THROWS_WITH(make_cpu_sweep(spec, *context), Catch::Contains("may overflow"));
  spec.columns = 32766;
  CHECK_NOTHROW(make_cpu_sweep(spec, *context));
  spec.value = ElementType::i32;
  CHECK_THROWS_WITH(make_cpu_sweep(spec, *context), Catch::Contains("borders of type i16"));
}

}  // namespace
}  // namespace terrace::wavefront
