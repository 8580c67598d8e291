// Alignments from lines kept in differences: in the whole table and in every band that the distance proves, they are
// the reference's, ties included.
#include <catch2/catch.hpp>
#include <memory>

#include "kernels/device/cpu_features.hpp"
#include "kernels/wavefront/cpu.hpp"
#include "tests/differential/wavefront/bit_lines.hpp"

namespace terrace::wavefront {
namespace {

using device::InstructionSet;
using test::Pair;
using test::Sequence;

/// Blocks of so many cells of so many rows and columns.
struct Cut {
  std::int64_t cell_rows, cell_columns, down, across;
};

template <class P>
SweepSpec spec_of(const Pair& pair, const Cut& cut) {
  SweepSpec spec;
  spec.problem = P::name;
  spec.rows = static_cast<std::int64_t>(pair.rows.size());
  spec.columns = static_cast<std::int64_t>(pair.columns.size());
  spec.block_rows = cut.cell_rows * cut.down;
  spec.block_columns = cut.cell_columns * cut.across;
  spec.value = spec.border = ElementType::i32;
  spec.bit_lines = BitLines{cut.cell_rows, cut.cell_columns};
  return spec;
}

template <class P>
std::string steps_of(const SweepSpec& spec, const Pair& pair, int threads, InstructionSet set) {
  const auto context = device::make_cpu_context(threads);
  test::TableMemory memory(spec, pair.rows, pair.columns, {});
  test::KeptBits kept(spec, P::Bits::planes, 5);
  const auto sweep = make_cpu_sweep(spec, *context, set);
  const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
  const auto fed =
      test::feed_tasks(*sweep, memory, 0, blocks, {}, [&](std::uint64_t block) { return kept.task(memory, block); });
  REQUIRE(fed.done == blocks);
  const auto tracer = make_cpu_bit_tracer(
      {P::name, {}, ElementType::i32, ElementType::i32, spec.bit_lines->rows, spec.bit_lines->columns});
  return test::walk_back(*tracer, kept, memory, spec);
}

/// The whole table, the narrowest band that holds all best paths, and wider ones.
template <class P>
void check(const Pair& pair, const Cut& cut, unsigned turn) {
  SweepSpec spec = spec_of<P>(pair, cut);
  const auto k = problem_constants<P>(Settings{});
  const std::string expected = reference_path<P>(k, pair.rows, pair.columns).steps;
  const std::int64_t proving = proving_margin(spec.rows, spec.columns, test::true_distance<P>(pair) + 1);
  const InstructionSet sets[] = {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512};
  const InstructionSet set = std::min(sets[turn % 3], device::best_instruction_set());
  for (const std::int64_t margin : {std::int64_t{0}, proving, proving + 1 + turn % 90}) {
    spec.band = margin == 0 ? DiagonalBand{} : band_of_margin(spec.rows, spec.columns, margin);
    INFO(P::name << ", " << pair.what << ", " << spec.rows << " x " << spec.columns << " in blocks of "
                 << spec.block_rows << " x " << spec.block_columns << ", cells of " << cut.cell_rows << " x "
                 << cut.cell_columns << ", margin " << margin << ", " << device::name_of(set));
    CHECK(steps_of<P>(spec, pair, 1 + static_cast<int>(turn % 3), set) == expected);
  }
}

constexpr Cut cuts[] = {{64, 64, 1, 1},   {64, 64, 40, 40}, {128, 64, 3, 5},    {64, 192, 4, 2},
                        {256, 256, 2, 9}, {320, 128, 2, 2}, {1024, 2048, 1, 1}, {64, 4096, 9, 1}};

TEST_CASE("alignments in the whole table and in proved bands are the reference's, in one block and in many") {
  unsigned turn = 0;
  for (const std::int64_t length : {1500, 1100}) {
    for (const Pair& pair : test::diagonal_pairs(length)) {
      check<EditDistance>(pair, cuts[turn % 8], turn);
      check<Lcs>(pair, cuts[(turn + 3) % 8], turn + 1);
      ++turn;
    }
  }
}

TEST_CASE("so are those of short and flat pairs, of few letters with many ties, and of equal ones") {
  unsigned turn = 0;
  for (const auto& [rows, columns] :
       {std::pair{1, 1}, std::pair{1, 300}, std::pair{300, 1}, std::pair{63, 65}, std::pair{64, 64},
        std::pair{65, 200}, std::pair{200, 130}, std::pair{333, 340}}) {
    for (unsigned seed = 0; seed < 6; ++seed) {
      Sequence a = test::random_letters(rows, seed), b = test::random_letters(columns, seed + 100);
      if (seed % 2 == 0) {  // two letters: many best alignments
        for (auto* letters : {&a, &b}) {
          for (auto& letter : *letters) letter %= 2;
        }
      }
      if (seed % 3 == 0) b = test::mutated(a, 20, seed);
      if (b.empty()) continue;
      check<EditDistance>({"short", a, b}, cuts[turn % 8], turn);
      check<Lcs>({"short", a, b}, cuts[turn % 8], turn);
      ++turn;
    }
  }
}

TEST_CASE("the margin for a distance and one more is one that every alignment outside costs more than") {
  for (std::int64_t columns : {50, 100, 160}) {
    for (std::int64_t distance = 60; distance < 200; ++distance) {
      CHECK(proven_distance(100, columns, proving_margin(100, columns, distance + 1)) > distance);
    }
  }
}

TEST_CASE("a tracer of differences refuses pieces that are no whole words, and problems without any") {
  CHECK_THROWS(make_cpu_bit_tracer({"lcs", {}, ElementType::i32, ElementType::i32, 64, 65}));
  CHECK(has_bits("edit_distance", {}));
  CHECK_FALSE(has_bits("dtw", test::sample_settings<DtwAbsolute1>()));
}

}  // namespace
}  // namespace terrace::wavefront
