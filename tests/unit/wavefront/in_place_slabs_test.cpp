// The cut of in-place sweeps into slabs, at every budget.
#include "stages/in_place/slabs.hpp"

#include <catch2/catch.hpp>

namespace terrace::stages {
namespace {

constexpr std::int64_t workspace = std::int64_t{100} << 20;

in_place::InPlaceSpec chosen(std::int64_t side, std::int64_t sweeps, bool cuda, std::size_t device_mib,
                             int devices = 1) {
  in_place::InPlaceSpec spec;
  spec.problem = "sor";
  spec.rows = spec.columns = side;
  spec.value = ElementType::f32;
  Resources resources;
  resources.cuda = cuda;
  resources.device.processors = 132;
  resources.devices = devices;
  resources.device_budget = device_mib << 20;
  resources.host_budget = std::size_t{40} << 30;
  choose_slabs(spec, sweeps, resources, [](const in_place::InPlaceSpec&) { return workspace; });
  return spec;
}

/// Rows that are in memory in addition to those that come, go, and are kept by the slab below.
std::int64_t swept_rows(const in_place::InPlaceSpec& spec, std::int64_t device_mib) {
  const std::int64_t tiles = ((device_mib << 20) - workspace) / slab_bytes(spec, 1);
  return (tiles - 3) * spec.slab_rows;
}

TEST_CASE("slabs on a GPU are whole bands of a warp, as many as fill it where there is memory") {
  // 768 sweeps of a grid eight times as large as the memory: with more sweeps a pass fewer rows give all warps work.
  const in_place::InPlaceSpec eighth = chosen(65536, 768, true, 2048);
  CHECK(768 % eighth.pass_sweeps == 0);
  CHECK(eighth.slab_rows % 128 == 0);
  CHECK(eighth.slab_rows > eighth.pass_sweeps);
  CHECK(swept_rows(eighth, 2048) / 128 * (eighth.pass_sweeps / 16) >= 132 * 8);
  // A grid that fits needs no more than its passes have sweeps.
  const in_place::InPlaceSpec roomy = chosen(65536, 256, true, 60 << 10);
  CHECK(roomy.pass_sweeps == 256);
  CHECK(roomy.slab_rows * 65536 * 4 <= 512 << 20);
  CHECK(chosen(65536, 1, true, 60 << 10).slab_rows * 65536 * 4 <= 128 << 20);  // the way there takes longer
  CHECK(chosen(100, 1000, true, 1024).slab_rows == 100);
}

TEST_CASE("several GPUs have parts of slabs where the sweeps are enough for that") {
  for (const int devices : {2, 3, 5}) {
    const in_place::InPlaceSpec dealt = chosen(65536, 1024, true, 60 << 10, devices);
    CHECK(dealt.parts == devices);
    CHECK(dealt.pass_sweeps * devices <= 1024);
    CHECK(dealt.slabs() >= 3 * devices);
    CHECK(dealt.slab_rows > dealt.pass_sweeps);
    CHECK(chosen(65536, 1, true, 60 << 10, devices).parts == 1);
    CHECK(chosen(100, 1000, true, 1024, devices).parts == 1);
    CHECK(chosen(65536, 1024, false, 60 << 10, devices).parts == 1);
  }
}

TEST_CASE("grids without cells have a cut, too") {
  in_place::InPlaceSpec spec;
  spec.problem = "sor";
  spec.value = ElementType::f32;
  Resources resources;
  resources.cuda = true;
  resources.device_budget = resources.host_budget = 1 << 20;
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {0, 5}, {5, 0}}) {
    spec.rows = rows;
    spec.columns = columns;
    choose_slabs(spec, 3, resources, [](const in_place::InPlaceSpec&) { return 0; });
    CHECK(spec.slab_rows >= 1);
    CHECK(spec.pass_sweeps >= 1);
  }
}

TEST_CASE("passes on a GPU are alike") {
  for (const std::int64_t sweeps : {1, 5, 33, 100, 257, 768, 1000, 5000, 1000000}) {
    const in_place::InPlaceSpec spec = chosen(32768, sweeps, true, 1024);
    INFO(sweeps << " sweeps by " << spec.pass_sweeps << " in slabs of " << spec.slab_rows);
    CHECK(spec.pass_sweeps <= sweeps);
    CHECK(spec.slab_rows > spec.pass_sweeps);
    const std::int64_t passes = (sweeps + spec.pass_sweeps - 1) / spec.pass_sweeps;
    CHECK(sweeps - (passes - 1) * spec.pass_sweeps > 0);
    CHECK((passes == 1 || spec.pass_sweeps - (sweeps - (passes - 1) * spec.pass_sweeps) <= 32 * passes));
  }
}

TEST_CASE("slabs that are lower than a band fit any budget that holds a sweep") {
  const in_place::InPlaceSpec low = chosen(65536, 256, true, 128);
  CHECK(low.slab_rows < 128);
  CHECK(low.slab_rows > low.pass_sweeps);
  CHECK(slab_bytes(low, 2) + workspace <= 128 << 20);
  CHECK(chosen(4096, 256, false, 256).slab_rows > 256);
}

}  // namespace
}  // namespace terrace::stages
