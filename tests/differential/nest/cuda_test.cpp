// Nests on CUDA against the loops as they are written.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "kernels/nest/cuda/tiles.hpp"
#include "tests/differential/nest/cases.hpp"
#include "tests/support/with_modules.hpp"

namespace terrace::nest {
namespace {

/// Nothing of a spec changes.
void as_it_is(NestSpec&) {}

TEST_CASE("edit distance on CUDA is the nest that everybody knows") {
  const test::WithModules with;
  if (with.context() != nullptr) testing::check_edit_distance(*with.context(), as_it_is);
}

TEST_CASE("random nests on CUDA equal the loops as written, in blocks and tiles of any size") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  testing::check_random_nests(*with.context(), test::few_cases(*with.context()) ? 8 : 60, as_it_is);
}

TEST_CASE("nests over grids with rims, on CUDA, equal the loops as written") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  testing::check_grids(*with.context(), test::few_cases(*with.context()) ? 4 : 60, as_it_is);
}

TEST_CASE("look-ups, narrow types and products on CUDA equal the loops as written") {
  const test::WithModules with;
  if (with.context() != nullptr) testing::check_examples(*with.context(), as_it_is);
}

TEST_CASE("a cell without a value is named on CUDA") {
  const test::WithModules with;
  if (with.context() != nullptr) testing::check_failures(*with.context(), as_it_is);
}

TEST_CASE("of several cells without a value the first one is named on CUDA") {
  const test::WithModules with;
  if (with.context() != nullptr) testing::check_first_failure(*with.context(), as_it_is);
}

TEST_CASE("of several elements without a value that no statement writes the first one is named on CUDA") {
  const test::WithModules with;
  if (with.context() != nullptr) testing::check_first_failure_outside(*with.context(), as_it_is);
}

TEST_CASE("a block on CUDA ends when the host aborts it") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  device::Context& context = *with.context();
  constexpr i64 side = 30000;  // half a minute on a simulated GPU
  Written made;
  made.loop("i", std::to_string(side)).loop("j", std::to_string(side)).array("D", ElementType::i32, "", "1");
  const NestSpec spec = testing::spec_of(made.cell("D[i][j] = (D[i-1][j] + D[i][j-1]) % 9").text);
  const NestMethod& method = *testing::methods_for(spec, context).front();
  const device::Memory workspace(context, method.workspace(spec, context.limits()));
  const auto kernel = method.make(spec, context, workspace.data());
  NestTask task{};
  task.end[0] = task.end[1] = side;
  const auto begun = std::chrono::steady_clock::now();
  const device::u64 done = testing::run_task(context, *kernel, task, [&](device::u64& word) {
    return std::jthread([&word] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      std::atomic_ref(word).store(1);
    });
  });
  // A GPU may be done before.
  if (!test::few_cases(context)) return;
  CHECK(done == 0);
  CHECK(std::chrono::steady_clock::now() - begun < std::chrono::seconds(10));
}

/// Without a device, too: the compiler needs none.
TEST_CASE("kernels of nests compile for CUDA") {
  if (!compiled::Compiler::why_missing().empty()) return;
  const compiled::Compiler compiler;
  std::mt19937 random(29);
  for (int trial = 0; trial < 3; ++trial) {
    for (const testing::NestSample& sample : testing::samples_of_text(random)) {
      device::Limits limits;
      limits.block_shared_bytes = trial == 0 ? 0 : 232448;
      const compiled::Binary binary = compiler.compile(CudaTiles(sample.spec, limits).source(sample.spec), "sm_90");
      CHECK(binary.symbols.size() == 4);
    }
    for (const testing::NestSample& sample : testing::samples_of_grid(random, 1, testing::grid_type(2 * trial))) {
      CHECK(!compiler.compile(CudaTiles(sample.spec, {}).source(sample.spec), "sm_90").bytes.empty());
    }
  }
}

}  // namespace
}  // namespace terrace::nest
