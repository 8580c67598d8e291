// The cut of stencils into slabs, at every budget.
#include "stages/stencil/slabs.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "kernels/stencil/cut.hpp"

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

TEST_CASE("a grid that fits is one slab, else slabs hold what they hand on") {
  for (const bool cuda : {false, true}) {
    for (const int radius : {1, 2, 8}) {
      for (const std::int64_t span : {1, 10, 33, 500, 512}) {
        for (std::size_t budget = std::size_t{1} << 24; budget <= std::size_t{1} << 32; budget *= 4) {
          stencil::StencilSpec spec = grid(16384, 16384, radius);
          const auto workspace = [&](const stencil::StencilSpec& cut) { return cut.slab_rows * cut.width() * 4; };
          choose_stencil_slabs(spec, {}, span, resources_of(cuda, budget, budget), workspace);
          CAPTURE(cuda, radius, span, budget, spec.slab_rows, spec.pass_steps);
          CHECK(spec.pass_steps >= 1);
          CHECK(spec.pass_steps <= span);
          CHECK(stencil_slab_bytes(spec, {}, Held::own) + workspace(spec) <= static_cast<std::int64_t>(budget) * 2);
          if (spec.slab_rows < 16384) {
            CHECK(spec.slab_rows % spec.slab_tiles == 0);
            CHECK(spec.tile_rows() >= stencil::least_tile_rows(radius, spec.pass_steps, stencil::most_steps_at_once));
            CHECK(stencil_slab_bytes(spec, {}, Held::own) <= static_cast<std::int64_t>(budget));
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
        choose_stencil_slabs(spec, {}, 512, resources, [](const stencil::StencilSpec&) { return 0; });
        CAPTURE(cuda, devices, rows);
        const std::int64_t parts = rows >= dealt_rows ? devices : 1;
        CHECK(spec.parts == parts);
        CHECK(spec.slab_rows == rows / parts);
      }
    }
  }
}

TEST_CASE("slabs consist of tiles where that makes them higher, and fit the budget") {
  stencil::StencilSpec spec = grid(65536, 32768, 1);
  const auto workspace = [](const stencil::StencilSpec& cut) { return (cut.slab_rows + 600) * cut.width() * 4; };
  const std::size_t budget = std::size_t{1} << 30;
  choose_stencil_slabs(spec, {}, 512, resources_of(true, budget, std::size_t{1} << 34), workspace);
  CHECK(spec.pass_steps == 512);
  CHECK(spec.slab_tiles > 1);
  const auto bytes = [&](const stencil::StencilSpec& cut) {
    return static_cast<std::size_t>(stencil_slab_bytes(cut, {}, Held::others) + workspace(cut));
  };
  CHECK(bytes(spec) <= budget);
  stencil::StencilSpec one = spec;
  one.slab_tiles = 1;
  CHECK(bytes(one) > budget);
}

TEST_CASE("a slab's tiles are its rows, and those of all slabs the grid's") {
  stencil::StencilSpec spec = grid(100, 10, 1);
  spec.slab_rows = 36;
  spec.slab_tiles = 3;
  spec.pass_steps = 5;
  const stencil::Cut cut(spec);
  CHECK(cut.slabs() == 3);
  CHECK(cut.tiles() == 9);
  std::int64_t row = 0, next = 0;
  for (std::int64_t slab = 0; slab < cut.slabs(); ++slab) {
    CHECK(cut.rows_of_slab(slab).begin == row);
    CHECK(cut.tiles_of(slab).begin == next);
    for (; next < cut.tiles_of(slab).end; ++next) {
      CHECK(cut.tile(next).begin == row);
      CHECK(cut.slab_of(next) == slab);
      row = cut.tile(next).end;
    }
    CHECK(cut.rows_of_slab(slab).end == row);
  }
  CHECK(next == 9);
  CHECK(row == 100);
}

TEST_CASE("more memory gives passes of more steps") {
  std::int64_t before = 0;
  for (std::size_t budget = std::size_t{1} << 25; budget <= std::size_t{1} << 30; budget *= 2) {
    stencil::StencilSpec spec = grid(65536, 16384, 1);
    choose_stencil_slabs(spec, {}, 512, resources_of(true, budget, std::size_t{1} << 34),
                         [](const stencil::StencilSpec&) { return 0; });
    CHECK(spec.pass_steps >= before);
    before = spec.pass_steps;
  }
  CHECK(before == 512);
}

TEST_CASE("parts are runs of slabs, with rims where they do not end at an end of the grid") {
  stencil::StencilSpec spec = grid(100, 10, 2);
  spec.slab_rows = 12;
  spec.pass_steps = 5;
  for (const bool wraps : {false, true}) {
    if (wraps) spec.faces[0] = {stencil::Face::periodic, stencil::Face::periodic, 0, 0};
    for (const std::int64_t parts : {1, 2, 3, 9, 20}) {
      spec.parts = parts;
      const stencil::Cut cut(spec);
      CHECK(cut.slabs() == 9);
      CHECK(cut.parts() == std::min<std::int64_t>(parts, 9));
      CHECK(cut.has_rims() == (wraps || parts > 1));
      std::int64_t row = 0;
      for (std::int64_t number = 0; number < cut.slabs(); ++number) {
        const stencil::Slab slab = cut.slab(number, 5);
        CHECK(slab.rows.begin == row);
        row = slab.rows.end;
        CHECK(slab.above.count() == (slab.first && (wraps || number > 0) ? 10 : 0));
        const std::int64_t below = !slab.last ? 0 : wraps ? 10 : std::min<std::int64_t>(10, 100 - slab.rows.end);
        CHECK(slab.below.count() == below);
        const stencil::RowRange result = cut.result_rows(slab, 5);
        CHECK(result.begin == (slab.first ? slab.part_rows.begin : slab.rows.begin - 10));
        CHECK(result.end == (slab.last ? slab.part_rows.end : slab.rows.end - 10));
      }
      CHECK(row == 100);
    }
  }
}

}  // namespace
}  // namespace terrace::stages
