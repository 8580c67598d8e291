// The BLAS library that a stage records, and the memory that OpenBLAS works in.
#include "stages/recursive/blas_choice.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <vector>

#include "kernels/recursive/blas.hpp"
#include "kernels/recursive/problems.hpp"
#include "pipeline/base/error.hpp"
#include "stages/recursive/tiles.hpp"

namespace terrace::stages {
namespace {

const recursive::TileSpec product{recursive::find_semiring("plus_times"), ElementType::f32};

Resources on_cuda() {
  Resources resources;
  resources.cuda = true;
  resources.device.processors = 132;
  return resources;
}

/// The chosen library for products on a device of 132 processors.
std::string here() {
  const std::string& kind = recursive::cuda_blas_kind();
  return kind.empty() ? "no cuBLAS" : kind + " for 132 processors";
}

/// Goes on with the choices on CUDA.
void go_on(const nlohmann::json& choices, recursive::TileSpec spec = product) {
  job::Stage stage;
  stage.name = "c";
  const Resources resources = on_cuda();
  choose_blas(spec, {stage, {}, resources, &choices});
}

TEST_CASE("a stage records what multiplies real numbers on CUDA") {
  nlohmann::json choices;
  note_blas(choices, product, on_cuda());
  CHECK(choices == nlohmann::json{{"blas", here()}});
  go_on(choices);
  nlohmann::json none;
  note_blas(none, {recursive::find_semiring("min_plus"), ElementType::f32}, on_cuda());
  CHECK(none.is_null());
}

TEST_CASE("a run does not go on where another cuBLAS multiplies, or none, or none did") {
  for (const char* before : {"cuBLAS 11.0.0 for 132 processors", "cuBLAS 13.1.0 for 7 processors", "no cuBLAS"}) {
    if (before == here()) continue;
    const nlohmann::json choices{{"blas", before}};
    const std::string says = std::string("stage 'c' has computed with ") + before + ", and here is " + here();
    CHECK_THROWS_WITH(go_on(choices), Catch::Contains(says) && Catch::Contains("--fresh"));
    CHECK_NOTHROW(go_on(choices, {recursive::find_semiring("max_plus"), ElementType::f32}));
  }
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * ::sysconf(_SC_PAGESIZE);
}

/// Growth of a process's memory in its first product, in addition to the matrices, in KiB.
template <class T>
std::int64_t touched_by(std::int64_t side) {
  const auto count = static_cast<std::size_t>(side * side);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<T> u(count, 1), v(count, 1), x(count, 0);
    recursive::prepare_blas(1);
    // Code and tables of the library that the smallest product touches.
    recursive::blas_multiply({x.data(), 8}, {u.data(), 8}, {v.data(), 8}, 8, 8, 8, T{0}, T{1});
    const std::int64_t before = resident_bytes();
    recursive::blas_multiply({x.data(), side}, {u.data(), side}, {v.data(), side}, side, side, side, T{0}, T{1});
    const std::int64_t grown = resident_bytes() - before;
    ::_exit(::write(ends[1], &grown, sizeof grown) == static_cast<ssize_t>(sizeof grown) ? 0 : 1);
  }
  std::int64_t grown = -1;
  REQUIRE(::read(ends[0], &grown, sizeof grown) == static_cast<ssize_t>(sizeof grown));
  ::waitpid(child, nullptr, 0);
  return grown;
}

TEST_CASE("what OpenBLAS touches beside the matrices is as much as is planned for it, or less") {
  constexpr std::int64_t code = 512 << 10;  // pages of the library's larger kernels
  for (const std::int64_t side : {100, 256, 512, 1000, 2048}) {
    INFO("side " << side);
    CHECK(touched_by<float>(side) <= recursive::blas_bytes(side, 4) + code);
    CHECK(touched_by<double>(side) <= recursive::blas_bytes(side, 8) + code);
  }
  CHECK(touched_by<double>(2048) > 2 << 20);  // also by kernels for CPUs that OpenBLAS does not know
}

TEST_CASE("what OpenBLAS works in is a part of memory.host, for each thread") {
  Resources resources;
  resources.host_budget = resources.device_budget = 64 << 20;
  for (const int threads : {1, 4, 64}) {
    resources.device.processors = threads;
    const std::int64_t side = choose_tile(20000, product, resources);
    const std::int64_t beside = workspace_bytes(product, side, resources);
    INFO(threads << " threads, tiles of " << side);
    CHECK(beside == threads * recursive::blas_bytes(side, 4));
    CHECK(block_bytes(product, side) + beside <= 64 << 20);
    CHECK(side >= 256);
  }
  const recursive::TileSpec minima{recursive::find_semiring("min_plus"), ElementType::f32};
  CHECK(workspace_bytes(minima, 512, resources) == 0);
}

TEST_CASE("memory that OpenBLAS would wait for without end is an error that names it") {
  const pid_t child = ::fork();
  if (child == 0) {
    recursive::prepare_blas(1);
    recursive::prepare_blas(1);  // that one is there
    bool refused = false;
    std::ifstream file("/proc/self/statm");
    rlim_t taken = 0;
    file >> taken;
    // For one more, and not for two.
    const rlim_t most = taken * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + (rlim_t{200} << 20);
    const rlimit limit{most, most};
    ::setrlimit(RLIMIT_AS, &limit);
    recursive::prepare_blas(2);
    try {
      recursive::prepare_blas(3);
    } catch (const DeviceError& error) {
      refused = std::string(error.what()).find("no room for the 128 MiB of address space") != std::string::npos;
    }
    ::_exit(refused ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK((WIFEXITED(status) && WEXITSTATUS(status) == 0));
}

}  // namespace
}  // namespace terrace::stages
