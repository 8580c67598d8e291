#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "kernels/compiled/device_headers.hpp"
#include "pipeline/base/error.hpp"
#include "samples.hpp"

namespace terrace::compiled {
namespace {

using Catch::Contains;

Binary timed(const std::string& what, const Source& source) {
  const Compiler compiler;
  const auto begin = std::chrono::steady_clock::now();
  Binary binary = compiler.compile(source, "sm_90");
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  std::cout << what << ": compiled by " << compiler.identity() << " in " << time.count() << " s" << std::endl;
  return binary;
}

TEST_CASE("device headers are in the program, and those that a text includes are found") {
  CHECK(device_headers().size() > 100);
  CHECK(std::ranges::is_sorted(device_headers(), {}, &DeviceHeader::name));
  const std::vector<DeviceHeader> headers = headers_of(test::step_source().text);
  const auto has = [&](std::string_view name) { return std::ranges::count(headers, name, &DeviceHeader::name) == 1; };
  CHECK(has("kernels/stencil/cuda/steps/kernel.cuh"));
  CHECK(has("kernels/device/host_device.hpp"));
  CHECK_FALSE(has("kernels/stencil/cuda/planes/kernel.cuh"));
  CHECK(headers_of("#include \"no_such_header.hpp\"\n#include \"").empty());
}

TEST_CASE("kernels of the program are compiled with a formula that it did not know") {
  if (!test::has_compiler()) return;
  const Binary binary = timed("step_kernel", test::step_source());
  CHECK(binary.compiler == Compiler().identity());
  CHECK(binary.bytes.starts_with("\177ELF"));
  CHECK(binary.symbols.size() == 1);
}

TEST_CASE("kernels that make several steps are compiled by NVRTC") {
  if (!test::has_compiler()) return;
  // The simulated GPU's compiler takes many seconds for each, and its tests compile them with the program.
  if (!Compiler().identity().starts_with("NVRTC")) return;
  const std::string rows = test::heat_formula(
      "#include \"kernels/stencil/cuda/rows/formula_level.cuh\"\n#include "
      "\"kernels/stencil/cuda/rows/kernel.cuh\"\n");
  timed("stream_kernel of f32",
        {rows,
         {"terrace::stencil::stream_kernel<terrace::stencil::FormulaShape<terrace::stencil::Cell, float, 0, "
          "terrace::stencil::measured::CudaFormulaStream::sizes(1, false, 4)>>"}});
  timed("stream_kernel of f64",
        {rows,
         {"terrace::stencil::stream_kernel<terrace::stencil::FormulaShape<terrace::stencil::Cell, double, 0, "
          "terrace::stencil::measured::CudaFormulaStream::sizes(1, false, 8)>>"}});
  timed("volume_kernel", {"#include \"kernels/stencil/cuda/planes/kernel.cuh\"\n"
                          "#include \"kernels/stencil/operators/heat.hpp\"\n"
                          "using namespace terrace::stencil;\n"
                          "using Shape = VolumeShape<float, VolumeKind::parts, 1, "
                          "measured::CudaVolume::part_sizes(1, 1, 4), Heat<3>>;\n",
                          {"volume_kernel<Shape, true>"}});
  timed("find_changes_kernel",
        {"#include \"kernels/stencil/cuda/common/change_kernel.cuh\"\n",
         {"terrace::stencil::find_changes_kernel<float>", "terrace::stencil::find_changes_kernel<double>"}});
}

TEST_CASE("an architecture that NVRTC does not know is compiled for by way of one before it") {
  if (!test::has_compiler() || !Compiler().identity().starts_with("NVRTC")) return;
  const Binary binary = Compiler().compile(test::small_source(1), "sm_999");
  CHECK_THAT(binary.bytes, Contains(".visible .entry " + binary.symbols.at(0)));
  CHECK_THROWS_AS(Compiler().compile(test::small_source(1), "sm_10"), DeviceError);
}

TEST_CASE("names of kernels are expressions, and symbols have their order") {
  if (!test::has_compiler()) return;
  const Binary binary =
      Compiler().compile({"namespace sample {\n"
                          "template <class T> __global__ void fill_kernel(T* to) { *to = 1; }\n"
                          "__global__ void clear_kernel(int* to) { *to = 0; }\n"
                          "}\n",
                          {"sample::fill_kernel<float>", "sample::clear_kernel", "sample::fill_kernel<long long>"}},
                         "sm_90");
  REQUIRE(binary.symbols.size() == 3);
  for (const std::string& symbol : binary.symbols) CHECK(binary.bytes.find(symbol) != std::string::npos);
  CHECK(binary.symbols[0] != binary.symbols[2]);
}

TEST_CASE("a source that does not compile is an error with the compiler's log") {
  if (!test::has_compiler()) return;
  const Source wrong{"__global__ void wrong_kernel(int* to) { *to = unknown_name; }\n", {"wrong_kernel"}};
  CHECK_THROWS_WITH(Compiler().compile(wrong, "sm_90"), Contains("unknown_name") && Contains("not in the job"));
  const Source unnamed{"__global__ void some_kernel(int* to) { *to = 1; }\n", {"other_kernel"}};
  CHECK_THROWS_AS(Compiler().compile(unnamed, "sm_90"), DeviceError);
  const Source outside{"#include \"no_such_header.hpp\"\n", {}};
  CHECK_THROWS_WITH(Compiler().compile(outside, "sm_90"), Contains("no_such_header.hpp"));
}

}  // namespace
}  // namespace terrace::compiled
