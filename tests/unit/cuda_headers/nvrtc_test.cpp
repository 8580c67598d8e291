// The headers that code made at run time is compiled from need no host library header: NVRTC takes them.
#include <nvrtc.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

namespace {

const std::filesystem::path source_dir = TERRACE_SOURCE_DIR;

/// What NVRTC says of the source; empty when it compiles without a warning.
std::string compile_log(const std::string& source) {
  nvrtcProgram program = nullptr;
  REQUIRE(nvrtcCreateProgram(&program, source.c_str(), "test.cu", 0, nullptr, nullptr) == NVRTC_SUCCESS);
  const std::string include = "--include-path=" + source_dir.string();
  const char* options[] = {"--gpu-architecture=compute_90", "--std=c++20", "-default-device", include.c_str()};
  const nvrtcResult result = nvrtcCompileProgram(program, 4, options);
  std::size_t size = 0;
  REQUIRE(nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS);
  std::string log(size, '\0');
  REQUIRE(nvrtcGetProgramLog(program, log.data()) == NVRTC_SUCCESS);
  nvrtcDestroyProgram(&program);
  log.resize(size > 0 ? size - 1 : 0);
  return result == NVRTC_SUCCESS ? log : nvrtcGetErrorString(result) + ("\n" + log);
}

TEST_CASE("every header of wavefront kernels and problems compiles at run time on its own") {
  std::vector<std::string> headers{"kernels/launch/port.cuh",
                                   "kernels/wavefront/problem.hpp",
                                   "kernels/wavefront/problem_list.hpp",
                                   "kernels/wavefront/measured.hpp",
                                   "kernels/wavefront/cuda/bands/kernel.cuh",
                                   "kernels/wavefront/cuda/letters/sweep.cuh",
                                   "kernels/wavefront/cuda/pairs/sweep.cuh",
                                   "kernels/wavefront/cuda/bits/kernel.cuh",
                                   "kernels/wavefront/cuda/trace/kernel.cuh",
                                   "kernels/wavefront/cuda/sums/kernel.cuh",
                                   "kernels/wavefront/cuda/schedules/kernel.cuh",
                                   "kernels/wavefront/cuda/sums/strip_kernel.cuh",
                                   "kernels/wavefront/keys.hpp",
                                   "kernels/in_place/problem_list.hpp",
                                   "kernels/in_place/measured.hpp",
                                   "kernels/in_place/cuda/kernel.cuh"};
  for (const char* folder : {"kernels/wavefront/problems", "kernels/in_place/problems"}) {
    for (const auto& entry : std::filesystem::directory_iterator(source_dir / folder)) {
      headers.push_back(std::filesystem::relative(entry.path(), source_dir).string());
    }
  }
  for (const std::string& header : headers) {
    INFO(header);
    CHECK(compile_log("#include \"" + header + "\"\n") == "");
  }
}

TEST_CASE("every header of recursive kernels compiles at run time on its own") {
  for (const char* header :
       {"measured.hpp", "semiring_list.hpp", "rules/trail.hpp", "rules/elimination.hpp", "cuda/products/tile.hpp",
        "cuda/products/words.cuh", "cuda/products/kernel.cuh", "cuda/tile_state.cuh",
        "cuda/floyd_warshall_kernel.cuh", "cuda/paths/relax_kernel.cuh", "cuda/paths/kernel.cuh",
        "cuda/bits/kernel.cuh", "cuda/reduction_kernel.cuh", "cuda/elimination/kernel.cuh", "cuda/intervals/tile.cuh",
        "cuda/intervals/part.cuh", "cuda/intervals/kernel.cuh", "cuda/intervals/weighted_kernel.cuh"}) {
    INFO(header);
    CHECK(compile_log(std::string("#include \"kernels/recursive/") + header + "\"\n") == "");
  }
}

TEST_CASE("a kernel of a problem can be made at run time") {
  CHECK(compile_log("#include \"kernels/wavefront/cuda/bands/kernel.cuh\"\n"
                    "#include \"kernels/wavefront/cuda/letters/sweep.cuh\"\n"
                    "#include \"kernels/wavefront/problem_list.hpp\"\n"
                    "using namespace terrace::wavefront;\n"
                    "__device__ auto* kernel = &sweep_bands_kernel<LetterSweep<SmithWatermanAffine, Word, 4, 1, "
                    "Keep::table, false>>;\n") == "");
  CHECK(compile_log("#include \"kernels/recursive/cuda/floyd_warshall_kernel.cuh\"\n"
                    "using namespace terrace::recursive;\n"
                    "__device__ auto* kernel = &multiply_kernel<MinPlus, float>;\n"
                    "__device__ auto* closing = &close_panels_kernel<MinPlus, i16>;\n") == "");
}

TEST_CASE("what does not compile is noticed") { CHECK(compile_log("#include <vector>\n") != ""); }

}  // namespace
