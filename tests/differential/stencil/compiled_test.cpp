// Stencils whose cells a job writes as formulas, compiled by the compiler of C++ of this machine, against their
// definition, to the bit.
#include <catch2/catch.hpp>

#include "kernels/compiled/cxx.hpp"
#include "kernels/compiled/store.hpp"
#include "kernels/device/cpu_context.hpp"
#include "kernels/stencil/compiled.hpp"
#include "kernels/stencil/cpu/sweep.hpp"
#include "tests/differential/stencil/compare.hpp"
#include "tests/differential/stencil/written_examples.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::stencil {
namespace {

using device::InstructionSet;

/// A CPU whose kernels are compiled in a folder of the test.
class WithStore {
 public:
  WithStore() : context_(2), store_(io::Entry(folder_.path() / "modules")) {
    compiler_ = compiled::find_cxx();
    if (compiler_.command.empty()) WARN("skipped: there is no compiler of C++");
    context_.take_modules_from(&store_);
  }
  bool has_compiler() const { return !compiler_.command.empty(); }
  int compilations() const { return store_.compilations().count; }

  void check(testing::SampleMaker& maker, testing::Sample sample, InstructionSet set) {
    if (set > device::best_instruction_set()) return;
    sample.spec.compiler = compiler_;
    testing::check_sample(maker, sample, context_,
                          [&](const StencilSpec& spec) { return make_stencil_compiled(spec, context_, set); });
  }

 private:
  test::TempFolder folder_;
  device::CpuContext context_;
  compiled::Store store_;
  compiled::CxxCompiler compiler_;
};

TEST_CASE("compiled formulas give the bits of their definition") {
  WithStore with;
  if (!with.has_compiler()) return;
  unsigned seed = 90000;
  for (const testing::Example& example : testing::examples()) {
    testing::SampleMaker maker(++seed, 0, 0);
    const ElementType type = maker.chance(50) ? ElementType::f32 : ElementType::f64;
    INFO(example.name << ", seed " << seed);
    with.check(
        maker,
        perhaps_with_points(maker, sample_of(maker, example, type, example.rank == 3 ? 12 : 60, maker.below(300))),
        device::best_instruction_set());
  }
  CHECK(with.compilations() == static_cast<int>(testing::examples().size()));
}

TEST_CASE("random compiled formulas give the bits of their definition") {
  WithStore with;
  if (!with.has_compiler()) return;
  for (unsigned seed = 91000; seed < 91006; ++seed) {
    testing::SampleMaker maker(seed, 3000, 12);
    const testing::Sample sample = perhaps_with_points(maker, maker.make_written());
    if (seed % 4 == 3) maker.take_edge_values();
    INFO("seed " << seed);
    const InstructionSet sets[] = {device::best_instruction_set(), InstructionSet::avx2, InstructionSet::sse2};
    with.check(maker, sample, sets[seed % 5 < 3 ? 0 : seed % 5 - 2]);
  }
}

}  // namespace
}  // namespace terrace::stencil
