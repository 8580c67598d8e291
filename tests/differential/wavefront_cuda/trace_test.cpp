// Walks back through boxes of a table on CUDA, and the borders that sweeps keep for them.
#include <array>
#include <catch2/catch.hpp>
#include <memory_resource>

#include "tests/differential/wavefront/samples.hpp"
#include "tests/differential/wavefront/trace_support.hpp"
#include "tests/differential/wavefront/values.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"
#include "tests/differential/wavefront_cuda/device_tracer.hpp"

namespace terrace::wavefront {
namespace {

using test::DeviceTracer;
using test::Letters;
using test::PinnedArena;
using test::TraceCut;

constexpr TraceCut cuts[] = {{10000, 10000, 10000, 10000}, {1000, 1000, 128, 512}, {1000, 1000, 32, 33},
                             {64, 64, 16, 32, 2},          {300, 200, 128, 96, 2}, {97, 1000, 97, 500}};

template <class P>
void compare(device::Context& context, PinnedArena& arena, const std::vector<std::uint8_t>& rows,
             const std::vector<std::uint8_t>& columns, const TraceCut& cut, unsigned turn,
             const Settings& settings = test::sample_settings<P>()) {
  const auto cells = static_cast<std::int64_t>(rows.size() * columns.size());
  if (!test::is_tried(context, cells)) return;
  ReferenceTrace<P> table(problem_constants<P>(settings), rows, columns);
  const ReferencePath expected = table.path();
  const ElementType value = turn % 7 == 0 ? ElementType::i64 : turn % 7 == 1 ? ElementType::i16 : ElementType::i32;
  const TraceSpec spec{P::name, settings, value, ElementType::i64, cut.cell_rows, cut.cell_columns};
  DeviceTracer tracer(context, spec, test::trial_of(turn), make_cuda_tracer);
  const ReferencePath path = test::walk_boxes<P>(table, expected, rows, columns, cut, arena.resource(),
                                                 [&](const device::Port& port) { tracer.run(port); });
  arena.reset();
  INFO(P::name << " " << rows.size() << " x " << columns.size() << " in cells of " << cut.cell_rows << " x "
               << cut.cell_columns << " of boxes of " << cut.box_rows << " x " << cut.box_columns << ", turn "
               << turn);
  CHECK(path.steps == expected.steps);
  CHECK(path.row_begin == expected.row_begin);
  CHECK(path.column_begin == expected.column_begin);
}

TEST_CASE("on CUDA walks through boxes of every cut give the reference's path", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  PinnedArena arena(*context);
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    if constexpr (Traceable<P>) {
      for (std::int64_t height : {0, 1, 3, 31, 128, 129, 400}) {
        for (std::int64_t width : {0, 1, 33, 64, 350}) {
          for (const TraceCut& cut : cuts) {
            const auto kind = static_cast<Letters>(turn % 4);
            const auto rows = test::letters_for<P>(kind, true, height, turn);
            const auto columns =
                turn % 3 == 0 ? test::mutated(rows, width, turn) : test::letters_for<P>(kind, false, width, turn);
            compare<P>(*context, arena, rows, columns, cut, turn++);
          }
        }
      }
    }
  });
}

TEST_CASE("on CUDA gaps that cross bands and pieces are one gap, and a full result goes on where it ended") {
  const auto context = test::cuda_context();
  if (!context) return;
  PinnedArena arena(*context);
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    if constexpr (Traceable<P>) {
      const auto ends = test::letters_for<P>(Letters::random, true, 900, 3);
      std::vector<std::uint8_t> shorter(ends.begin(), ends.begin() + 200);
      shorter.insert(shorter.end(), ends.begin() + 730, ends.end());
      for (const TraceCut& cut : {cuts[0], cuts[1], cuts[4]}) {
        compare<P>(*context, arena, ends, shorter, cut, turn++);
        compare<P>(*context, arena, shorter, ends, cut, turn++);
      }
    }
  });
  const auto rows = test::make_letters(Letters::random, true, 9000, 1);
  const std::vector<std::uint8_t> few(rows.begin(), rows.begin() + 3);
  compare<Lcs>(*context, arena, rows, few, {10000, 10000, 10000, 256}, 2);
  compare<Lcs>(*context, arena, few, rows, {10000, 10000, 256, 10000}, 3);
}

TEST_CASE("on CUDA paths by matrices of any scores, which differ with the sides of letters, are exact", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  PinnedArena arena(*context);
  unsigned turn = 0;
  for (const auto& [codes, least, largest] : {std::array{27, -128, 127}, {3, -128, 127}, {20, -3, 9}}) {
    Settings linear = test::with_matrix({}, codes, least, largest, ++turn), affine = linear;
    linear.set("gap", 2.0);
    affine.set("gap_open", 90.0);
    affine.set("gap_extend", 1.0);
    for (const TraceCut& cut : {cuts[0], cuts[3]}) {
      const auto rows = test::letters_for<SmithWatermanLinearMatrix>(Letters::random, true, 140, ++turn, codes);
      const auto columns = test::letters_for<SmithWatermanLinearMatrix>(Letters::random, false, 70, turn, codes);
      compare<SmithWatermanLinearMatrix>(*context, arena, rows, columns, cut, turn, linear);
      compare<SmithWatermanAffineMatrix>(*context, arena, rows, columns, cut, turn, affine);
      compare<NeedlemanWunschLinearMatrix>(*context, arena, rows, columns, cut, turn, linear);
      compare<NeedlemanWunschAffineMatrix>(*context, arena, rows, columns, cut, turn, affine);
    }
  }
}

TEST_CASE("on CUDA ends that are free are no part of a path", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  PinnedArena arena(*context);
  const auto whole = test::make_letters(Letters::random, true, 120, 9);
  const std::vector<std::uint8_t> part(whole.begin() + 40, whole.begin() + 100);
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    if constexpr (P::report == Report::ends) {
      for (const char* free : {"none", "rows", "columns", "both"}) {
        Settings settings = test::sample_settings<P>();
        settings.set("free_ends", std::string(free));
        for (const TraceCut& cut : {cuts[0], cuts[3]}) {
          compare<P>(*context, arena, whole, part, cut, turn++, settings);
          compare<P>(*context, arena, part, whole, cut, turn++, settings);
        }
      }
    }
  });
}

/// Two series as one box of a table, with the borders inside it that a sweep keeps.
template <class V>
class SeriesBox {
 public:
  SeriesBox(const ReferenceTable<V>& table, const std::vector<V>& rows, const std::vector<V>& columns,
            std::int64_t cell_rows, std::int64_t cell_columns, std::pmr::memory_resource* memory)
      : rows_(rows.begin(), rows.end(), memory),
        columns_(columns.begin(), columns.end(), memory),
        row_borders_(memory),
        column_borders_(memory) {
    task.row_end = table.rows;
    task.column_end = table.columns;
    task.cell_rows = cell_rows;
    task.cell_columns = cell_columns;
    task.block_rows = cell_rows;
    task.rows = rows_.data();
    task.columns = columns_.data();
    task.row_borders_stride = task.row_border_stride = table.columns;
    task.column_borders_stride = task.column_border_stride = table.rows + (table.rows + cell_rows - 1) / cell_rows;
    for (std::int64_t row = cell_rows; row < table.rows; row += cell_rows) {
      for (std::int64_t j = 0; j < table.columns; ++j) row_borders_.push_back(table.at(row - 1, j));
    }
    for (std::int64_t column = cell_columns; column < table.columns; column += cell_columns) {
      for (std::int64_t begin = 0; begin < table.rows; begin += cell_rows) {
        column_borders_.push_back(begin == 0 ? static_cast<V>(infinity) : table.at(begin - 1, column - 1));
        for (std::int64_t i = begin; i < std::min(begin + cell_rows, table.rows); ++i) {
          column_borders_.push_back(table.at(i, column - 1));
        }
      }
    }
    task.row_borders = row_borders_.data();
    task.column_borders = column_borders_.data();
    task.place = {table.rows, table.columns, PathGap::none, 0};
  }

  TraceTask task{};

 private:
  std::pmr::vector<V> rows_, columns_, row_borders_, column_borders_;
};

/// The steps of a walk through the whole box, however often it ends before.
template <class Walk>
std::string steps_of(TraceTask task, std::pmr::memory_resource* memory, Walk&& walk) {
  std::string steps;
  while (task.place.row > 0 && task.place.column > 0) {
    const TraceResult result = test::run_trace(task, memory, walk);
    for (i64 i = 0; i < result.count; ++i) steps += "=XID"[static_cast<int>(result.step(i))];
    task.place = result.place;
  }
  return steps + std::string(static_cast<std::size_t>(task.place.row), 'I') +
         std::string(static_cast<std::size_t>(task.place.column), 'D');
}

template <class V>
void compare_series(device::Context& context, PinnedArena& arena, const Settings& settings, std::int64_t height,
                    std::int64_t width, std::int64_t cell_rows, std::int64_t cell_columns, unsigned turn) {
  if (!test::is_tried(context, height * width)) return;
  const auto kind = static_cast<test::Series>(turn % 3);
  const auto rows = test::make_series<V>(kind, height, turn), columns = test::make_series<V>(kind, width, turn + 1);
  const SweepSpec sweep = test::warping_spec<V>(settings, height, width, height, width, false);
  const SeriesBox<V> box(test::warping_reference<V>(sweep, rows, columns), rows, columns, cell_rows, cell_columns,
                         arena.resource());
  const TraceSpec spec{"dtw", settings, element_type_of<V>(), element_type_of<V>(), cell_rows, cell_columns};
  const auto cpu = make_cpu_tracer(spec);
  DeviceTracer tracer(context, spec, test::trial_of(turn), make_cuda_tracer);
  const std::string expected =
      steps_of(box.task, arena.resource(), [&](const device::Port& port) { cpu->run(port); });
  const std::string found = steps_of(box.task, arena.resource(), [&](const device::Port& port) { tracer.run(port); });
  INFO(test::shown(sweep) << ", cells of " << cell_rows << " x " << cell_columns << ", turn " << turn);
  CHECK(found == expected);
  arena.reset();
}

TEST_CASE("on CUDA warping paths are those of the CPU", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  PinnedArena arena(*context);
  unsigned turn = 0;
  for (const Settings& settings : test::warpings()) {
    for (std::int64_t height : {1, 31, 130, 260}) {
      for (std::int64_t width : {1, 40, 150, 270}) {
        for (std::int64_t window : {3, 40, 100000}) {
          if (std::abs(height - width) > window) continue;
          const Settings own = test::with_window(settings, window);
          const std::int64_t cell_rows = turn % 2 == 0 ? 1000 : 50, cell_columns = turn % 3 == 0 ? 1000 : 37;
          compare_series<float>(*context, arena, own, height, width, cell_rows, cell_columns, turn);
          compare_series<double>(*context, arena, own, height, width, cell_rows, cell_columns, turn++);
        }
      }
    }
  }
}

TEST_CASE("a CUDA tracer that is told to stop leaves its block alone") {
  const auto context = test::cuda_context();
  if (!context) return;
  device::Memory memory(*context, 1 << 20, device::In::host);
  std::memset(memory.as<>(), 0, memory.bytes());
  DeviceTracer tracer(*context, {"lcs", {}, ElementType::i32, ElementType::i32, 64, 64}, {}, make_cuda_tracer);
  auto* word = memory.as<device::u64>();
  word[1] = 1;
  tracer.run({word, word + 1, word + 2, word + 3, word + 4, word + 5, word + 64, word + 512, 1, sizeof(TraceTask),
              sizeof(TraceResult), 0, 1});
  CHECK(word[3] == 0);
}

/// Number of border values, as blocks of cells write them, that differ from the reference.
template <class P>
std::int64_t wrong_borders(const testing::CudaTable& cuda, ReferenceTrace<P>& table, std::int64_t height,
                           std::int64_t width) {
  std::int64_t wrong = 0;
  for (std::int64_t row = cuda.cell_rows(); row < height; row += cuda.cell_rows()) {
    for (int plane = 0; plane < P::row_planes; ++plane) {
      const auto border = cuda.border_above<std::int32_t>(row, plane);
      for (std::int64_t j = 0; j < width; ++j) {
        wrong += border[static_cast<std::size_t>(j)] != (plane == 0 ? table.h(row - 1, j) : table.f(row, j));
      }
    }
  }
  for (std::int64_t column = cuda.cell_columns(); column < width; column += cuda.cell_columns()) {
    for (int plane = 0; plane < P::column_planes; ++plane) {
      const auto border = cuda.border_before<std::int32_t>(column, plane);
      for (std::int64_t i = 0; i < height; ++i) {
        wrong += border[static_cast<std::size_t>(i)] != (plane == 0 ? table.h(i, column - 1) : table.e(i, column));
      }
    }
    std::int64_t row = 0;
    for (const std::int32_t corner : cuda.corners_before<std::int32_t>(column)) {
      wrong += corner != table.h(row - 1, column - 1);
      row += cuda.cell_rows();
    }
  }
  return wrong;
}

/// A table, its cut into blocks, and their cut into cells.
struct CellCut {
  std::int64_t rows, columns, block_rows, block_columns, cell_rows, cell_columns;
};

constexpr CellCut cell_cuts[] = {
    {2100, 70, 2100, 70, 1024, 0},        {2048, 90, 2048, 40, 1024, 0},        {4200, 50, 2048, 50, 2048, 0},
    {3000, 65, 1024, 64, 1024, 0},        {200, 2100, 200, 2100, 0, 1024},      {90, 4100, 40, 2048, 0, 1024},
    {1100, 1100, 1100, 1100, 1024, 1024}, {1030, 1030, 1024, 1024, 1024, 1024}, {1100, 2100, 1024, 2048, 1024, 1024},
};

template <class P>
void compare_borders(device::Context& context, const CellCut& cut, const Settings& settings,
                     const std::vector<std::uint8_t>& rows, const std::vector<std::uint8_t>& columns,
                     const CudaTrial& trial) {
  ReferenceTrace<P> table(problem_constants<P>(settings), rows, columns);
  SweepSpec spec;
  spec.problem = P::name;
  spec.settings = settings;
  spec.schedule = with_all_work({});  // pruned sweeps keep other borders
  spec.rows = cut.rows;
  spec.columns = cut.columns;
  spec.block_rows = cut.block_rows;
  spec.block_columns = cut.block_columns;
  spec.cell_rows = cut.cell_rows;
  spec.cell_columns = cut.cell_columns;
  spec.value = spec.border = ElementType::i32;
  testing::CudaTable cuda(spec, context, {rows, columns, {}}, trial);
  cuda.run();
  INFO(P::name << " " << cut.rows << " x " << cut.columns << " in blocks of " << cut.block_rows << " x "
               << cut.block_columns << ", cells of " << cut.cell_rows << " x " << cut.cell_columns);
  REQUIRE(cuda.done == cuda.blocks());
  CHECK(wrong_borders<P>(cuda, table, cut.rows, cut.columns) == 0);
}

TEST_CASE("on CUDA sweeps keep the reference's borders between the cells of their blocks", "[cells]") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  test::for_each_letters_problem([&]<class P>(P) {
    // A simulated GPU, which is slow, tries half of them.
    for (const CellCut& cut : cell_cuts) {
      if (++turn % 2 != 0 && test::few_cases(*context)) continue;
      compare_borders<P>(*context, cut, test::sample_settings<P>(),
                         test::letters_for<P>(Letters::random, true, cut.rows, 5),
                         test::letters_for<P>(Letters::random, false, cut.columns, 6), test::trial_of(turn));
    }
  });
}

TEST_CASE("on CUDA borders are the reference's where scores have left 16 bits, in which cells are kept", "[cells]") {
  const auto context = test::cuda_context();
  if (!context) return;
  Settings affine;
  affine.set("match", 23.0);
  affine.set("mismatch", -30.0);
  Settings linear = affine;
  affine.set("gap_open", 30.0);
  affine.set("gap_extend", 1.0);
  linear.set("gap", 1.0);
  const auto rows = test::make_letters(Letters::random, true, 1500, 5);
  for (const CellCut& cut : {CellCut{1500, 1500, 1500, 1500, 1024, 1024}, CellCut{1500, 1500, 300, 400, 0, 0}}) {
    compare_borders<SmithWatermanAffine>(*context, cut, affine, rows, rows, {.pairs = true});
    compare_borders<SmithWatermanLinear>(*context, cut, linear, rows, rows, {.pairs = true});
  }
}

}  // namespace
}  // namespace terrace::wavefront
