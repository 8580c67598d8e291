// The methods of stencils: which one is chosen, and the rates that plans expect, on the machines that they were
// measured on and others.
#include "kernels/stencil/methods.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <set>

#include "kernels/stencil/compiled.hpp"
#include "kernels/stencil/costs.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/points.hpp"
#include "kernels/stencil/separable.hpp"
#include "kernels/stencil/write.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {
namespace {

using device::Backend;
using device::Limits;

StencilSpec spec_of(const char* name, int radius, ElementType value) {
  const OperatorInfo& info = *find_operator(name);
  StencilSpec spec;
  spec.name = name;
  spec.schedule = Schedule::automatic;
  spec.rank = info.rank;
  spec.radius = radius;
  spec.value = value;
  // Lines as long as those that rates were measured with.
  spec.extents = {1024, 1, 8192};
  if (info.rank == 3) spec.extents = {1024, 512, 512};
  spec.faces[1] = {Face::edge, Face::edge, 0, 0};
  if (info.rank == 3) spec.faces[1] = {};
  if (info.linear) spec.terms = terms_of(info.shape, info.rank, radius);
  if (info.own_faces) spec.faces[0] = spec.faces[2] = {Face::edge, Face::edge, 0, 0};
  if (spec.name == "hotspot") spec.given["power"] = 0, spec.arrays = 1;
  return spec;
}

Limits gpu() {
  Limits limits;
  limits.operations_per_second = 1.66e13;
  limits.memory_bytes_per_second = 4.2e12;
  limits.processors = 132;
  return limits;
}

Limits epyc() {
  Limits limits;
  limits.multiply_adds_per_second = 1.18e11;
  limits.memory_bytes_per_second = 4.5e10;
  limits.processors = 2;
  return limits;
}

const StencilMethod& chosen(const StencilSpec& spec, Backend backend = Backend::cuda) {
  return choose_stencil_method(spec, backend, backend == Backend::cuda ? gpu() : epyc());
}
std::string name_for(const StencilSpec& spec) { return chosen(spec).name; }
double rate_of(const StencilSpec& spec, Backend backend = Backend::cuda) {
  return 1 / chosen(spec, backend).cost(spec, backend == Backend::cuda ? gpu() : epyc()).seconds;
}

TEST_CASE("Rates on the machines of the table are the measured ones") {
  const auto check = [](const char* name, int radius, ElementType value, double expected) {
    INFO(name << " " << radius);
    CHECK(rate_of(spec_of(name, radius, value)) == Approx(expected * 1e9));
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
  CHECK(rate_of(spec_of("star2d", 4, ElementType::f32), Backend::cpu) == Approx(3.8e9));
  CHECK(rate_of(spec_of("box2d", 1, ElementType::f64), Backend::cpu) == Approx(4.9e9));
}

TEST_CASE("Rates between measured radii lie between theirs, and f64 takes half where it was not measured") {
  const double six = rate_of(spec_of("star2d", 6, ElementType::f32));
  CHECK(six < 916e9);
  CHECK(six > 597e9);
  CHECK(rate_of(spec_of("box2d", 3, ElementType::f64), Backend::cpu) == Approx(0.55e9));
}

TEST_CASE("Rates follow the device, and its memory bounds them") {
  Limits half = gpu();
  half.operations_per_second /= 2;
  const StencilSpec spec = spec_of("star2d", 1, ElementType::f32);
  const auto rate = [&] { return 1 / chosen(spec).cost(spec, half).seconds; };
  CHECK(rate() == Approx(2085e9));
  half.memory_bytes_per_second = 1e11;  // a cell is read and written once in 16 steps
  CHECK(rate() == Approx(1e11 / 8 * 16));
  const StencilSpec hotspot = spec_of("hotspot", 1, ElementType::f64);
  CHECK(chosen(hotspot).cost(hotspot, Limits{}).seconds > 0);
}

TEST_CASE("Cells that are made one by one, and arrays, make a stencil slower") {
  for (const Backend backend : {Backend::cuda, Backend::cpu}) {
    INFO(name_of(backend));
    StencilSpec spec = spec_of("star2d", 1, ElementType::f32);
    spec.schedule = Schedule::plain;
    spec.depth = 1;
    const double whole = rate_of(spec, backend);
    spec.extents[2] = 8192 + 100;
    const double with_rest = rate_of(spec, backend);
    CHECK(with_rest <= whole);
    CHECK(with_rest > 0.8 * whole);
    spec.extents[2] = 64;
    CHECK(rate_of(spec, backend) < 0.2 * whole);
    spec = spec_of("heat2d", 1, ElementType::f32);
    const double alone = rate_of(spec, backend);
    spec.given["diffusivity"] = 0, spec.arrays = 1;
    const double with_array = rate_of(spec, backend);
    CHECK(with_array < 0.7 * alone);
    spec.given.clear();
    spec.mask = 0;
    CHECK(rate_of(spec, backend) <= with_array);
  }
}

TEST_CASE("The method that is chosen computes the stencil, and a schedule has its own") {
  StencilSpec spec = spec_of("star2d", 2, ElementType::f32);
  CHECK(name_for(spec) == "rows");
  CHECK(std::string(chosen(spec, Backend::cpu).name) == "tiles");
  spec.faces[0] = {Face::edge, Face::edge, 0, 0};
  CHECK(name_for(spec) == "steps");
  CHECK(name_for(spec_of("star2d", 5, ElementType::f64)) == "steps");
  CHECK(name_for(spec_of("star1d", 1, ElementType::f32)) == "steps");
  spec = spec_of("star2d", 1, ElementType::f32);
  spec.faces[0] = {Face::edge, Face::edge, 0, 0};
  CHECK(name_for(spec) == "formula_rows");
  spec = spec_of("star2d", 1, ElementType::f32);
  spec.schedule = Schedule::time_skewed;
  CHECK(name_for(spec) == "time_skewed");
  CHECK(rate_of(spec) == Approx(20e9));
  CHECK(std::string(chosen(spec, Backend::cpu).name) == "tiles");
  spec.schedule = Schedule::overlapped;
  CHECK(name_for(spec) == "overlapped");
  CHECK(rate_of(spec) == Approx(305e9));
  spec.schedule = Schedule::plain;
  spec.depth = 1;
  CHECK(name_for(spec) == "steps");
  CHECK(rate_of(spec) == Approx(220e9));
  CHECK(std::string(chosen(spec, Backend::cpu).name) == "steps");
}

TEST_CASE("A stencil that the kernel of several steps does not compute is predicted by single steps") {
  const auto heat3d = [] {
    StencilSpec spec = spec_of("heat3d", 1, ElementType::f32);
    spec.faces = {};
    return spec;
  };
  CHECK(name_for(heat3d()) == "planes");
  StencilSpec spec = heat3d();
  spec.faces[2] = {Face::edge, Face::edge, 0, 0};
  CHECK(name_for(spec) == "steps");
  spec = heat3d();
  spec.mask = 0, spec.arrays = 1;
  CHECK(name_for(spec) == "steps");
  spec = heat3d();
  spec.given["diffusivity"] = 0, spec.arrays = 1;
  CHECK(name_for(spec) == "steps");
  spec = heat3d();
  spec.extents[2] = 30;
  CHECK(name_for(spec) == "steps");
  spec = spec_of("star2d", 1, ElementType::f32);
  spec.extents = {100000, 1, 64};
  CHECK(name_for(spec) == "steps");
  spec = spec_of("heat2d", 1, ElementType::f32);
  spec.given["diffusivity"] = 0, spec.arrays = 1;
  spec.extents[2] = 64;
  CHECK(name_for(spec) == "steps");
  for (const std::int64_t width : {8190, 8192}) {
    spec.extents[2] = width;
    CHECK(name_for(spec) == "formula_rows");
  }
}

TEST_CASE("Boxes of f64 take matrix products where these are exact, else the faster of rows and terms") {
  StencilSpec spec = spec_of("box2d", 4, ElementType::f64);
  CHECK(name_for(spec) == "box_products");
  for (Term<double>& term : spec.terms) term.coefficient *= -1;
  CHECK(name_for(spec) == "rows");
  spec.extents[2] = 100;
  CHECK(name_for(spec) == "box_terms");
}

TEST_CASE("The limit of operations is that of the instructions of the method, which no measured rate exceeds") {
  const auto limit = [](const StencilSpec& spec) { return limit_of(chosen(spec), spec, gpu()); };
  CHECK(limit(spec_of("star2d", 1, ElementType::f32)) == Approx(33.2e12 / 5));
  CHECK(limit(spec_of("star2d", 1, ElementType::f64)) == Approx(16.6e12 / 5));
  // Tensor cores multiply more cells, at twice the rate: 24 around each eight.
  CHECK(limit(spec_of("box2d", 8, ElementType::f64)) == Approx(33.2e12 / (17 * 24)));
  for (int radius = 4; radius <= 8; ++radius) {
    INFO(radius);
    const StencilSpec spec = spec_of("box2d", radius, ElementType::f64);
    CHECK(rate_of(spec) < limit(spec));
  }
  const StencilSpec wide = spec_of("star2d", 4, ElementType::f64);
  CHECK(limit_of(chosen(wide, Backend::cpu), wide, epyc()) == Approx(1.18e11 / 2 / 17));
}

TEST_CASE("Planes of formulas with arrays stream, and are predicted to be faster than single steps") {
  StencilSpec spec = spec_of("heat3d", 1, ElementType::f32);
  spec.name = "formula";
  spec.arrays = 1;
  WrittenText text;
  text.fields = {"u", "v"};
  text.arrays = {"c"};
  text.steps = 100;
  text.cells = {{0, "fma(c, u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6*u, 2*u - v)"},
                {1, "if((i + j + k + t) % 2 == 0, u, v)"}};
  spec.written = write(text, spec);
  StencilSpec plain = spec;
  plain.depth = 1;
  CHECK(name_for(spec) == "planes");
  CHECK(name_for(plain) == "steps");
  CHECK(rate_of(spec) > 1.1 * rate_of(plain));
  const double alone = rate_of(spec);
  spec.faces[0] = {Face::edge, Face::reflect, 0, 0};
  CHECK(rate_of(spec) == alone);
  spec.extents[1] = 8;
  CHECK(name_for(spec) == "steps");
}

TEST_CASE("Formulas that a job writes are computed over strips on the CPU, at the rate of their operations") {
  StencilSpec spec = spec_of("heat2d", 1, ElementType::f32);
  auto written = std::make_shared<Written>();
  written->cells.add_result(written->cells.add({formula::Operation::read, formula::Type::f32}));
  spec.written = written;
  spec.name = "formula";
  CHECK(std::string(chosen(spec, Backend::cpu).name) == "strips");
  spec.schedule = Schedule::plain;
  CHECK(std::string(chosen(spec, Backend::cpu).name) == "strip_steps");
  CHECK(operations_of(spec) == 1);
  const StencilSpec listed = spec_of("heat2d", 1, ElementType::f32);
  for (const StencilMethod& method : stencil_methods()) {
    if (method.backend != Backend::cpu) continue;
    const bool is_of_strips = std::string(method.name).starts_with("strip");
    CHECK(method.unfit(spec, epyc()).empty() == is_of_strips);
    CHECK(method.unfit(listed, epyc()).empty() == (!is_of_strips && method.name != std::string("compiled")));
  }
}

TEST_CASE("Formulas are compiled for the CPU if there is a compiler and its time pays") {
  StencilSpec spec = spec_of("heat2d", 1, ElementType::f32);
  auto written = std::make_shared<Written>();
  written->cells.add_result(written->cells.add({formula::Operation::read, formula::Type::f32}));
  spec.written = written;
  spec.name = "formula";
  const double cells = 1024 * 8192, strips = rate_of(spec, Backend::cpu);
  written->series_steps = 100000000;
  CHECK(std::string(chosen(spec, Backend::cpu).name) == "strips");
  spec.compiler = {"", "the reason"};
  for (const auto& rated : device::rate_methods(stencil_methods(), Backend::cpu, spec, epyc())) {
    if (std::string(rated.method->name) == "compiled") CHECK(rated.unfit == "the reason");
  }
  spec.compiler = {"c++", ""};
  CHECK(std::string(chosen(spec, Backend::cpu).name) == "compiled");
  const double compiled = rate_of(spec, Backend::cpu);
  CHECK(compiled > 1.3 * strips);
  // As many steps as the compiler takes of both.
  const double steps = measured::cpu_compile_seconds / cells / (1 / strips - 1 / compiled);
  for (const double part : {0.9, 1.1}) {
    written->series_steps = static_cast<std::int64_t>(part * steps);
    CHECK(std::string(chosen(spec, Backend::cpu).name) == (part < 1 ? "strips" : "compiled"));
  }
  spec.schedule = Schedule::plain;
  CHECK(std::string(chosen(spec, Backend::cpu).name) == "strip_steps");
  CHECK(method_instead(*device::find_method(stencil_methods(), Backend::cpu, "compiled")) ==
        device::find_method(stencil_methods(), Backend::cpu, "strips"));
  CHECK(method_instead(chosen(spec, Backend::cpu)) == nullptr);
}

TEST_CASE("Methods have names of their own on each back end, and say why they do not compute a stencil") {
  std::map<Backend, std::set<std::string>> names;
  for (const StencilMethod& method : stencil_methods()) {
    CHECK(names[method.backend].insert(method.name).second);
    CHECK(std::string(method.help).size() > 10);
  }
  CHECK(names.size() == 2);
  StencilSpec spec = spec_of("star2d", 1, ElementType::f32);
  spec.extents = {100000, 1, 64};
  for (const auto& rated : device::rate_methods(stencil_methods(), Backend::cuda, spec, gpu())) {
    if (std::string(rated.method->name) == "rows") {
      CHECK(rated.unfit == "the last axis has 64 cells, and its tiles need 384");
    }
    CHECK(rated.unfit.empty() == (rated.cost.seconds > 0));
  }
}

/// So many sources and receivers.
std::shared_ptr<const Points> points_of(std::int64_t sources, std::int64_t receivers) {
  Points points;
  for (std::int64_t n = 0; n < sources; ++n) points.sources.push_back({{100 + n % 800, 0, 100 + n}, 0, 0});
  for (std::int64_t n = 0; n < receivers; ++n) points.receivers.push_back({100 + n % 800, 0, 100 + n / 800});
  return std::make_shared<const Points>(std::move(points));
}

TEST_CASE("the cells around points belong to the cost of kernels that make several steps at a time") {
  StencilSpec spec = spec_of("star2d", 1, ElementType::f32);
  spec.extents = {16384, 1, 16384};
  const double alone = rate_of(spec);
  spec.points = points_of(100, 100);
  CHECK(name_for(spec) == "rows");
  CHECK(rate_of(spec) < alone);
  CHECK(rate_of(spec) > 0.85 * alone);
  spec.points = points_of(100, 4000000);
  CHECK(name_for(spec) == "steps");
  spec.schedule = Schedule::overlapped;
  CHECK(schedule_fault(spec));
}

TEST_CASE("the room for points is bounded") {
  for (const char* name : {"star2d", "star3d"}) {
    for (const int radius : {1, 4}) {
      StencilSpec spec = spec_of(name, radius, ElementType::f32);
      spec.slab_rows = spec.extents[0];
      spec.pass_steps = 64;
      const std::size_t without = chosen(spec).workspace(spec, gpu());
      spec.points = points_of(1000, 1000);
      const StencilMethod& method = chosen(spec);
      const std::size_t with = method.workspace(spec, gpu());
      CHECK(with > without);
      CHECK(with < without + (std::size_t{80} << 20));
    }
  }
}

}  // namespace
}  // namespace terrace::stencil
