#include "stages/recursive/blas_choice.hpp"

#include <catch2/catch.hpp>

#include "kernels/recursive/blas.hpp"
#include "kernels/recursive/problems.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {
namespace {

const recursive::TileSpec product{recursive::find_semiring("plus_times"), ElementType::f32};

Resources on_cuda() {
  Resources resources;
  resources.cuda = true;
  resources.device.processors = 132;
  return resources;
}

/// What multiplies on a device of 132 processors.
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

}  // namespace
}  // namespace terrace::stages
