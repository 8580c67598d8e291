// Pairs on CUDA against the plain program of each pair's table.
#include <catch2/catch.hpp>

#include "kernels/device/memory.hpp"
#include "kernels/pairs/methods.hpp"
#include "tests/differential/pairs/limits.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::pairs::testing {
namespace {

/// A kernel with its workspace.
class OwningKernel final : public device::BlockKernel {
 public:
  OwningKernel(const PairsSpec& spec, device::Context& context)
      : OwningKernel(choose(spec, context), spec, context) {}
  void run(const device::Port& port) override { kernel_->run(port); }

 private:
  OwningKernel(const PairsMethod& method, const PairsSpec& spec, device::Context& context)
      : workspace_(context, method.workspace(spec, context.limits())),
        kernel_(method.make(spec, context, workspace_.as<void>())) {}
  static const PairsMethod& choose(const PairsSpec& spec, device::Context& context) {
    return choose_pairs_method(spec, device::Backend::cuda, context.limits());
  }

  device::Memory workspace_;
  std::unique_ptr<device::BlockKernel> kernel_;
};

template <class Item>
void compare_on(device::Context& context, const Kind& kind, const Block<Item>& block, bool ends,
                double at_most = -2) {
  PairsSpec spec = spec_of(kind, block, ends);
  spec.most_pairs = block.count();
  if (at_most > -2) spec.at_most = at_most;
  INFO(text_of(kind) << ", ends: " << ends << ", at most " << at_most);
  if (choose_method(pairs_methods(), device::Backend::cuda, "auto", spec, context.limits()) == nullptr) return;
  compare(context, spec, block, [&](const PairsSpec& made) { return std::make_unique<OwningKernel>(made, context); });
}

TEST_CASE("on CUDA alignments of pairs give what their tables report") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool few = test::few_cases(*context);
  Samples samples(1);
  i64 number = 0;
  for (const Kind& kind : alignments()) {
    // A few lanes a pair, a warp, and several strips of rows, in turn.
    for (const i64 longest : few ? std::vector<i64>{number % 3 == 0   ? 40
                                                    : number % 3 == 1 ? 200
                                                                      : 600}
                                 : std::vector<i64>{40, 150, 200, 700, 2000}) {
      const i64 rows = few ? 3 : 20;
      Block<u8> block{samples.letters(rows, 0, longest, kind.codes),
                      samples.letters(rows, 0, few ? 50 : longest, kind.codes),
                      {}};
      block.rows.push_back(samples.letters(1, longest, longest, kind.codes)[0]);
      for (const bool ends : {false, true}) compare_on(*context, kind, block, ends);
      if (number % 5 == 0 || !few) {
        block.pairs = samples.pairs(few ? 7 : 200, rows, rows);
        compare_on(*context, kind, block, false);
      }
    }
    ++number;
  }
}

TEST_CASE("on CUDA distances by bits give what their tables report") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool few = test::few_cases(*context);
  Samples samples(2);
  for (const Kind& kind : distances()) {
    for (const i64 longest : {60, 300, 800}) {
      const i64 count = few ? 4 : 40;
      Block<u8> block{
          samples.letters(count, 0, longest, kind.codes), samples.letters(count, 0, longest, kind.codes), {}};
      block.columns.push_back(block.rows[1]);
      compare_on(*context, kind, block, longest == 60);
      if (kind.problem != "edit_distance") continue;
      for (const double limit : {-1.0, 0.0, 9.5, 100.0, 300.0}) compare_on(*context, kind, block, false, limit);
    }
  }
}

template <class T>
void compare_series(device::Context& context, Samples& samples, bool few) {
  i64 number = 0;
  for (const i64 window : {-2, -1, 0, 2, 40, 300}) {
    for (const Kind& kind : warpings(window)) {
      const i64 longest = few ? (++number % 3 == 0 ? 600 : 60) : 1500, count = few ? 3 : 20;
      const Block<T> block{
          samples.template series<T>(count, 0, longest), samples.template series<T>(count, 0, longest), {}};
      compare_on(context, kind, block, true);
      if (!few) compare_on(context, kind, block, false, 2000);
    }
  }
}

TEST_CASE("on CUDA series cost what their tables report, to the bit") {
  const auto context = test::cuda_context();
  if (!context) return;
  Samples samples(3);
  compare_series<float>(*context, samples, test::few_cases(*context));
  compare_series<double>(*context, samples, test::few_cases(*context));
}

/// A kernel of each spec for a device.
auto kernels_on(device::Context& context) {
  return [&context](const PairsSpec& spec) { return std::make_unique<OwningKernel>(spec, context); };
}

/// Series of values about 0, each near one of the other side. Their ranges bound no cost: only the first pair and the
/// last one do, whose distances are together less than the cost of series that are near.
template <class T>
Block<T> noise(Samples& samples, i64 count, i64 rows) {
  Block<T> block{samples.series<T>(count, rows, rows + 20), {}, {}};
  block.columns = block.rows;
  for (auto& item : block.columns) {
    for (T& value : item) value += static_cast<T>(samples.draw(-5, 5));
  }
  return block;
}

template <class T>
void compare_with_limits(device::Context& context, Samples& samples, bool few) {
  const auto make = kernels_on(context);
  std::size_t number = 0;
  for (const i64 window : {-2, -1, 45, 200}) {
    const std::vector<Kind> kinds = warpings(window);
    for (std::size_t at = 0; at < (few ? 1 : kinds.size()); ++at) {
      const Kind& kind = kinds[few ? number++ % kinds.size() : at];
      INFO(text_of(kind));
      CHECK(compare_limits<T>(context, kind, samples, few ? 4 : 20, few ? 6 : 30, make) > (few ? 10 : 200));
    }
  }
}

TEST_CASE("on CUDA series with a limit cost the same up to it, and those that exceed it are left") {
  const auto context = test::cuda_context();
  if (!context) return;
  Samples samples(9);
  compare_with_limits<float>(*context, samples, test::few_cases(*context));
  compare_with_limits<double>(*context, samples, test::few_cases(*context));
}

TEST_CASE("on CUDA pairs of series are left out by bounds of their costs") {
  const auto context = test::cuda_context();
  if (!context) return;
  Samples samples(10);
  // No pair of free columns is left on the way.
  const Block<float> block{waves<float>(samples, 5, 60, 90), waves<float>(samples, 5, 90, 130), {}};
  CHECK(compare_limits(*context, warpings(-2)[0], block, kernels_on(*context)) > 10);
  // The least costs of pairs are far from each other.
  const Block<double> apart{{{0, 0, 0}, {5, 5}, {0, 9, 0}}, {{1, 1, 1}, {5, 5, 5, 5}}, {}};
  PairsSpec spec = spec_of(warpings(-1)[0], apart, false);
  spec.most_pairs = apart.count();
  spec.at_most = 6;
  CHECK(compare(*context, spec, apart, kernels_on(*context)).stopped == 4);
}

TEST_CASE("on CUDA pairs of series are left on the way when all cells exceed the limit") {
  const auto context = test::cuda_context();
  if (!context) return;
  Samples samples(11);
  // Tables of one strip of rows, and of several.
  for (const i64 rows : {200, 300, 480, 600}) {
    const Block<double> block = noise<double>(samples, 2, rows);
    CHECK(compare_limits(*context, warpings(-1)[0], block, kernels_on(*context)) > 2);
  }
  // A window keeps cells of the edges of rows apart.
  const Block<float> block = noise<float>(samples, 2, 300);
  CHECK(compare_limits(*context, warpings(40)[0], block, kernels_on(*context)) > 2);
}

}  // namespace
}  // namespace terrace::pairs::testing
