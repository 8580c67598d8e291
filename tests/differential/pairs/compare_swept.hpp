// Blocks of swept pairs, against the plain program of each pair's table.
#pragma once

#include "kernels/pairs/methods.hpp"
#include "kernels/pairs/sweeps.hpp"
#include "tests/differential/pairs/compare.hpp"

namespace terrace::pairs::testing {

/// Computes all pairs of a rectangle as one block of the method's kernel.
template <class Score, class Item>
Found<Score> run_swept(device::Context& context, const PairsSpec& spec, const Block<Item>& block) {
  const Joined<Item> rows(block.rows), columns(block.columns);
  const auto count = static_cast<std::size_t>(block.count());
  const Copied<Item> row_items(context, rows.elements), column_items(context, columns.elements);
  SweptPairs listed;
  for (i64 n = 0; n < block.count(); ++n) {
    const auto row = static_cast<std::size_t>(block.pair(n).row),
               column = static_cast<std::size_t>(block.pair(n).column);
    listed.pairs.push_back({row_items.data() + rows.begin[row], column_items.data() + columns.begin[column],
                            std::ssize(block.rows[row]), std::ssize(block.columns[column])});
  }
  const Copied<Score> scores(context, std::vector<Score>(count, Score(77)));
  const Copied<End> ends(context, std::vector<End>(count, End{-7, -7}));
  const Copied<device::u64> words(context, {1, 0, 0, 0, 0, 0});
  const Copied<SweepsTask> task(context, {{&listed, scores.data(), spec.ends ? ends.data() : nullptr}});
  const Copied<PairsResult> result(context, {{-1, -1}});
  const PairsMethod* method = device::find_method(pairs_methods(), device::backend_of(context), sweeps_name);
  REQUIRE(method != nullptr);
  std::optional<device::Memory> workspace;
  if (!context.shares_host_memory()) workspace.emplace(context, method->workspace(spec, context.limits()));
  const auto kernel = method->make(spec, context, workspace ? workspace->as<void>() : nullptr);
  device::u64* word = words.data();
  kernel->run({word, word + 1, word + 2, word + 3, word + 4, word + 5, task.data(), result.data(), 1,
               sizeof(SweepsTask), sizeof(PairsResult), 0, 1});
  context.record(device::Queue::compute)->wait();
  REQUIRE(word[3] == 1);
  CHECK(listed.ended);
  return {{scores.data(), scores.data() + count}, {ends.data(), ends.data() + count}, *result.data()};
}

/// Compares swept pairs of a rectangle with the plain program of their tables, with ends where there are any.
template <class Item>
void compare_swept(device::Context& context, const Kind& kind, const Block<Item>& block, double at_most = -2) {
  PairsSpec spec = spec_of(kind, block, true);
  if (at_most > -2) spec.at_most = at_most;
  INFO(text_of(kind) << ", swept, at most " << at_most);
  if constexpr (!std::is_same_v<Item, u8>) {
    compare_found(spec, block, run_swept<Item>(context, spec, block));
  } else {
    if (spec.value == ElementType::i32) compare_found(spec, block, run_swept<i32>(context, spec, block));
    else compare_found(spec, block, run_swept<i64>(context, spec, block));
  }
}

/// Sequences of all problems, and of lengths from 0 to `longest`, and series.
inline void compare_all_swept(device::Context& context, i64 count, i64 longest, std::size_t every) {
  Samples samples(21);
  std::vector<Kind> kinds = alignments();
  for (const Kind& kind : distances()) kinds.push_back(kind);
  for (std::size_t number = 0; number < kinds.size(); number += every) {
    const Kind& kind = kinds[number];
    Block<u8> block{
        samples.letters(count, 0, longest, kind.codes), samples.letters(count, 0, longest, kind.codes), {}};
    block.rows.emplace_back();
    compare_swept(context, kind, block);
    if (kind.problem == "edit_distance") compare_swept(context, kind, block, 30);
  }
  for (const i64 window : {-2, -1, 9, 400}) {
    for (const Kind& kind : warpings(window)) {
      compare_swept(
          context, kind,
          Block<float>{samples.series<float>(count, 0, longest), samples.series<float>(count, 0, longest), {}});
      const Block<double> block{
          samples.series<double>(count, 0, longest), samples.series<double>(count, 0, longest), {}};
      compare_swept(context, kind, block);
      compare_swept(context, kind, block, 5000);
    }
  }
}

}  // namespace terrace::pairs::testing
