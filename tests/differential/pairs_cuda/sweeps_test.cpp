// Swept pairs on CUDA against the plain program of each pair's table, and the longer items that lanes leave to them.
#include <catch2/catch.hpp>

#include "tests/differential/pairs/compare_swept.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::pairs::testing {
namespace {

TEST_CASE("on CUDA swept pairs give what their tables report") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool few = test::few_cases(*context);
  compare_all_swept(*context, few ? 2 : 5, few ? 150 : 3000, few ? 3 : 1);
}

/// Lanes compute the pairs of items of at most `longest` elements and write nothing of the others.
template <class Item, class Score>
void check_left_out(device::Context& context, const Kind& kind, const Block<Item>& block, i64 longest) {
  INFO(text_of(kind));
  PairsSpec spec = spec_of(kind, block, false);
  spec.most_pairs = block.count();
  const PairsMethod& method = choose_pairs_method(spec, device::Backend::cuda, context.limits());
  const auto scores = [&](const PairsSpec& of) {
    const device::Memory workspace(context, method.workspace(of, context.limits()));
    return run<Score>(context, *method.make(of, context, workspace.as<void>()), block, false).scores;
  };
  const auto all = scores(spec);
  spec.longest_row = spec.longest_column = longest;
  const auto some = scores(spec);
  i64 left_out = 0;
  for (i64 n = 0; n < block.count(); ++n) {
    const Pair pair = block.pair(n);
    const bool is_short = std::ssize(block.rows[static_cast<std::size_t>(pair.row)]) <= longest &&
                          std::ssize(block.columns[static_cast<std::size_t>(pair.column)]) <= longest;
    const auto at = static_cast<std::size_t>(n);
    CHECK(some[at] == (is_short ? all[at] : Score(77)));
    left_out += is_short ? 0 : 1;
  }
  CHECK(left_out > 0);
  CHECK(left_out < block.count());
}

TEST_CASE("on CUDA lanes leave pairs with longer items out") {
  const auto context = test::cuda_context();
  if (!context) return;
  Samples samples(5);
  const Kind local{"smith_waterman", {{"match", 2}, {"mismatch", -1}, {"gap", 1}}, {}, 4},
      edit{"edit_distance", {}, {}, 4},
      by_matrix{"smith_waterman", {{"gap_open", 11}, {"gap_extend", 1}}, {{"matrix", "blosum62"}}, 24};
  for (const Kind& kind : {local, edit, by_matrix}) {
    Block<u8> block{samples.letters(9, 0, 60, kind.codes), samples.letters(12, 0, 60, kind.codes), {}};
    check_left_out<u8, i32>(*context, kind, block, 40);
    block.pairs = samples.pairs(70, 9, 12);
    check_left_out<u8, i32>(*context, kind, block, 40);
  }
  const Block<float> block{samples.series<float>(6, 1, 60), samples.series<float>(7, 1, 60), {}};
  check_left_out<float, float>(*context, warpings(-1)[0], block, 40);
}

}  // namespace
}  // namespace terrace::pairs::testing
