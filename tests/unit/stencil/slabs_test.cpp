// The cut of stencils into slabs, at every budget.
#include "stages/stencil/slabs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <utility>
#include <vector>

#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/methods.hpp"
#include "kernels/stencil/operators.hpp"
#include "pipeline/base/rounding.hpp"

namespace terrace::stages {
namespace {

stencil::StencilSpec grid(std::int64_t rows, std::int64_t columns, int radius) {
  stencil::StencilSpec spec;
  spec.name = "star2d";
  spec.extents = {rows, 1, columns};
  spec.radius = radius;
  spec.value = ElementType::f32;
  return spec;
}

Resources resources_of(bool cuda, std::size_t device, std::size_t host) {
  Resources resources;
  resources.cuda = cuda;
  resources.device_budget = device;
  resources.host_budget = host;
  return resources;
}

/// A kernel of 4 T cells a second that makes 16 steps at a time.
StencilKernel kernel_with(std::function<std::int64_t(const stencil::StencilSpec&)> workspace) {
  return {{.seconds = 2.5e-13, .bytes = 0.5, .steps = 16}, 270, std::move(workspace)};
}
StencilKernel kernel_alone() {
  return kernel_with([](const stencil::StencilSpec&) { return 0; });
}

TEST_CASE("a grid that fits is one slab, else slabs hold what they hand on") {
  for (const bool cuda : {false, true}) {
    for (const int radius : {1, 2, 8}) {
      for (const std::int64_t span : {1, 10, 33, 500, 512}) {
        for (std::size_t budget = std::size_t{1} << 24; budget <= std::size_t{1} << 32; budget *= 4) {
          stencil::StencilSpec spec = grid(16384, 16384, radius);
          const StencilKernel kernel =
              kernel_with([](const stencil::StencilSpec& cut) { return cut.slab_rows * cut.width() * 4; });
          const Resources resources = resources_of(cuda, budget, budget);
          choose_stencil_slabs(spec, {}, span, resources, kernel);
          CAPTURE(cuda, radius, span, budget, spec.slab_rows, spec.pass_steps);
          CHECK(spec.pass_steps >= 1);
          CHECK(spec.pass_steps <= span);
          CHECK(has_room_for_slabs(spec, {}, Held::own, resources, kernel));
          if (spec.slab_rows < 16384) {
            CHECK(spec.slab_rows % spec.slab_tiles == 0);
            CHECK(spec.slab_rows >= stencil::least_slab_rows(radius, spec.at_once));
            CHECK(stencil::Cut(spec).streams());
          } else {
            CHECK(budget >= std::size_t{1} << 30);
          }
        }
      }
    }
  }
}

TEST_CASE("a grid that fits one device is dealt to several from 2^25 cells on") {
  constexpr std::int64_t columns = 4096, dealt_rows = 8192;
  for (const bool cuda : {false, true}) {
    for (const int devices : {1, 2, 4}) {
      for (const std::int64_t rows : {std::int64_t{64}, dealt_rows - 1, dealt_rows, 2 * dealt_rows}) {
        stencil::StencilSpec spec = grid(rows, columns, 1);
        Resources resources = resources_of(cuda, std::size_t{1} << 34, std::size_t{1} << 34);
        resources.devices = devices;
        choose_stencil_slabs(spec, {}, 512, resources, kernel_alone());
        CAPTURE(cuda, devices, rows);
        const std::int64_t parts = rows >= dealt_rows ? devices : 1;
        CHECK(spec.parts == parts);
        CHECK(spec.slab_rows == rows / parts);
      }
    }
  }
}

Resources h200(std::size_t device) {
  Resources resources = resources_of(true, device, std::size_t{1} << 37);
  resources.device.operations_per_second = 1.66e13;
  resources.device.memory_bytes_per_second = 4.2e12;
  resources.device.link_bytes_per_second = 5e10;
  resources.device.processors = 132;
  resources.device.block_shared_bytes = 227 << 10;
  return resources;
}

/// The cut that is chosen for a stencil by the kernel that computes it on an H200.
stencil::StencilSpec cut_of(stencil::StencilSpec spec, std::int64_t steps, std::size_t device) {
  const Resources resources = h200(device);
  const stencil::StencilMethod& method = choose_stencil_method(spec, device::Backend::cuda, resources.device);
  const StencilKernel kernel{method.cost(spec, resources.device), lost_rows(method, spec, resources.device),
                             [&](const stencil::StencilSpec& cut) {
                               return static_cast<std::int64_t>(method.workspace(cut, resources.device));
                             }};
  choose_stencil_slabs(spec, {}, steps, resources, kernel);
  CHECK(has_room_for_slabs(spec, {}, Held::others, resources, kernel));
  return spec;
}

TEST_CASE("memory of a quarter of a cube makes few passes of many steps") {
  stencil::StencilSpec cube = grid(1024, 1024, 1);
  cube.name = "star3d";
  cube.rank = 3;
  cube.extents = {1024, 1024, 1024};
  cube.terms = stencil::terms_of(stencil::Shape::star, 3, 1);
  const auto passes = [&](std::size_t device) {
    return ceiling(std::int64_t{256}, cut_of(cube, 256, device).pass_steps);
  };
  CHECK(passes(std::size_t{1} << 30) <= 5);
  CHECK(passes(std::size_t{1} << 29) <= 9);
  for (const std::size_t device : {std::size_t{1} << 30, std::size_t{1} << 29}) {
    const stencil::StencilSpec cut = cut_of(cube, 256, device);
    CHECK(cut.at_once == 4);  // all levels of the kernel
    CHECK(cut.slab_rows >= 8);
  }
}

TEST_CASE("wide grids in two dimensions keep high slabs") {
  stencil::StencilSpec spec = grid(65536, 32768, 1);
  spec.faces[1] = {stencil::Face::edge, stencil::Face::edge, 0, 0};
  spec.terms = stencil::terms_of(stencil::Shape::star, 2, 1);
  const stencil::StencilSpec large = cut_of(spec, 512, std::size_t{1} << 32), small = cut_of(spec, 512, 1 << 30);
  CHECK(large.pass_steps == 512);
  CHECK(large.slab_rows == 4096);  // 512 MiB
  CHECK(small.pass_steps == 512);
  CHECK(small.slab_tiles > 1);
  CHECK(small.slab_rows > 1400);
}

TEST_CASE("a slab's tiles are its rows, and those of all slabs the grid's") {
  stencil::StencilSpec spec = grid(100, 10, 1);
  spec.slab_rows = 36;
  spec.slab_tiles = 3;
  spec.pass_steps = 5;
  const stencil::Cut cut(spec);
  CHECK(cut.slabs() == 3);
  CHECK(cut.tiles() == 9);
  std::int64_t row = 0;
  for (std::int64_t block = cut.leads_of(0); block < cut.blocks(); ++block) {
    CHECK(cut.slab(block, 5).rows.begin == row);
    row = cut.slab(block, 5).rows.end;
  }
  CHECK(row == 100);
  for (std::int64_t tile = 0; tile < cut.tiles(); ++tile) CHECK(cut.tile(tile).begin == 12 * tile);
  CHECK(cut.tile(8).end == 100);
}

TEST_CASE("more memory takes no longer") {
  double before = 1e9;
  for (std::size_t budget = std::size_t{1} << 25; budget <= std::size_t{1} << 30; budget *= 2) {
    stencil::StencilSpec spec = grid(65536, 16384, 1);
    const Resources resources = resources_of(true, budget, std::size_t{1} << 34);
    choose_stencil_slabs(spec, {}, 512, resources, kernel_alone());
    const double seconds = stencil_seconds(spec, 512, resources, kernel_alone());
    CAPTURE(budget, spec.pass_steps, spec.slab_rows);
    CHECK(seconds <= before);
    before = seconds;
  }
}

TEST_CASE("slabs of a part make each row of each level once, and take the rows of each tile last where it says") {
  for (const bool wraps : {false, true}) {
    for (const std::int64_t slab_rows : {4, 12, 40}) {
      for (const std::int64_t parts : {1, 2, 3}) {
        for (const std::int64_t steps : {1, 4, 9}) {
          stencil::StencilSpec spec = grid(100, 10, 2);
          if (wraps) spec.faces[0] = {stencil::Face::periodic, stencil::Face::periodic, 0, 0};
          spec.slab_rows = slab_rows;
          spec.parts = parts;
          spec.pass_steps = 9;
          const stencil::Cut cut(spec);
          if (!cut.streams()) continue;
          CAPTURE(wraps, slab_rows, parts, steps);
          std::vector<std::int64_t> last(static_cast<std::size_t>(cut.tiles()), 0);
          std::int64_t block = 0, made = 0;
          for (std::int64_t part = 0; part < parts; ++part) {
            std::vector<std::int64_t> ends;  // of the rows so far, by level
            for (std::int64_t level = 0; level <= steps; ++level) {
              ends.push_back(before_levels(spec.axis(), cut.rows_of(part), steps - level).begin);
            }
            for (std::int64_t turn = 0; turn < cut.turns_of(part); ++turn, ++block) {
              const stencil::Slab slab = cut.slab(block, steps);
              CHECK(cut.block_of(slab) == block);
              CHECK(slab.part == part);
              CHECK(slab.first == (turn == 0));
              made += cut.made_rows(slab, steps);
              const stencil::StencilTask task = cut.task_of(slab, 0, steps);
              for (std::int64_t level = 0; level <= steps; ++level) {
                const stencil::RowRange rows = level_rows(spec.axis(), task, level);
                if (rows.count() == 0) continue;
                CHECK(rows.count() <= slab_rows);
                auto& end = ends[static_cast<std::size_t>(level)];
                CHECK(rows.begin == end);
                end = rows.end;
              }
              CHECK(level_rows(spec.axis(), task, steps).count() == cut.result_rows(slab).count());
              cut.for_each_piece(cut.taken_rows(slab, steps), [&](stencil::RowRange rows, std::int64_t) {
                for (std::int64_t row = rows.begin; row < rows.end; ++row) {
                  last[static_cast<std::size_t>(row / slab_rows)] = block;
                }
              });
            }
            for (std::int64_t level = 0; level <= steps; ++level) {
              CHECK(ends[static_cast<std::size_t>(level)] ==
                    before_levels(spec.axis(), cut.rows_of(part), steps - level).end);
            }
          }
          CHECK(block == cut.blocks());
          CHECK(made == 100 * steps);
          for (std::int64_t tile = 0; tile < cut.tiles(); ++tile) {
            CHECK(cut.last_to_take(tile, steps) == last[static_cast<std::size_t>(tile)]);
          }
        }
      }
    }
  }
}

TEST_CASE("parts of one slab have rims where they do not end at an end of the grid") {
  for (const bool wraps : {false, true}) {
    stencil::StencilSpec spec = grid(100, 10, 2);
    if (wraps) spec.faces[0] = {stencil::Face::periodic, stencil::Face::periodic, 0, 0};
    spec.slab_rows = 34;
    spec.pass_steps = 5;
    spec.parts = 3;
    const stencil::Cut cut(spec);
    CHECK(cut.blocks() == 3);
    CHECK(cut.has_rims());
    for (std::int64_t part = 0; part < 3; ++part) {
      const stencil::Slab slab = cut.slab(part, 5);
      CHECK((slab.first && slab.last && !slab.leads));
      CHECK(slab.above.count() == (wraps || part > 0 ? 10 : 0));
      CHECK(slab.below.count() == (wraps || part < 2 ? 10 : 0));
      CHECK(level_rows(spec.axis(), cut.task_of(slab, 0, 5), 0).begin == slab.above.begin);
    }
  }
}

}  // namespace
}  // namespace terrace::stages
