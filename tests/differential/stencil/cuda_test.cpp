// Stencils on CUDA against their definition, to the bit: every operator, any faces, arrays, and any cut.
#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

#include "kernels/stencil/measured.hpp"
#include "tests/differential/stencil/on_cuda.hpp"

namespace terrace::stencil {
namespace {

TEST_CASE("stencils on CUDA give the bits of the definition") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  for (unsigned seed = 5000; seed < (simulated ? 5150u : 8000u); ++seed) {
    INFO("seed " << seed);
    testing::SampleMaker maker(seed, simulated ? 600 : 20000, simulated ? 8 : 24);
    check(maker, maker.make(), *context);
  }
}

TEST_CASE("sources and receivers on CUDA give the bits of the definition") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  for (unsigned seed = 70000; seed < (simulated ? 70080u : 72000u); ++seed) {
    INFO("seed " << seed);
    testing::SampleMaker maker(seed, simulated ? 400 : 10000, simulated ? 8 : 24);
    testing::Sample sample = maker.chance(10) ? maker.make_separable() : maker.make();
    maker.add_points(sample);
    check(maker, sample, *context);
  }
}

TEMPLATE_TEST_CASE("many steps at a time of stars and boxes on CUDA give the bits of the definition", "", float,
                   double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  for (const Shape shape : {Shape::star, Shape::box}) {
    for (int radius = 1; radius <= most_radius; ++radius) {
      for (unsigned seed = 0; seed < (!simulated ? 60u : radius <= 4 ? 3u : 2u); ++seed) {
        testing::SampleMaker maker(9000 + 100 * seed + 10 * static_cast<unsigned>(radius) + (shape == Shape::box), 0,
                                   0);
        const measured::StreamForm form =
            shape == Shape::star ? measured::StreamForm::star : measured::StreamForm::box;
        const std::int64_t tile = 32 * measured::CudaStream::sizes(form, radius, sizeof(TestType)).cells;
        check(maker,
              perhaps_with_points(maker, wide_sample<TestType>(maker, shape, radius, simulated ? 40 : 400, tile,
                                                               simulated ? tile : 1000)),
              *context);
      }
    }
  }
}

/// An update in three dimensions on planes of half a tile of its kernel and more, which is made some steps at a time.
template <class T>
testing::Sample volume_sample(testing::SampleMaker& maker, const std::string& name, int radius,
                              std::int64_t most_rows, std::int64_t more) {
  testing::Sample sample;
  StencilSpec& spec = sample.spec;
  spec.rank = 3;
  spec.name = name;
  spec.value = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
  spec.radius = radius;
  spec.extents = {radius + 1 + maker.below(most_rows), 32 + maker.below(more), 64 + maker.below(more)};
  if (maker.chance(50)) spec.extents[2] = spec.extents[2] / 4 * 4;
  for (Faces& faces : spec.faces) faces.low = faces.high = maker.chance(60) ? Face::fixed : Face::periodic;
  const OperatorInfo& info = *find_operator(name);
  if (info.linear) spec.terms = terms_of(info.shape, 3, radius);
  for (Term<double>& term : spec.terms) term.coefficient *= 0.5 + 0.125 * static_cast<double>(maker.below(9));
  for (const char* number : {"dt", "diffusivity", "speed"}) spec.settings.set(number, 0.3);
  spec.norm = maker.chance(50) ? Norm::max : Norm::l2;
  sample.step = maker.below(5);
  sample.steps = 1 + maker.below(12);
  spec.pass_steps = 1 + maker.below(sample.steps);
  spec.depth = maker.chance(70) ? 0 : 1 + maker.below(6);
  maker.set_slabs(spec, maker.least_rows(radius), 10, 40);
  spec.parts = 1 + maker.below(3);
  testing::SampleMaker::make_room(spec);
  return sample;
}

/// Any faces of an axis, both periodic or neither.
Faces any_faces(testing::SampleMaker& maker) {
  constexpr Face kinds[] = {Face::fixed, Face::edge, Face::reflect, Face::symmetric, Face::value};
  if (maker.chance(20)) return {Face::periodic, Face::periodic, 0, 0};
  return {kinds[maker.below(5)], kinds[maker.below(5)], 0.25, -0.5};
}

/// A formula of radius 1 on a wide grid, which is made many steps at a time.
template <class T>
testing::Sample formula_sample(testing::SampleMaker& maker, const std::string& name, std::int64_t most_rows,
                               std::int64_t least_width, std::int64_t more_width) {
  testing::Sample sample;
  StencilSpec& spec = sample.spec;
  spec.name = name;
  spec.value = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
  spec.extents = {2 + maker.below(most_rows), 1, least_width + maker.below(more_width)};
  if (maker.chance(70)) spec.extents[2] = spec.extents[2] / 4 * 4;
  for (const std::size_t axis : {0, 2}) spec.faces[axis] = name == "fdtd2d" ? Faces{} : any_faces(maker);
  const bool fixed = spec.faces[0].low == Face::fixed && spec.faces[0].high == Face::fixed;
  if (fixed && maker.chance(10)) spec.extents[0] = 1;
  spec.faces[1].low = spec.faces[1].high = Face::edge;
  if (find_operator(name)->linear) {
    spec.terms = terms_of(find_operator(name)->shape, 2, 1);
    for (Term<double>& term : spec.terms) {
      term.coefficient *= 0.5 + 0.125 * static_cast<double>(maker.below(9));
      if (maker.chance(10)) term.array = spec.arrays++;
    }
  }
  spec.settings.set("dt", 0.25);
  for (const char* quantity : {"diffusivity", "speed"}) {
    const bool is_read = name.starts_with(*quantity == 'd' ? "heat" : "wave");
    if (is_read && maker.chance(30)) spec.given[quantity] = spec.arrays++;
    else spec.settings.set(quantity, 0.5);
  }
  if (name == "hotspot") spec.given["power"] = spec.arrays++;
  if (maker.chance(25)) spec.source = spec.arrays++;
  if (maker.chance(25)) spec.mask = spec.arrays++;
  sample.step = maker.below(5);
  sample.steps = 1 + maker.below(maker.chance(50) ? 6 : 36);
  for (std::int64_t i = 0; i < sample.step + sample.steps; ++i)
    spec.drive.push_back(0.01 * static_cast<double>(i + 1));
  spec.norm = maker.chance(50) ? Norm::max : Norm::l2;
  spec.pass_steps = 1 + maker.below(sample.steps);
  spec.depth = maker.chance(70) ? 0 : 1 + maker.below(16);
  maker.set_slabs(spec, maker.least_rows(1), 20, 40);
  spec.parts = 1 + maker.below(3);
  testing::SampleMaker::make_room(spec);
  return sample;
}

TEMPLATE_TEST_CASE("several steps at a time in three dimensions on CUDA give the bits of the definition", "", float,
                   double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  const auto check_all = [&](const std::string& name, int most_radius) {
    for (int radius = 1; radius <= most_radius; ++radius) {
      for (unsigned seed = 0; seed < (simulated ? radius == 1 ? 6u : 3u : 60u); ++seed) {
        INFO("seed " << seed);
        testing::SampleMaker maker(
            40000 + 100 * seed + 10 * static_cast<unsigned>(radius) + static_cast<unsigned>(name[0]), 0, 0);
        check(maker,
              perhaps_with_points(
                  maker, volume_sample<TestType>(maker, name, radius, simulated ? 20 : 80, simulated ? 60 : 160)),
              *context);
      }
    }
  };
  check_all("star3d", 4);
  check_all("box3d", 2);
  check_all("heat3d", 1);
  check_all("wave3d", 1);
}

TEMPLATE_TEST_CASE("many steps at a time of formulas on CUDA give the bits of the definition", "", float, double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  unsigned seed = 0;
  for (const char* name : {"heat2d", "wave2d", "fdtd2d", "hotspot", "star2d", "box2d"}) {
    for (unsigned sample = 0; sample < (simulated ? 15u : 200u); ++sample) {
      testing::SampleMaker maker(40000 + ++seed, 0, 0);
      INFO("seed " << seed);
      const std::int64_t tile = 32 * (sizeof(TestType) == 4 ? 8 : 4);
      check(maker,
            perhaps_with_points(
                maker, formula_sample<TestType>(maker, name, simulated ? 40 : 400, tile, simulated ? tile : 1000)),
            *context);
    }
  }
}

TEST_CASE("grids of one column on CUDA give the bits of the definition") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (const Face face : {Face::edge, Face::periodic, Face::value, Face::fixed}) {
    for (const char* name : {"star2d", "box2d", "heat2d"}) {
      INFO(name << ", faces " << static_cast<int>(face));
      testing::SampleMaker maker(50000, 0, 0);
      testing::Sample sample;
      StencilSpec& spec = sample.spec;
      spec.name = name;
      spec.value = ElementType::f32;
      spec.extents = {300, 1, 1};
      spec.faces[0] = {Face::edge, Face::edge, 0, 0};
      spec.faces[1] = {Face::edge, Face::edge, 0, 0};
      spec.faces[2] = {face, face, 0.25, -0.5};
      if (find_operator(name)->linear) spec.terms = terms_of(find_operator(name)->shape, 2, 1);
      for (Term<double>& term : spec.terms) term.coefficient = 0.125;
      spec.settings.set("dt", 0.25);
      spec.settings.set("diffusivity", 0.5);
      sample.steps = 3;
      spec.pass_steps = 3;
      spec.slab_rows = 300;
      check(maker, sample, *context);
    }
  }
}

TEST_CASE("separable boxes with any faces on CUDA give the bits of their definition") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  for (unsigned seed = 32000; seed < (simulated ? 32020u : 32400u); ++seed) {
    INFO("seed " << seed);
    testing::SampleMaker maker(seed, simulated ? 600 : 20000, simulated ? 8 : 24);
    check(maker, maker.make_separable(), *context);
  }
}

TEMPLATE_TEST_CASE("wide separable boxes on CUDA give the bits of their definition", "", float, double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  for (int radius = 1; radius <= most_radius; ++radius) {
    for (unsigned seed = 0; seed < (simulated ? 2u : 60u); ++seed) {
      testing::SampleMaker maker(30000 + 10 * seed + static_cast<unsigned>(radius), 0, 0);
      const std::int64_t tile =
          32 * measured::CudaStream::sizes(measured::StreamForm::separable, radius, sizeof(TestType)).cells;
      testing::Sample sample =
          wide_sample<TestType>(maker, Shape::box, radius, simulated ? 40 : 400, tile, simulated ? tile : 1000);
      maker.separate(sample.spec);
      check(maker, perhaps_with_points(maker, sample), *context);
    }
  }
}

/// A sum in two dimensions with fixed faces, for the schedules of tiles: a star, a box or any offsets.
template <class T>
testing::Sample tiled_sample(testing::SampleMaker& maker, Schedule schedule, int radius, std::int64_t most_extent) {
  testing::Sample sample;
  StencilSpec& spec = sample.spec;
  const std::int64_t kind = maker.below(3);
  spec.name = kind == 0 ? "star2d" : kind == 1 ? "box2d" : "offsets";
  spec.value = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
  spec.radius = radius;
  spec.extents = {1 + maker.below(most_extent), 1, 1 + maker.below(most_extent)};
  spec.faces[1].low = spec.faces[1].high = Face::edge;
  if (kind < 2) spec.terms = terms_of(kind == 0 ? Shape::star : Shape::box, 2, radius);
  for (std::int64_t left = kind < 2 ? 0 : 1 + maker.below(12); left > 0; --left) {
    const auto offset = [&] { return static_cast<i32>(maker.below(2 * radius + 1)) - radius; };
    spec.terms.push_back({{offset(), 0, offset()}, -1, 0});
  }
  const double scale = 1.5 / static_cast<double>(spec.terms.size());
  for (Term<double>& term : spec.terms) term.coefficient = scale * (static_cast<double>(maker.below(17)) - 8) / 8;
  spec.norm = maker.chance(50) ? Norm::max : Norm::l2;
  sample.step = maker.below(40);
  sample.steps = 1 + maker.below(maker.chance(50) ? 6 : 36);
  spec.pass_steps = 1 + maker.below(sample.steps);
  spec.depth = maker.chance(70) ? 0 : 1 + maker.below(16);
  maker.set_slabs(spec, maker.least_rows(radius), 40, 50);
  spec.parts = 1 + maker.below(3);
  testing::SampleMaker::make_room(spec);
  spec.schedule = schedule;
  spec.streams = maker.chance(40) ? 0 : 1 + maker.below(4);
  return sample;
}

constexpr SkewedTile all_tiles[] = {{64, 64}, {64, 32}, {32, 32}};

TEMPLATE_TEST_CASE("tiles in shared memory on CUDA give the bits of the definition", "", float, double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  for (int radius = 1; radius <= most_radius; ++radius) {
    for (unsigned seed = 0; seed < (simulated ? 2u : 100u); ++seed) {
      testing::SampleMaker maker(20000 + 100 * seed + static_cast<unsigned>(radius), 0, 0);
      const std::int64_t most = maker.chance(30) ? 60 : simulated ? 150 : 700;
      INFO("seed " << seed);
      check(maker, tiled_sample<TestType>(maker, Schedule::overlapped, radius, most), *context);
      for (const SkewedTile tile : all_tiles) {
        if (skewed_steps(tile, radius) == 0) continue;
        testing::Sample sample = tiled_sample<TestType>(maker, Schedule::time_skewed, radius, most);
        sample.spec.tile = tile;
        INFO(name_of(tile) << ", streams " << sample.spec.streams);
        check(maker, sample, *context);
      }
    }
  }
}

/// Words, descriptors and results of a launch.
struct Launched {
  device::u64 ready, stop, abort, done, failed, skipped;
  StencilTask tasks[3];
  StencilResult results[3];
};

TEST_CASE("rows of time-skewed tiles end when the launch is aborted") {
  const auto context = test::cuda_context();
  if (!context) return;
  StencilSpec spec;
  spec.name = "star2d";
  spec.value = ElementType::f32;
  spec.extents = {300, 1, 200};
  spec.faces[1].low = spec.faces[1].high = Face::edge;
  spec.terms = terms_of(Shape::star, 2, 1);
  spec.slab_rows = 300;
  spec.pass_steps = 64;
  spec.schedule = Schedule::time_skewed;
  spec.tile = {32, 32};
  CudaStencil stencil(spec, *context);
  testing::GuardedMemory rows(*context, 300 * 200 * 4);
  auto* launched = static_cast<Launched*>(context->allocate_host(sizeof(Launched)));
  for (int delay = 0; delay < 12; ++delay) {
    *launched = {1, 0, 0, 0, 0, 0, {}, {}};
    launched->tasks[0] = Cut(spec).task_of(Cut(spec).slab(0, 64), 0, 64);
    launched->tasks[0].fields[0] = {1, 300, {0}, {rows.data()}};
    std::thread host([&] {
      std::this_thread::sleep_for(std::chrono::microseconds(delay * delay * 200));
      __atomic_store_n(&launched->abort, 1, __ATOMIC_RELEASE);
    });
    stencil.run({&launched->ready, &launched->stop, &launched->abort, &launched->done, &launched->failed,
                 &launched->skipped, launched->tasks, launched->results, 3, sizeof(StencilTask),
                 sizeof(StencilResult), 0, 1});
    context->record(device::Queue::compute)->wait();
    host.join();
    CHECK(launched->done <= 1);
  }
  CHECK(rows.is_intact());
  context->release_host(launched, sizeof(Launched));
}

/// Stencils that a schedule of tiles computes, until a test spoils them.
StencilSpec tiled_spec(Schedule schedule) {
  testing::SampleMaker maker(1, 0, 0);
  StencilSpec spec = tiled_sample<float>(maker, schedule, 1, 50).spec;
  spec.tile = {64, 64};
  testing::as_one_slab(spec);
  return spec;
}

TEST_CASE("time-skewed tiles have the steps of the paper's table 11") {
  const int steps[3][most_radius] = {
      {8, 8, 4, 0, 0, 0, 0, 0}, {16, 16, 8, 8, 8, 4, 4, 4}, {16, 16, 16, 8, 8, 8, 4, 4}};
  for (std::size_t t = 0; t < 3; ++t) {
    CHECK(skewed_tile_from(name_of(all_tiles[t])) == all_tiles[t]);
    for (int radius = 1; radius <= most_radius; ++radius) {
      CHECK(skewed_steps(all_tiles[t], radius) == steps[t][radius - 1]);
      StencilSpec spec = tiled_spec(Schedule::time_skewed);
      spec.tile = all_tiles[t];
      spec.radius = radius;
      const auto fault = schedule_fault(spec);
      REQUIRE(fault.has_value() == (steps[t][radius - 1] == 0));
      if (!fault) continue;
      CHECK(std::string(fault->parameter) == "tile");
      CHECK(fault->why.find("64x32 and 32x32 have") != std::string::npos);
    }
  }
}

TEST_CASE("stencils that no schedule of tiles computes are refused") {
  for (const Schedule schedule : {Schedule::overlapped, Schedule::time_skewed}) {
    const StencilSpec good = tiled_spec(schedule);
    CHECK_FALSE(schedule_fault(good));
    const auto refused = [&](const auto& spoil) {
      StencilSpec spec = good;
      spoil(spec);
      const auto fault = schedule_fault(spec);
      return fault && fault->why.find("`" + name_of(schedule) + "` computes ") == 0;
    };
    CHECK(refused([](StencilSpec& spec) { spec.faces[0].high = Face::edge; }));
    CHECK(refused([](StencilSpec& spec) { spec.faces[2].low = spec.faces[2].high = Face::periodic; }));
    CHECK(refused([](StencilSpec& spec) { spec.source = 0; }));
    CHECK(refused([](StencilSpec& spec) { spec.mask = 0; }));
    CHECK(refused([](StencilSpec& spec) { spec.terms[0].array = 0; }));
    CHECK(refused([](StencilSpec& spec) { spec.terms.resize(most_tiled_terms + 1); }));
    CHECK(refused([](StencilSpec& spec) { spec.rank = 1; }));
    CHECK(refused([](StencilSpec& spec) { spec.name = "heat2d"; }));
  }
}

struct SmallCase {
  StencilSpec spec;
  Grids<float> grids;
};

/// A grid of box2d, 9 x 40, in slabs of 3 rows.
SmallCase small_case() {
  SmallCase one;
  one.spec.name = "box2d";
  one.spec.value = ElementType::f32;
  one.spec.extents = {9, 1, 40};
  one.spec.faces[1].low = one.spec.faces[1].high = Face::edge;
  one.spec.terms = terms_of(Shape::box, 2, 1);
  one.spec.arrays = 1;
  one.spec.source = 0;
  one.spec.slab_rows = 3;
  one.spec.pass_steps = 2;
  one.grids.fields.assign(1, std::vector<float>(9 * 40, 1));
  one.grids.arrays.assign(1, std::vector<float>(9 * 40, 0));
  return one;
}

TEST_CASE("no block of a stopped launch is begun on CUDA") {
  const auto context = test::cuda_context();
  if (!context) return;
  const SmallCase one = small_case();
  CudaStencil stencil(one.spec, *context);
  testing::GuardedMemory rows(*context, 9 * 40 * 4), copied(*context, 9 * 40 * 4);
  auto* launched = static_cast<Launched*>(context->allocate_host(sizeof(Launched)));
  const auto done_with = [&](device::u64 ready, device::u64 stop, device::u64 abort) {
    *launched = {ready, stop, abort, 0, 0, 0, {}, {}};
    for (StencilTask& task : launched->tasks) {
      task.work = Work::save;
      task.row_end = 9;
      task.fields[0] = {1, 9, {0}, {rows.data()}};
      task.targets[0] = {1, 9, {0}, {copied.data()}};
    }
    stencil.run({&launched->ready, &launched->stop, &launched->abort, &launched->done, &launched->failed,
                 &launched->skipped, launched->tasks, launched->results, 3, sizeof(StencilTask),
                 sizeof(StencilResult), 0, 3});
    context->record(device::Queue::compute)->wait();
    return launched->done;
  };
  const std::vector<float> values(9 * 40, 5);
  rows.put(values.data());
  CHECK(done_with(3, 1, 0) == 0);
  CHECK(done_with(3, 0, 1) == 0);
  std::vector<float> read(9 * 40);
  copied.get(read.data());
  CHECK(read[0] != 5);
  CHECK(done_with(2, 2, 0) == 2);
  CHECK(done_with(3, 0, 0) == 3);
  copied.get(read.data());
  CHECK(read == values);
  CHECK(copied.is_intact());
  context->release_host(launched, sizeof(Launched));
}

}  // namespace
}  // namespace terrace::stencil
