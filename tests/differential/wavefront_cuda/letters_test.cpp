// Every problem on letters on CUDA against the reference, also with delays and few thread blocks.
#include <catch2/catch.hpp>

#include "kernels/wavefront/reference/reference.hpp"
#include "tests/differential/wavefront/samples.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

using test::Letters;

struct Shape {
  std::int64_t rows, columns, block_rows, block_columns;
};

template <class T>
std::int64_t wrong_cells(const std::vector<unsigned char>& table, const ReferenceTable<i64>& expected, double scale) {
  std::int64_t wrong = 0;
  for (std::int64_t n = 0; n < expected.rows * expected.columns; ++n) {
    const i64 value = expected.h[static_cast<std::size_t>(n)];
    const T wanted =
        std::is_floating_point_v<T> ? static_cast<T>(static_cast<double>(value) / scale) : static_cast<T>(value);
    wrong += test::cell_of<T>(table, n) != wanted;
  }
  return wrong;
}

template <class P>
void compare(device::Context& context, const Settings& settings, const Shape& shape, ElementType value,
             std::optional<ElementType> table, Letters kind, const CudaTrial& trial) {
  if (!test::is_tried(context, shape.rows * shape.columns)) return;
  SweepSpec spec;
  spec.problem = P::name;
  spec.settings = settings;
  spec.rows = shape.rows;
  spec.columns = shape.columns;
  spec.block_rows = shape.block_rows;
  spec.block_columns = shape.block_columns;
  spec.value = value;
  spec.border = shape.rows % 2 == 0 ? value : ElementType::i64;
  spec.table = table;
  const Matrix* matrix = matrix_of(settings);
  const int codes = matrix != nullptr ? matrix->count : test::sample_codes;
  const testing::TableInput input{test::letters_for<P>(kind, true, shape.rows, 5, codes),
                                  test::letters_for<P>(kind, false, shape.columns, 5, codes),
                                  {}};
  const auto expected = letters_reference<P>(problem_constants<P>(settings), input.rows, input.columns);
  testing::CudaTable cuda(spec, context, input, trial);
  cuda.run();

  INFO(P::name << " " << shape.rows << " x " << shape.columns << " in blocks of " << shape.block_rows << " x "
               << shape.block_columns << ", " << name_of(value) << ", table " << (table ? name_of(*table) : "none")
               << ", letters " << static_cast<int>(kind) << ", thread blocks " << trial.thread_blocks << ", delays "
               << trial.delay_seed << ", rows of a lane " << trial.lane_rows);
  REQUIRE(cuda.done == cuda.blocks());
  test::check_report<P>(cuda.results, settings, expected);
  if (!table && shape.columns > shape.block_columns) {
    spec.by_strips = true;
    testing::CudaTable strips(spec, context, input, trial);
    strips.run();
    REQUIRE(strips.done == strips.blocks());
    test::check_report<P>(strips.results, settings, expected);
  }
  if (!table) return;
  const auto cells = cuda.table();
  const double scale = static_cast<double>(score_scale(P::name, settings));
  CHECK(dispatch(*table, [&](auto sample) { return wrong_cells<decltype(sample)>(cells, expected, scale); }) == 0);
}

TEST_CASE("on CUDA every problem on letters gives the reference's table and end at sizes around warps and blocks",
          "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  const std::int64_t sizes[] = {0, 1, 2, 31, 33, 64, 65, 200};
  const ElementType values[] = {ElementType::i16, ElementType::i32, ElementType::i64};
  const std::int64_t cuts[] = {1000, 64, 33, 7, 100};
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    const Settings settings = test::sample_settings<P>();
    for (std::int64_t rows : sizes) {
      for (std::int64_t columns : sizes) {
        const Shape shape{rows, columns, cuts[turn % 5], cuts[turn / 5 % 5]};
        const ElementType value = values[turn / 2 % 3];
        compare<P>(*context, settings, shape, value, std::nullopt, static_cast<Letters>(turn % 4),
                   test::trial_of(turn));
        compare<P>(*context, settings, shape, value, ElementType::i64, static_cast<Letters>(turn % 4),
                   test::trial_of(turn));
        ++turn;
      }
    }
  });
}

TEST_CASE(
    "on CUDA tables of several bands, blocks and pieces are exact, whatever the delays and the resident warps") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    const Settings settings = test::sample_settings<P>();
    for (Letters kind : {Letters::random, Letters::equal, Letters::different, Letters::rare}) {
      for (const Shape& shape :
           {Shape{5000, 700, 5000, 700}, Shape{4500, 800, 2048, 300}, Shape{2500, 1100, 2500, 1100},
            Shape{2500, 1100, 700, 300}, Shape{1777, 777, 400, 777}, Shape{777, 1777, 777, 200},
            Shape{1, 5000, 1, 61}, Shape{5000, 1, 333, 1}, Shape{2000, 900, 100, 450}}) {
        for (int repeat = 0; repeat < 3; ++repeat) {
          compare<P>(*context, settings, shape, ElementType::i32, std::nullopt, kind, test::trial_of(turn));
          if (repeat == 0) {
            compare<P>(*context, settings, shape, ElementType::i32, ElementType::i32, kind, test::trial_of(turn + 1));
          }
          ++turn;
        }
      }
    }
  });
}

TEST_CASE("on CUDA a floating table has the true values of scaled scores") {
  const auto context = test::cuda_context();
  if (!context) return;
  Settings settings;
  settings.set("match", 1.5);
  settings.set("mismatch", -0.125);
  settings.set("gap_open", 2.5);
  settings.set("gap_extend", 0.75);
  for (ElementType table : {ElementType::f32, ElementType::f64, ElementType::i64}) {
    compare<SmithWatermanAffine>(*context, settings, {130, 150, 60, 70}, ElementType::i32, table, Letters::random,
                                 {});
  }
}

TEST_CASE("on CUDA costs without gaps' weight, and scores all negative or all positive, are exact", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  const double cases[][4] = {{1, -3, 0, 0}, {1, 1, 3, 0},    {-1, -1, 1, 1},
                             {0, 0, 0, 0},  {5, -4, 100, 1}, {3, 2, 0, 1}};
  unsigned turn = 0;
  for (const auto& [match, mismatch, open, extend] : cases) {
    Settings settings;
    settings.set("match", match);
    settings.set("mismatch", mismatch);
    Settings linear = settings;
    linear.set("gap", open);
    settings.set("gap_open", open);
    settings.set("gap_extend", extend);
    for (Letters kind : {Letters::random, Letters::equal}) {
      const Shape shape{413, 307, 300, 290};
      compare<SmithWatermanAffine>(*context, settings, shape, ElementType::i32, ElementType::i32, kind, {});
      compare<SmithWatermanAffine>(*context, settings, shape, ElementType::i32, std::nullopt, kind,
                                   test::trial_of(++turn));
      compare<SmithWatermanLinear>(*context, linear, shape, ElementType::i32, std::nullopt, kind,
                                   test::trial_of(++turn));
      compare<NeedlemanWunschAffine>(*context, settings, shape, ElementType::i32, ElementType::i32, kind, {});
      compare<NeedlemanWunschAffine>(*context, settings, shape, ElementType::i32, std::nullopt, kind,
                                     test::trial_of(++turn));
      compare<NeedlemanWunschLinear>(*context, linear, shape, ElementType::i32, ElementType::i32, kind,
                                     test::trial_of(++turn));
    }
  }
}

TEST_CASE("on CUDA matrices of any size and any scores, which differ with the sides of letters, are exact", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  struct MatrixCase {
    int codes, least, largest;
    double open, extend;
  };
  unsigned turn = 0;
  for (const auto& [codes, least, largest, open, extend] :
       {MatrixCase{27, -128, 127, 11, 1}, MatrixCase{27, -128, 127, 300.125, 0.5}, MatrixCase{1, -128, -128, 5, 2},
        MatrixCase{25, 100, 127, 40, 0}, MatrixCase{4, -128, -100, 1000, 90}}) {
    Settings linear = test::with_matrix({}, codes, least, largest, ++turn), affine = linear;
    linear.set("gap", open);
    affine.set("gap_open", open);
    affine.set("gap_extend", extend);
    for (const Shape& shape : {Shape{40, 33, 40, 33}, Shape{300, 70, 120, 70}, Shape{413, 307, 300, 290}}) {
      const auto kind = static_cast<Letters>(turn % 2);
      const auto value = turn % 4 == 0 ? ElementType::i64 : ElementType::i32;
      const auto table = turn % 3 == 0 ? std::optional(value) : std::nullopt;
      compare<SmithWatermanLinearMatrix>(*context, linear, shape, value, table, kind, test::trial_of(++turn));
      compare<SmithWatermanAffineMatrix>(*context, affine, shape, value, table, kind, test::trial_of(++turn));
      compare<NeedlemanWunschLinearMatrix>(*context, linear, shape, value, table, kind, test::trial_of(++turn));
      compare<NeedlemanWunschAffineMatrix>(*context, affine, shape, value, table, kind, test::trial_of(++turn));
    }
  }
}

TEST_CASE("on CUDA the best of the last row and column is found, also where it is negative or the border's",
          "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
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
      for (const Shape& shape : {Shape{0, 0, 1, 1}, Shape{0, 9, 1, 4}, Shape{9, 0, 4, 1}, Shape{1, 1, 1, 1},
                                 Shape{40, 700, 16, 150}, Shape{900, 210, 400, 210}, Shape{1413, 307, 900, 64}}) {
        const auto kind = static_cast<Letters>(turn % 3);
        const auto table = turn % 4 == 0 ? std::optional(ElementType::i32) : std::nullopt;
        compare<NeedlemanWunschLinear>(*context, linear, shape, ElementType::i32, table, kind, test::trial_of(turn));
        compare<NeedlemanWunschAffine>(*context, affine, shape, turn % 5 == 0 ? ElementType::i64 : ElementType::i32,
                                       table, kind, test::trial_of(turn + 1));
        ++turn;
      }
    }
  }
}

}  // namespace
}  // namespace terrace::wavefront
