// The table of ceilings.
#include "kernels/device/ceilings.hpp"

#include <catch2/catch.hpp>

namespace terrace::device {
namespace {

TEST_CASE("Ceilings are those measured of the chip, else derived from what a multiprocessor starts in a clock") {
  Limits limits;
  limits.name = "NVIDIA H200";
  limits.operations_per_second = 16.6e12;
  CHECK(ceiling_of(limits, ceilings::f32_multiply_add) == 32.5e12);
  CHECK(ceiling_of(limits, ceilings::bit_products) == 5154e12);
  limits.name = "NVIDIA H100 80GB HBM3";
  CHECK(ceiling_of(limits, ceilings::bit_products) == 5054e12);
  CHECK(ceiling_of(limits, ceilings::f64_minimum) == Approx(8.3e12));  // not measured
  CHECK(ceiling_of(limits, ceilings::f32_multiply_add) == Approx(33.2e12));
  limits.name = "another";
  limits.operations_per_second = 16.6e12;
  CHECK(ceiling_of(limits, ceilings::bit_products) == Approx(5114e12).epsilon(0.001));  // measured of another chip
  limits.operations_per_second = 64e9;
  CHECK(ceiling_of(limits, ceilings::i64_minimum) == 16e9);
  CHECK(ceiling_of(limits, ceilings::shared_read) == 128e9);
  CHECK(ceiling_of(limits, ceilings::memory_read) == 0);  // nothing that follows from the clock
  limits.operations_per_second = 0;
  CHECK(ceiling_of(limits, ceilings::logic) == 0);
}

TEST_CASE("A chip and a ceiling that are in no table have nothing measured") {
  CHECK(measured_ceiling("NVIDIA H200", ceilings::link_up) == 55.6e9);
  CHECK(measured_ceiling("NVIDIA H100 80GB HBM3", ceilings::link_down) == 0);
  CHECK(measured_ceiling("another", ceilings::link_up) == 0);
  CHECK(measured_ceiling("NVIDIA H200", "another") == 0);
  CHECK(operations_a_clock("another") == 0);
}

}  // namespace
}  // namespace terrace::device
