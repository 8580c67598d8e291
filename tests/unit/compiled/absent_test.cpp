// Compilation at run time in a program without the CUDA Toolkit.
#include <catch2/catch.hpp>

#include "kernels/compiled/store.hpp"
#include "pipeline/base/error.hpp"
#include "samples.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::compiled {
namespace {

TEST_CASE("without the toolkit the reason is told, and nothing is compiled") {
  CHECK(Compiler::why_missing() == "this program was built without the CUDA Toolkit");
  const test::TempFolder folder;
  Store store{folder / "modules"};
  CHECK_THROWS_AS(store.binary(test::small_source(1), "sm_90"), DeviceError);
  CHECK(store.compilations().count == 0);
}

}  // namespace
}  // namespace terrace::compiled
