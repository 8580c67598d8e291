// Nests compiled for the CPU, against the loops as they are written.
#include <catch2/catch.hpp>
#include <iostream>

#include "kernels/compiled/cxx.hpp"
#include "kernels/compiled/store.hpp"
#include "kernels/device/cpu_context.hpp"
#include "kernels/nest/tiling.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/nest/cases.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::nest {
namespace {

/// A CPU with three threads whose code is compiled in a folder of the test; none without a compiler.
class WithCompiler {
 public:
  WithCompiler() : context_(3), store_(io::Entry(folder_.path() / "objects")) {
    compiler_ = compiled::find_cxx();
    if (compiler_.command.empty()) std::cout << "SKIPPED: " << compiler_.why_none << std::endl;
    context_.take_modules_from(&store_);
  }
  bool is_there() const { return !compiler_.command.empty(); }
  device::Context& context() { return context_; }
  auto change() const {
    return [this](NestSpec& spec) { spec.compiler = compiler_; };
  }

 private:
  test::TempFolder folder_;
  device::CpuContext context_;
  compiled::Store store_;
  compiled::CxxCompiler compiler_;
};

TEST_CASE("a compiled edit distance is the nest that everybody knows") {
  WithCompiler with;
  if (with.is_there()) testing::check_edit_distance(with.context(), with.change());
}

TEST_CASE("random nests, compiled, equal the loops as written, in blocks and tiles of any size") {
  WithCompiler with;
  if (with.is_there()) testing::check_random_nests(with.context(), 6, with.change());
}

TEST_CASE("nests over grids with rims, compiled, equal the loops as written") {
  WithCompiler with;
  if (with.is_there()) testing::check_grids(with.context(), 4, with.change());
}

TEST_CASE("look-ups, narrow types and products, compiled, equal the loops as written") {
  WithCompiler with;
  if (with.is_there()) testing::check_examples(with.context(), with.change());
}

TEST_CASE("a cell without a value is named by compiled nests") {
  WithCompiler with;
  if (with.is_there()) testing::check_failures(with.context(), with.change());
}

TEST_CASE("of several cells without a value the first one is named by compiled nests") {
  WithCompiler with;
  if (with.is_there()) testing::check_first_failure(with.context(), with.change());
}

TEST_CASE("of several elements without a value that no statement writes the first one is named by compiled nests") {
  WithCompiler with;
  if (with.is_there()) testing::check_first_failure_outside(with.context(), with.change());
}

TEST_CASE("inputs whose elements do not follow one another are refused where code is compiled for others") {
  const std::vector<std::int32_t> x(10, 1);
  Written made;
  made.input("x", {5}, ElementType::i32).loop("i", "5").array("D", ElementType::i32, "", "0");
  const NestSpec spec = testing::spec_of(made.cell("D[i] = x[i] + D[i-1]").text);
  const int sides[] = {64};
  const Tiling tiling(spec, sides, false);
  NestTask task{};
  task.end[0] = 5;
  task.inputs[0] = {x.data(), {0}, {5}, {1}};
  CHECK(tiling.work(task, nullptr).tiles[0] == 1);
  task.inputs[0].stride[0] = 2;
  CHECK_THROWS_AS(tiling.work(task, nullptr), Error);
}

}  // namespace
}  // namespace terrace::nest
