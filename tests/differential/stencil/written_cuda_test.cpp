// Stencils that a job writes as formulas, on CUDA against their definition, to the bit.
#include <catch2/catch.hpp>

#include "kernels/compiled/store.hpp"
#include "kernels/stencil/write.hpp"
#include "tests/differential/stencil/on_cuda.hpp"
#include "tests/differential/stencil/written_examples.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::stencil {
namespace {

/// Formulas in three dimensions whose planes stream, u and v being their fields.
struct PlaneExample {
  const char* name;
  std::vector<std::string> texts;
  const char* same_as = nullptr;  // the operator that makes the same
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

/// The formulas on planes of half a tile of their kernel and more.
testing::Sample plane_sample_of(testing::SampleMaker& maker, const PlaneExample& example, ElementType type,
                                std::int64_t most_rows, std::int64_t more) {
  testing::Sample sample;
  StencilSpec& spec = sample.spec;
  spec.name = "formula";
  spec.rank = 3;
  spec.value = type;
  spec.extents = {2 + maker.below(most_rows), 32 + maker.below(more), 64 + maker.below(more)};
  if (maker.chance(50)) spec.extents[2] = spec.extents[2] / 4 * 4;
  for (Faces& faces : spec.faces) faces.low = faces.high = maker.chance(60) ? Face::fixed : Face::periodic;
  sample.step = maker.below(5);
  sample.steps = 1 + maker.below(12);
  WrittenText text;
  text.steps = sample.step + sample.steps;
  for (std::size_t n = 0; n < example.texts.size(); ++n) {
    text.fields.push_back(n == 0 ? "u" : "v");
    text.cells.push_back({n, example.texts[n]});
  }
  spec.written = write(text, spec);
  spec.radius = radius_of(*spec.written);
  spec.norm = maker.chance(50) ? Norm::max : Norm::l2;
  spec.pass_steps = 1 + maker.below(sample.steps);
  spec.depth = maker.chance(70) ? 0 : 2 + maker.below(5);
  const std::int64_t least = least_tile_rows(spec.radius, spec.pass_steps, std::max<std::int64_t>(1, spec.depth));
  maker.set_slabs(spec, least, 10, 40);
  spec.parts = 1 + maker.below(3);
  return sample;
}

/// Compares the formulas with the operator that makes the same, by their definitions.
template <class T>
void check_same(testing::SampleMaker& maker, const testing::Sample& sample, const char* name) {
  StencilSpec other = sample.spec;
  other.written = nullptr;
  other.name = name;
  for (const char* number : {"dt", "diffusivity", "speed"}) other.settings.set(number, 0.3);
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

/// A device whose kernels are compiled in a folder of the test; null if there is none, or no compiler.
class WithModules {
 public:
  WithModules() : context_(test::cuda_context()), store_(io::Entry(folder_.path() / "modules")) {
    if (!context_) return;
    if (const std::string why = compiled::Compiler::why_missing(); !why.empty()) {
      WARN("skipped: " << why);
      context_.reset();
      return;
    }
    context_->take_modules_from(&store_);
  }
  device::Context* context() const { return context_.get(); }

 private:
  test::TempFolder folder_;
  decltype(test::cuda_context()) context_;
  compiled::Store store_;
};

TEST_CASE("formulas that a job writes give the bits of their definition on CUDA") {
  const WithModules with;
  if (with.context() == nullptr) return;
  const bool simulated = test::few_cases(*with.context());
  unsigned seed = 60000;
  for (const testing::Example& example : testing::examples()) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      for (int sample = 0; sample < (simulated ? 1 : 30); ++sample) {
        testing::SampleMaker maker(++seed, 0, 0);
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
  const WithModules with;
  if (with.context() == nullptr) return;
  const bool simulated = test::few_cases(*with.context());
  for (unsigned seed = 70000; seed < (simulated ? 70008u : 70100u); ++seed) {
    INFO("seed " << seed);
    testing::SampleMaker maker(seed, simulated ? 600 : 20000, simulated ? 6 : 24);
    check(maker, perhaps_with_points(maker, maker.make_written()), *with.context());
  }
}

TEST_CASE("formulas whose planes stream give the bits of their definition on CUDA") {
  const WithModules with;
  device::Context* const context = with.context();
  if (context == nullptr) return;
  const bool simulated = test::few_cases(*context);
  unsigned seed = 80000;
  for (const PlaneExample& example : plane_examples) {
    for (const ElementType type : {ElementType::f32, ElementType::f64}) {
      for (int sample = 0; sample < (simulated ? 1 : 30); ++sample) {
        testing::SampleMaker maker(++seed, 0, 0);
        INFO(example.name << ", seed " << seed);
        const testing::Sample made = plane_sample_of(maker, example, type, simulated ? 16 : 80, simulated ? 40 : 160);
        REQUIRE(why_unfit("planes", made.spec, context->limits()) == "");
        if (example.same_as != nullptr && type == ElementType::f32) check_same<float>(maker, made, example.same_as);
        if (example.same_as != nullptr && type == ElementType::f64) check_same<double>(maker, made, example.same_as);
        check(maker, perhaps_with_points(maker, made), *context, true);
      }
    }
  }
}

TEST_CASE("rows of formulas with arrays, indices, the step and series stream") {
  const WithModules with;
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
  const WithModules with;
  device::Context* const context = with.context();
  if (context == nullptr) return;
  const auto why = [&](const std::vector<std::string>& texts, const std::function<void(StencilSpec&)>& change) {
    testing::SampleMaker maker(1, 0, 0);
    StencilSpec spec = plane_sample_of(maker, {"", texts}, ElementType::f32, 20, 40).spec;
    change(spec);
    return why_unfit("planes", spec, context->limits());
  };
  const auto as_it_is = [](StencilSpec& spec) { spec.depth = 0; };
  CHECK(why({"u[1,0,0] + u[0,1,0]"}, as_it_is) == "");
  CHECK_THAT(why({"u[1,1,0] + u"}, as_it_is), Catch::Contains("the one cell beside the cell"));
  CHECK_THAT(why({"u[2,0,0] + u"}, as_it_is), Catch::Contains("radius 1"));
  CHECK_THAT(why({"u[1,0,0] * k"}, as_it_is), Catch::Contains("indices"));
  CHECK_THAT(why({"u[1,0,0] + u[0,0,1] - u[0,0,-1] * u[-1,0,0]", "v[1,0,0] + v[0,0,1] - v[0,0,-1] * v[-1,0,0] + u"},
                 as_it_is),
             Catch::Contains("add cells of that plane last"));
  CHECK_THAT(why({"u[1,0,0]"}, [](StencilSpec& spec) { spec.depth = 1; }), Catch::Contains("one step"));
  CHECK_THAT(why({"u[1,0,0]"},
                 [](StencilSpec& spec) {
                   spec.depth = 0;
                   spec.faces[1] = {Face::edge, Face::edge, 0, 0};
                 }),
             Catch::Contains("faces"));
  CHECK_THAT(why({"u[1,0,0]"},
                 [](StencilSpec& spec) {
                   spec.depth = 0;
                   spec.extents[2] = 20;
                 }),
             Catch::Contains("the last axis has 20 cells"));
}

}  // namespace
}  // namespace terrace::stencil
