// The headers that code made at run time is compiled from need no host library header: NVRTC takes them.
#include <nvrtc.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace {

const std::filesystem::path source_dir = TERRACE_SOURCE_DIR;

/// NVRTC's log for the source; empty when it compiles without a warning.
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

/// The headers that DEVICE_HEADERS in includes.py lists, and those that they include.
std::vector<std::string> device_headers() {
  const std::filesystem::path lister = source_dir / "tests" / "unit" / "frame" / "includes.py";
  std::string command = TERRACE_PYTHON;
  command.append(" -B ").append(lister.string()).append(" --device-headers ").append(source_dir.string());
  const std::unique_ptr<FILE, int (*)(FILE*)> output(popen(command.c_str(), "r"), pclose);
  REQUIRE(output != nullptr);
  std::vector<std::string> headers;
  for (std::array<char, 512> line; std::fgets(line.data(), line.size(), output.get()) != nullptr;) {
    headers.emplace_back(line.data());
    headers.back().pop_back();  // the end of the line
  }
  return headers;
}

TEST_CASE("every device header compiles at run time on its own") {
  const std::vector<std::string> headers = device_headers();
  for (const char* known : {"kernels/launch/port.cuh", "kernels/wavefront/cuda/bands/kernel.cuh",
                            "kernels/in_place/cuda/kernel.cuh", "kernels/recursive/semiring_list.hpp"}) {
    INFO(known);
    CHECK(std::count(headers.begin(), headers.end(), known) == 1);
  }
  for (const std::string& header : headers) {
    INFO(header);
    CHECK(compile_log("#include \"" + header + "\"\n") == "");
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
