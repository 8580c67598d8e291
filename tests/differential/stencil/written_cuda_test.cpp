// Stencils that a job writes as formulas, on CUDA against their definition, to the bit.
#include <catch2/catch.hpp>
#include <random>
#include <stdexcept>

#include "kernels/stencil/write.hpp"
#include "tests/differential/stencil/on_cuda.hpp"
#include "tests/differential/stencil/written_examples.hpp"
#include "tests/support/with_modules.hpp"

namespace terrace::stencil {
namespace {

/// Formulas in three dimensions whose planes stream: of fields u, v, w and p, arrays c to f, and series s.
struct PlaneExample {
  const char* name;
  std::vector<std::string> texts;
  const char* same_as = nullptr;  // the operator that makes the same
  int arrays = 0, series = 0;
  bool any_faces = false;  // and perhaps a source and a mask
  bool guarded = false;    // by conditions on the place: it reads nothing outside; made in turn
};

const std::vector<PlaneExample> plane_examples = {
    {"heat3d",
     {"fma(0.3*0.3, fma(-6, u, ((((u[-1,0,0] + u[0,-1,0]) + u[0,0,-1]) + u[0,0,1]) + u[0,1,0]) + u[1,0,0]), u)"},
     "heat3d"},
    {"wave3d",
     {"fma((0.3*0.3)*(0.3*0.3), fma(-6, u, ((((u[-1,0,0] + u[0,-1,0]) + u[0,0,-1]) + u[0,0,1]) + u[0,1,0]) + "
      "u[1,0,0]), (u + u) - v)",
      "u"},
     "wave3d"},
    {"Gray and Scott",
     {"u + 0.1*(u[-1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] + u[1,0,0] - 6*u) - u*v*v + 0.035*(1 - u)",
      "v + 0.05*(v[-1,0,0] + v[0,-1,0] + v[0,1,0] + v[0,0,-1] + v[0,0,1] + v[1,0,0] - 6*v) + u*v*v - 0.1*v"}},
    {"conditions",
     {"if(u[-1,0,0] < u[0,1,0] || u[0,0,1] < 0.1, max(0.5*u, u[1,0,0]), min(u[0,0,-1], abs(u[1,0,0]) - 0.25))"}},
    {"pairs of planes", {"0.25*(u[-1,0,0] + u[1,0,0]) + 0.125*(u[0,-1,0] + u[0,1,0] + u[0,0,1]) - 0.1*u"}},
    {"a plane's neighbours late",
     {"u[1,0,0] - 0.25*u[0,-1,0] + 0.25*u[0,1,0] - 0.125*u[0,0,1] + 0.125*u[0,0,-1] + 0.1*u[-1,0,0]"}},
    {"above alone", {"0.5*u[-1,0,0] + 0.25*u[0,1,0] + u*0.25"}},
    {"below alone", {"0.5*u[1,0,0] + 0.25*u"}},
    {"columns alone", {"0.25*(u[-1,0,0] + u[1,0,0]) + 0.5*u"}},
    {"planes alone", {"0.125*(u[0,-1,-1] + u[0,1,1]) - 0.25*(u[0,-1,1] - u[0,1,-1]) + 0.5*u"}},
    {"another cell", {"u[-1,0,0]", "u[0,0,1]"}},
    {"neighbours of the second", {"u + 0.1*v[1,0,0]", "0.5*(v[0,1,0] + v[0,0,-1]) - 0.25*u[-1,0,0]"}},
    {"fields that change places", {"v[0,1,0] + 0.25*v[1,0,0]", "0.5*u[0,-1,0] - sqrt(abs(u[-1,0,0]))"}}};

/// The same in windows of planes.
const std::vector<PlaneExample> window_examples = {
    {"heat3d with an array",
     {"fma(c, fma(-6, u, ((((u[-1,0,0] + u[0,-1,0]) + u[0,0,-1]) + u[0,0,1]) + u[0,1,0]) + u[1,0,0]), u)"},
     "heat3d",
     1},
    {"a wave with an array of speeds",
     {"fma(c*c, fma(-6, u, ((((u[-1,0,0] + u[0,-1,0]) + u[0,0,-1]) + u[0,0,1]) + u[0,1,0]) + u[1,0,0]), (u + u) - v)",
      "u"},
     nullptr,
     1,
     0,
     true},
    {"place, step and series",
     {"if((i + 2*j + 3*k + t) % 3 == 0, 0.25*(u[-1,0,0] + u[0,1,0] + u[0,0,-1]) + s, u[1,0,0] - 0.125*i64(7*i/"
      "(size(0) - i) + 5*j/(size(1) - j) + 3*k/(size(2) - k)))"},
     nullptr,
     0,
     1,
     true},
    {"corners, and an array of two fields",
     {"if(c < 0.5, 0.25*(u[0,-1,-1] + u[0,1,1] + v[-1,0,0]), u[1,0,0])",
      "0.5*c*v[0,1,0] - 0.25*(u[0,-1,1] - u[0,1,-1])"},
     nullptr,
     1,
     0,
     true},
    {"four arrays, the step and a series",
     {"c*u[-1,0,0] + 0.25*d*u[1,0,0] - e*u[0,-1,0] + f*u[0,0,1]*s + 0.01*(t % 5)"},
     nullptr,
     4,
     1,
     true},
    {"faces alone", {"0.5*u[-1,0,0] - 0.25*u[1,0,0] + 0.125*(u[0,-1,0] + u[0,0,1])"}, nullptr, 0, 0, true},
    {"too many values for two parts",
     {"u[1,0,0] + u[0,0,1] - u[0,0,-1] * u[-1,0,0]", "v[1,0,0] + v[0,0,1] - v[0,0,-1] * v[-1,0,0] + u"}},
    {"three fields",
     {"0.5*(v[0,1,0] - w[1,0,0])", "abs(u) + 0.25*w[-1,0,0]", "sqrt(abs(u[0,0,-1]*v))*c"},
     nullptr,
     1,
     0,
     true},
    {"pressure and velocities on a staggered grid",
     {"u - 0.25*(p[1,0,0] - p)", "v - 0.25*(p[0,1,0] - p)", "w - 0.25*c*(p[0,0,1] - p)",
      "p - 0.2*(u - u[-1,0,0] + v - v[0,-1,0] + w - w[0,0,-1])"},
     nullptr,
     1,
     0,
     true},
    {"faces of its own",
     {"if(i > 0 && j > 0 && j + 1 < size(1), 0.25*(u[-1,0,0] + u[0,-1,0] + v[0,1,0]), u)",
      "if(k + 1 < size(2) && i + 1 < size(0), 0.5*(v[0,0,1] - u) + 0.1*s, if(k == 0, s, v))"},
     nullptr,
     0,
     1,
     false,
     true}};

/// The planes of a sample: half a tile of their kernel and more.
void set_planes(testing::SampleMaker& maker, StencilSpec& spec, std::int64_t most_rows, std::int64_t more) {
  spec.name = "formula";
  spec.rank = 3;
  spec.extents = {2 + maker.below(most_rows), 32 + maker.below(more), 64 + maker.below(more)};
  if (maker.chance(50)) spec.extents[2] = spec.extents[2] / 4 * 4;
}
/// Any faces, both of an axis periodic or neither. @param some false: neither fixed nor periodic ones
void set_any_faces(testing::SampleMaker& maker, StencilSpec& spec, bool some) {
  constexpr Face kinds[] = {Face::fixed, Face::edge, Face::reflect, Face::symmetric, Face::value};
  const auto any = [&] { return kinds[some ? maker.below(5) : 1 + maker.below(4)]; };
  for (Faces& faces : spec.faces) {
    faces = {any(), any(), 0.25, -0.5};
    if (some && maker.chance(25)) faces.low = faces.high = Face::periodic;
  }
}
/// The cut of a sample whose formulas are set.
void set_cut(testing::SampleMaker& maker, testing::Sample& sample) {
  StencilSpec& spec = sample.spec;
  spec.radius = radius_of(*spec.written);
  spec.norm = maker.chance(50) ? Norm::max : Norm::l2;
  spec.pass_steps = 1 + maker.below(sample.steps);
  spec.depth = maker.chance(70) ? 0 : 2 + maker.below(5);
  maker.set_slabs(spec, maker.least_rows(spec.radius), 10, 40);
  spec.parts = 1 + maker.below(3);
  testing::SampleMaker::make_room(spec);
}

/// The formulas of an example.
testing::Sample plane_sample_of(testing::SampleMaker& maker, const PlaneExample& example, ElementType type,
                                std::int64_t most_rows, std::int64_t more) {
  testing::Sample sample;
  StencilSpec& spec = sample.spec;
  spec.value = type;
  set_planes(maker, spec, most_rows, more);
  if (example.any_faces || example.guarded) set_any_faces(maker, spec, example.any_faces);
  else
    for (Faces& faces : spec.faces) faces.low = faces.high = maker.chance(60) ? Face::fixed : Face::periodic;
  sample.step = maker.below(5);
  sample.steps = 1 + maker.below(12);
  WrittenText text;
  text.steps = sample.step + sample.steps;
  text.in_turn = example.guarded;
  for (std::size_t n = 0; n < example.texts.size(); ++n) {
    text.fields.push_back(n == 3 ? "p" : std::string(1, static_cast<char>('u' + n)));
    text.cells.push_back({n, example.texts[n]});
  }
  for (int a = 0; a < example.arrays; ++a) text.arrays.push_back(std::string(1, static_cast<char>('c' + a)));
  for (int s = 0; s < example.series; ++s) text.series.push_back("s");
  spec.arrays = example.arrays;
  if (example.any_faces && maker.chance(25)) spec.source = spec.arrays++;
  if (example.any_faces && maker.chance(25)) spec.mask = spec.arrays++;
  for (std::int64_t i = 0; i < text.steps * example.series; ++i) spec.drive.push_back(0.01 * static_cast<double>(i));
  spec.written = write(text, spec);
  set_cut(maker, sample);
  return sample;
}

/// Compares the formulas with the operator that makes the same, by their definitions.
template <class T>
void check_same(testing::SampleMaker& maker, const testing::Sample& sample, const char* name) {
  StencilSpec other = sample.spec;
  other.written = nullptr;
  other.name = name;
  for (const char* number : {"dt", "diffusivity", "speed"}) other.settings.set(number, 0.3);
  if (other.arrays > 0) other.settings.set("dt", 1.0), other.given["diffusivity"] = 0;
  Grids<T> grids = maker.grids<T>(sample.spec, sample.spec.fields()), expected = grids;
  advance_by_definition<WrittenFormula>(sample.spec, grids, sample.step, 1);
  visit_formula(other, [&]<class F>(F) { advance_by_definition<F>(other, expected, sample.step, 1); });
  REQUIRE(testing::difference_of(sample.spec, grids, expected) == "");
}

std::string why_unfit(const char* name, const StencilSpec& spec, const device::Limits& limits) {
  for (const auto& rated : device::rate_methods(stencil_methods(), device::Backend::cuda, spec, limits)) {
    if (std::string_view(rated.method->name) == name) return rated.unfit;
  }
  return "there is no such method";
}

TEST_CASE("formulas that a job writes give the bits of their definition on CUDA") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  const bool simulated = test::few_cases(*with.context());
  unsigned seed = 60000;
  for (const testing::Example& example : testing::examples()) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      for (int sample = 0; sample < (simulated ? 1 : 30); ++sample) {
        testing::SampleMaker maker(++seed, 0, 0);
        if (simulated && seed / 2 % 2 == 1) continue;  // one type each
        INFO(example.name << ", seed " << seed);
        const std::int64_t wide = example.rank == 2 && maker.chance(70) ? 256 : 0;
        check(maker,
              perhaps_with_points(maker, testing::sample_of(maker, example, type,
                                                            simulated ? example.rank == 3 ? 12 : 60 : 200, wide)),
              *with.context(), true);
      }
    }
  }
}

TEST_CASE("random formulas give the bits of their definition on CUDA") {
  const test::WithModules with;
  if (with.context() == nullptr) return;
  const bool simulated = test::few_cases(*with.context());
  for (unsigned seed = 70000; seed < (simulated ? 70008u : 70100u); ++seed) {
    INFO("seed " << seed);
    testing::SampleMaker maker(seed, simulated ? 600 : 20000, simulated ? 6 : 24);
    check(maker, perhaps_with_points(maker, maker.make_written()), *with.context());
  }
}

/// Checks what a method that streams planes makes of a sample.
void check_planes(testing::SampleMaker& maker, const testing::Sample& sample, device::Context& context) {
  REQUIRE(why_unfit("planes", sample.spec, context.limits()) == "");
  const StencilMethod& planes = *device::find_method(stencil_methods(), device::Backend::cuda, "planes");
  testing::check_sample(maker, sample, context, [&](const StencilSpec& spec) {
    return std::make_unique<CudaStencil>(planes, spec, context);
  });
}

/// Checks examples, on the simulated GPU one sample of one type each.
void check_examples(const std::vector<PlaneExample>& examples, unsigned seed) {
  const test::WithModules with;
  device::Context* const context = with.context();
  if (context == nullptr) return;
  const bool simulated = test::few_cases(*context);
  for (const PlaneExample& example : examples) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      for (int sample = 0; sample < (simulated ? 1 : 30); ++sample) {
        testing::SampleMaker maker(++seed, 0, 0);
        if (simulated && seed / 2 % 2 == 1) continue;
        INFO(example.name << ", seed " << seed);
        const testing::Sample made = plane_sample_of(maker, example, type, simulated ? 16 : 80, simulated ? 40 : 160);
        if (example.same_as != nullptr && type == ElementType::f32) check_same<float>(maker, made, example.same_as);
        if (example.same_as != nullptr && type == ElementType::f64) check_same<double>(maker, made, example.same_as);
        check_planes(maker, perhaps_with_points(maker, made), *context);
      }
    }
  }
}

TEST_CASE("formulas whose planes stream in two parts give the bits of their definition on CUDA") {
  check_examples(plane_examples, 80000);
}

TEST_CASE("formulas whose planes stream in windows give the bits of their definition on CUDA") {
  check_examples(window_examples, 90000);
}

/// A sample of random formulas whose planes stream. @param most_depth of their operations
testing::Sample random_planes(testing::SampleMaker& maker, std::mt19937& random, const device::Limits& limits,
                              std::int64_t most_rows, std::int64_t more, int most_depth) {
  testing::Sample sample;
  StencilSpec& spec = sample.spec;
  spec.value = maker.chance(50) ? ElementType::f32 : ElementType::f64;
  set_planes(maker, spec, most_rows, more);
  set_any_faces(maker, spec, true);
  const int fields = static_cast<int>(1 + maker.below(maker.chance(50) ? 2 : 4));
  spec.arrays = static_cast<int>(maker.chance(40) ? 0 : 1 + maker.below(4));
  const int series = static_cast<int>(maker.below(3));
  sample.step = maker.below(5);
  sample.steps = 1 + maker.below(10);
  const std::int64_t series_steps = sample.step + sample.steps + maker.below(3);
  for (std::int64_t i = 0; i < series * series_steps; ++i) spec.drive.push_back(0.01 * static_cast<double>(i % 99));
  const int depth = static_cast<int>(1 + maker.below(most_depth));
  testing::RandomFormula formula{random, {3, 1, fields, spec.arrays, series, depth}};
  do {
    sample.formulas.clear();
    for (int field = 0; field < fields; ++field) sample.formulas.push_back(formula.real(testing::type_of(spec)));
    try {
      testing::write_formulas(spec, sample.formulas, series_steps);
    } catch (const std::logic_error&) {  // a whole number could be beyond its type, or another fault
      spec.written = nullptr;
    }
  } while (!spec.written || !why_unfit("planes", spec, limits).empty());
  if (maker.chance(20)) spec.source = spec.arrays++;
  if (maker.chance(20)) spec.mask = spec.arrays++;
  set_cut(maker, sample);
  return sample;
}

TEST_CASE("random formulas whose planes stream give the bits of their definition on CUDA") {
  const test::WithModules with;
  device::Context* const context = with.context();
  if (context == nullptr) return;
  const bool simulated = test::few_cases(*context);
  for (unsigned seed = 95000; seed < (simulated ? 95006u : 95200u); ++seed) {
    INFO("seed " << seed);
    testing::SampleMaker maker(seed, 0, 0);
    std::mt19937 random(seed);
    const testing::Sample sample =
        random_planes(maker, random, context->limits(), simulated ? 10 : 60, simulated ? 40 : 160, 4);
    check_planes(maker, perhaps_with_points(maker, sample), *context);
  }
}

TEST_CASE("rows beyond periodic ends have the indices of those at the other end") {
  const test::WithModules with;
  device::Context* const context = with.context();
  if (context == nullptr) return;
  const StencilMethod& rows = *device::find_method(stencil_methods(), device::Backend::cuda, "formula_rows");
  const testing::Example example{
      "", 2, {"u"}, {"if(i % 7 < 3, 0.5*(u[-1,0] + u[1,0]), u[0,1] - 0.1*i64(i/(size(0) - i)))"}, 0, 0, true};
  testing::SampleMaker maker(1, 0, 0);
  testing::Sample sample = testing::sample_of(maker, example, ElementType::f32, 40, 256);
  while (sample.spec.extents[0] < 30) sample = testing::sample_of(maker, example, ElementType::f32, 40, 256);
  sample.spec.pass_steps = sample.steps = 6;
  sample.spec.depth = 0;
  sample.spec.slab_rows = least_slab_rows(1, 1);
  sample.spec.slab_tiles = sample.spec.parts = 1;
  REQUIRE(rows.unfit(sample.spec, context->limits()) == "");
  testing::check_sample(maker, sample, *context,
                        [&](const StencilSpec& spec) { return std::make_unique<CudaStencil>(rows, spec, *context); });
}

TEST_CASE("rows of formulas with arrays, indices, the step and series stream") {
  const test::WithModules with;
  device::Context* const context = with.context();
  if (context == nullptr) return;
  const auto why = [&](int arrays, const char* text) {
    testing::SampleMaker maker(1, 0, 0);
    StencilSpec spec = testing::sample_of(maker, {"", 2, {"u"}, {text}, arrays, 1}, ElementType::f32, 20, 256).spec;
    spec.depth = 0;
    return why_unfit("formula_rows", spec, context->limits());
  };
  CHECK(why(4, "u[-1,0]*c + u[0,1]*d + u[0,-1]*e + u*f") == "");
  CHECK(why(1, "if(i < size(0) - j, u[1,0], c*u + s) + 0.5*t") == "");
  CHECK_THAT(why(5, "u[-1,0]*c + u[0,1]*d + u[0,-1]*e + u*f + g"), Catch::Contains("at most 4 constant arrays"));
  CHECK_THAT(why(0, "u[-2,0] + s"), Catch::Contains("radius 1"));
}

TEST_CASE("planes of formulas stream where the kernel has what they read") {
  const test::WithModules with;
  device::Context* const context = with.context();
  if (context == nullptr) return;
  const device::Limits& limits = context->limits();
  const auto spec_of = [](const PlaneExample& example) {
    testing::SampleMaker maker(1, 0, 0);
    StencilSpec spec = plane_sample_of(maker, example, ElementType::f32, 20, 40).spec;
    spec.depth = 0;
    return spec;
  };
  const auto why = [&](const std::vector<std::string>& texts, int arrays = 0) {
    return why_unfit("planes", spec_of({"", texts, nullptr, arrays}), limits);
  };
  for (const std::vector<PlaneExample>& examples : {plane_examples, window_examples}) {
    for (const PlaneExample& example : examples) {
      INFO(example.name);
      CHECK(choose_stencil_method(spec_of(example), device::Backend::cuda, limits).name == std::string("planes"));
    }
  }
  CHECK_THAT(why({"u[1,1,0] + u"}), Catch::Contains("the one cell beside the cell"));
  CHECK_THAT(why({"u[2,0,0] + u"}), Catch::Contains("radius 1"));
  CHECK_THAT(why({"c*u[1,0,0] + d*e*f*g"}, 5), Catch::Contains("at most 4 constant arrays"));
  StencilSpec spec = spec_of({"", {"u[1,0,0]"}});
  CHECK(why_unfit("planes", spec, limits) == "");
  spec.faces[1] = {Face::edge, Face::value, 0, 1};
  spec.mask = spec.arrays++;
  CHECK(why_unfit("planes", spec, limits) == "");
  spec.depth = 1;
  CHECK_THAT(why_unfit("planes", spec, limits), Catch::Contains("one step"));
  spec.depth = 0;
  spec.extents[2] = 20;
  CHECK_THAT(why_unfit("planes", spec, limits), Catch::Contains("the last axis has 20 cells"));
  spec = spec_of({"", {"v[1,0,0]", "u", "w", "p"}});
  CHECK(why_unfit("planes", spec, limits) == "");
  device::Limits less = limits;
  less.block_shared_bytes = std::size_t{48} << 10;
  CHECK_THAT(why_unfit("planes", spec, less), Catch::Contains("KiB of shared memory"));
  WrittenText text{{"u", "v", "w", "p", "q"}, {}, {}, {}, {}, 1};
  for (std::size_t n = 0; n < text.fields.size(); ++n) text.cells.push_back({n, "q[1,0,0]"});
  spec.written = write(text, spec);
  CHECK_THAT(why_unfit("planes", spec, limits), Catch::Contains("at most 4 fields"));
}

}  // namespace
}  // namespace terrace::stencil
