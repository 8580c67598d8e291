// Pairs on CUDA against the plain program of each pair's table.
#include <catch2/catch.hpp>

#include "kernels/device/memory.hpp"
#include "kernels/pairs/methods.hpp"
#include "tests/differential/pairs/compare.hpp"
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

}  // namespace
}  // namespace terrace::pairs::testing
