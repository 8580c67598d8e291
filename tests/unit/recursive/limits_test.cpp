// The limits of updates of tiles on CUDA.
#include "kernels/recursive/limits.hpp"

#include <catch2/catch.hpp>

#include "kernels/recursive/problems.hpp"
#include "stages/recursive/rates.hpp"

namespace terrace::recursive {
namespace {

device::Limits gpu() {
  device::Limits limits;
  limits.operations_per_second = 16e12;
  return limits;
}

double limit_of(const char* semiring, ElementType value, Table table = Table::values) {
  return cuda_limit_of_updates({find_semiring(semiring), value, table}, gpu()) / 1e12;
}

TEST_CASE("The limit of updates is that of the instructions which kernels of the algebra and the type are made of") {
  CHECK(limit_of("min_plus", ElementType::f32) == Approx(64.0 / 3));
  CHECK(limit_of("max_plus", ElementType::i32) == Approx(64.0 / 3));
  CHECK(limit_of("max_plus", ElementType::f32) == Approx(16));  // no maximum of three
  CHECK(limit_of("min_plus", ElementType::i16) == Approx(32));  // two to a word
  CHECK(limit_of("max_min", ElementType::f32) == Approx(8));    // a minimum in place of the sum
  CHECK(limit_of("max_min", ElementType::i16) == Approx(8));
  CHECK(limit_of("min_plus", ElementType::f64) == Approx(8));
  CHECK(limit_of("min_plus", ElementType::i64) == Approx(4));
  CHECK(limit_of("max_min", ElementType::f64) == Approx(4));
  CHECK(limit_of("plus_times", ElementType::i32) == Approx(16));
}

TEST_CASE("Closures and products of bits are bounded by tensor cores, not by operations on words") {
  CHECK(limit_of("or_and", ElementType::u32, Table::bits) > 4000);
  CHECK(limit_of("count", ElementType::i32, Table::counts) > 4000);
  run::Prediction prediction;
  stages::Resources resources;
  resources.device = gpu();
  resources.cuda = true;
  const TileSpec bits{find_semiring("or_and"), ElementType::u32, Table::bits};
  stages::set_rates(prediction, {.seconds = 1 / 3e14}, bits, resources);
  CHECK(prediction.limit_kind == "tensor operations");
  CHECK(prediction.limit == Approx(limit_of("or_and", ElementType::u32, Table::bits) * 1e12));
  resources.cuda = false;
  prediction = {};
  stages::set_rates(prediction, {.seconds = 1e-12}, bits, resources);
  CHECK(prediction.limit == 0);
  CHECK(prediction.operations_per_second == Approx(1e12));
  CHECK(prediction.limit_kind.empty());
}

}  // namespace
}  // namespace terrace::recursive
