// Alignments from lines kept in differences: in the whole table and in every band that the distance proves, they are
// the reference's, ties included.
#include <catch2/catch.hpp>
#include <memory>

#include "kernels/device/cpu_features.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "tests/differential/wavefront/bit_lines.hpp"
#include "tests/differential/wavefront/run_trace.hpp"

namespace terrace::wavefront {
namespace {

using device::InstructionSet;
using Cut = test::BitCut;
using test::Pair;
using test::Sequence;

template <class P>
std::string steps_of(const SweepSpec& spec, const Pair& pair, int threads, InstructionSet set) {
  const auto context = device::make_cpu_context(threads);
  test::TableMemory memory(spec, pair.rows, pair.columns, {});
  test::KeptBits kept(spec, P::Bits::planes);
  std::vector<device::u64> rows(kept.row_words()), columns(kept.column_words());
  test::fill_at_random(rows, 5);
  test::fill_at_random(columns, 6);
  kept.place(rows.data(), columns.data());
  const auto sweep = make_cpu_sweep(spec, *context, set);
  const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
  const auto fed = test::feed_tasks(*sweep, memory, 0, blocks, {},
                                    [&](std::uint64_t block) { return kept.task(memory.task(block), block); });
  REQUIRE(fed.done == blocks);
  const auto tracer = make_cpu_bit_tracer(test::walk_spec(spec));
  return test::walk_back(spec, [&](const PathPlace& place) {
    return test::run_trace(kept.walk(memory.task(kept.block_of(place)), place), std::pmr::get_default_resource(),
                           [&](const device::Port& port) { tracer->run(port); });
  });
}

template <class P>
void check(const Pair& pair, const Cut& cut, unsigned turn) {
  const InstructionSet sets[] = {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512};
  const InstructionSet set = std::min(sets[turn % 3], device::best_instruction_set());
  INFO(device::name_of(set));
  test::for_each_band<P>(test::bit_spec<P>(pair, cut), pair, turn,
                         [&](const SweepSpec& spec, const std::string& expected) {
                           CHECK(steps_of<P>(spec, pair, 1 + static_cast<int>(turn % 3), set) == expected);
                         });
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
