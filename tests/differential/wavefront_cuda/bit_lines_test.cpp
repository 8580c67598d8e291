// Alignments on CUDA from lines kept in differences: in the whole table and in every band that the distance proves,
// they are the reference's, ties included.
#include <catch2/catch.hpp>

#include "tests/differential/wavefront/bit_lines.hpp"
#include "tests/differential/wavefront/run_trace.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"
#include "tests/differential/wavefront_cuda/device_tracer.hpp"

namespace terrace::wavefront {
namespace {

using test::BitCut;
using test::Pair;
using test::Sequence;

template <class P>
std::string steps_of(device::Context& context, test::PinnedArena& arena, const SweepSpec& spec, const Pair& pair,
                     std::int64_t pieces, const CudaTrial& trial) {
  arena.reset();
  testing::CudaTable cuda(spec, context, {pair.rows, pair.columns, {}}, trial);
  test::KeptBits kept(spec, P::Bits::planes);
  std::pmr::vector<device::u64> rows(kept.row_words(), arena.resource()),
      columns(kept.column_words(), arena.resource());
  test::fill_at_random(rows, 5);
  test::fill_at_random(columns, 6);
  kept.place(rows.data(), columns.data());
  cuda.keep_lines([&](const BlockTask& cells, std::uint64_t block) { return kept.task(cells, block); });
  cuda.run();
  REQUIRE(cuda.done == cuda.blocks());
  TraceSpec walk = test::walk_spec(spec);
  walk.pieces = pieces;
  test::DeviceTracer tracer(context, walk, trial, make_cuda_bit_tracer);
  return test::walk_back(spec, [&](const PathPlace& place) {
    const BlockTask cells = cuda.task(static_cast<std::int64_t>(kept.block_of(place)));
    return test::run_trace(kept.walk(cells, place), arena.resource(),
                           [&](const device::Port& port) { tracer.run(port); });
  });
}

template <class P>
void check(device::Context& context, test::PinnedArena& arena, const Pair& pair, const BitCut& cut, unsigned turn) {
  CudaTrial trial = test::trial_of(turn);
  trial.cells = false;
  trial.lane_rows = turn % 2 == 0 ? 32 : 64;
  test::for_each_band<P>(test::bit_spec<P>(pair, cut), pair, turn,
                         [&](const SweepSpec& spec, const std::string& expected) {
                           CHECK(steps_of<P>(context, arena, spec, pair, 1 + turn % 4, trial) == expected);
                         });
}

constexpr BitCut cuts[] = {{1024, 64, 1, 1},   {2048, 64, 2, 40},  {1024, 192, 3, 5},
                           {4096, 4096, 1, 1}, {1024, 1024, 4, 4}, {2048, 512, 1, 2}};

TEST_CASE("on CUDA alignments in the whole table and in proved bands are the reference's", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  test::PinnedArena arena(*context);
  unsigned turn = 0;
  for (const std::int64_t length : {2500, 1100}) {
    for (const Pair& pair : test::diagonal_pairs(length)) {
      ++turn;
      // A simulated GPU, which is slow, tries some of them.
      if (test::few_cases(*context) && turn % 4 != 1) continue;
      check<EditDistance>(*context, arena, pair, cuts[turn % 6], turn);
      check<Lcs>(*context, arena, pair, cuts[(turn + 3) % 6], turn + 1);
    }
  }
}

TEST_CASE("on CUDA so are those of short and flat pairs, of few letters with many ties, and of equal ones", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  test::PinnedArena arena(*context);
  unsigned turn = 0;
  for (const auto& [rows, columns] : {std::pair{1, 1}, std::pair{1, 300}, std::pair{300, 1}, std::pair{64, 64},
                                      std::pair{65, 200}, std::pair{200, 130}, std::pair{333, 340}}) {
    for (unsigned seed = 0; seed < 4; ++seed) {
      Sequence a = test::random_letters(rows, seed), b = test::random_letters(columns, seed + 100);
      if (seed % 2 == 0) {  // two letters: many best alignments
        for (auto* letters : {&a, &b}) {
          for (auto& letter : *letters) letter %= 2;
        }
      }
      if (seed == 3) b = test::mutated(a, 20, seed);
      if (b.empty()) continue;
      // Blocks shorter than any line except lines of columns.
      const BitCut cut{(rows + 63) / 64 * 64, 64 * (1 + seed % 2), 1, 1 + seed};
      check<EditDistance>(*context, arena, {"short", a, b}, cut, turn);
      check<Lcs>(*context, arena, {"short", a, b}, cut, turn++);
    }
  }
}

TEST_CASE("on CUDA a walk goes on where a full result has ended, through blocks of few columns", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  test::PinnedArena arena(*context);
  const Sequence rows = test::random_letters(9000, 1), few(rows.begin(), rows.begin() + 40);
  check<Lcs>(*context, arena, {"tall", rows, few}, {1024, 64, 9, 1}, 2);
  check<EditDistance>(*context, arena, {"flat", few, rows}, {64, 4096, 1, 3}, 3);
}

TEST_CASE("on CUDA lines in differences are refused where no band ends, and of problems without such a form") {
  const auto context = test::cuda_context();
  if (!context) return;
  const Pair pair{"refused", test::random_letters(3000, 1), test::random_letters(200, 2)};
  const auto refused = [&](const SweepSpec& spec) {
    device::Memory memory(*context, 1 << 24);
    CHECK_THROWS_AS(make_cuda_sweep(spec, *context, memory.as<>(), CudaTrial{}), DeviceError);
  };
  refused(test::bit_spec<Lcs>(pair, {512, 64, 2, 2}));
  refused(test::bit_spec<Lcs>(pair, {1024, 32, 2, 2}));
  SweepSpec tables = test::bit_spec<Lcs>(pair, {1024, 64, 2, 2});
  tables.table = ElementType::i32;
  refused(tables);
  device::Memory memory(*context, 1 << 20);
  const auto make = [&](const char* problem, std::int64_t columns) {
    return make_cuda_bit_tracer({problem, {}, ElementType::i32, ElementType::i32, 64, columns}, *context,
                                memory.as<>());
  };
  CHECK_THROWS_AS(make("lcs", 65), DeviceError);
  CHECK_THROWS_AS(make("summed_area", 64), DeviceError);
}

}  // namespace
}  // namespace terrace::wavefront
