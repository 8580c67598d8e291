// The rates that plans of stencils expect, on the machines that they were measured on and others.
#include "stages/stencil/rates.hpp"

#include <catch2/catch.hpp>

#include "kernels/stencil/operators.hpp"

namespace terrace::stages {
namespace {

using stencil::Face;
using stencil::StencilSpec;

StencilSpec spec_of(const char* name, int radius, ElementType value) {
  const stencil::OperatorInfo& info = *stencil::find_operator(name);
  StencilSpec spec;
  spec.name = name;
  spec.rank = info.rank;
  spec.radius = radius;
  spec.value = value;
  spec.extents = {1024, info.rank == 3 ? 512 : 1, 512};
  spec.faces[1] = {Face::edge, Face::edge, 0, 0};
  if (info.rank == 3) spec.faces[1] = {};
  if (info.linear) spec.terms = stencil::terms_of(info.shape, info.rank, radius);
  if (spec.name == "hotspot") spec.arrays = 1;
  return spec;
}

Resources gpu() {
  Resources resources;
  resources.cuda = true;
  resources.device.operations_per_second = 1.66e13;
  resources.device.memory_bytes_per_second = 4.2e12;
  return resources;
}

Resources epyc() {
  Resources resources;
  resources.device.multiply_adds_per_second = 1.18e11;
  resources.device.memory_bytes_per_second = 4.5e10;
  return resources;
}

TEST_CASE("Rates on the machines of the table are the measured ones") {
  const auto check = [](const char* name, int radius, ElementType value, double expected) {
    INFO(name << " " << radius);
    CHECK(stencil_speed(spec_of(name, radius, value), gpu()) == Approx(expected * 1e9));
  };
  check("star2d", 1, ElementType::f32, 4170);
  check("star2d", 4, ElementType::f64, 529);
  check("box2d", 1, ElementType::f64, 1250);
  check("box2d", 4, ElementType::f32, 300);
  check("box2d", 8, ElementType::f32, 91);
  check("box2d", 8, ElementType::f64, 66);
  check("star3d", 1, ElementType::f32, 869);
  check("heat2d", 1, ElementType::f64, 1440);
  check("hotspot", 1, ElementType::f32, 628);
  CHECK(stencil_speed(spec_of("star2d", 4, ElementType::f32), epyc()) == Approx(3.8e9));
  CHECK(stencil_speed(spec_of("box2d", 1, ElementType::f64), epyc()) == Approx(4.9e9));
}

TEST_CASE("Rates between measured radii lie between theirs, and f64 takes half where it was not measured") {
  const double six = stencil_speed(spec_of("star2d", 6, ElementType::f32), gpu());
  CHECK(six < 916e9);
  CHECK(six > 597e9);
  CHECK(stencil_speed(spec_of("box2d", 3, ElementType::f64), epyc()) == Approx(0.55e9));
}

TEST_CASE("Rates follow the device, and its memory bounds them") {
  Resources half = gpu();
  half.device.operations_per_second /= 2;
  const StencilSpec spec = spec_of("star2d", 1, ElementType::f32);
  CHECK(stencil_speed(spec, half) == Approx(2085e9));
  half.device.memory_bytes_per_second = 1e11;  // a cell is read and written once in 16 steps
  CHECK(stencil_speed(spec, half) == Approx(1e11 / 8 * 16));
  CHECK(stencil_speed(spec_of("hotspot", 1, ElementType::f64), Resources{}) > 0);
}

TEST_CASE("Rates are those of the kernel that makes the steps") {
  StencilSpec spec = spec_of("star2d", 2, ElementType::f32);
  CHECK(stencil_way(spec, true) == StencilWay::stream);
  CHECK(stencil_way(spec, false) == StencilWay::cpu);
  spec.faces[0] = {Face::edge, Face::edge, 0, 0};
  CHECK(stencil_way(spec, true) == StencilWay::step);
  CHECK(stencil_way(spec_of("star2d", 5, ElementType::f64), true) == StencilWay::step);
  CHECK(stencil_way(spec_of("star1d", 1, ElementType::f32), true) == StencilWay::step);
  spec = spec_of("star2d", 1, ElementType::f32);
  spec.faces[0] = {Face::edge, Face::edge, 0, 0};
  CHECK(stencil_way(spec, true) == StencilWay::stream);
  spec.schedule = stencil::Schedule::time_skewed;
  CHECK(stencil_speed(spec, gpu()) == Approx(20e9));
  spec.schedule = stencil::Schedule::overlapped;
  CHECK(stencil_speed(spec, gpu()) == Approx(305e9));
  spec.schedule = stencil::Schedule::plain;
  CHECK(stencil_speed(spec, gpu()) == Approx(220e9));
}

}  // namespace
}  // namespace terrace::stages
