// Nests compiled for the CPU, against the loops as they are written.
#include <catch2/catch.hpp>
#include <iostream>

#include "kernels/compiled/cxx.hpp"
#include "kernels/compiled/store.hpp"
#include "kernels/device/cpu_context.hpp"
#include "tests/differential/nest/cases.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::nest {
namespace {

/// A CPU with three threads whose code is compiled in a folder of the test; none without a compiler.
class WithCompiler {
 public:
  WithCompiler() : context_(3), store_(io::Entry(folder_.path() / "objects")) {
    compiler_.command = compiled::cxx_command(&compiler_.why_none);
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
  NestCompiler compiler_;
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

}  // namespace
}  // namespace terrace::nest
