// The cut of in-place sweeps into slabs, at every budget.
#include "stages/in_place/slabs.hpp"

#include <catch2/catch.hpp>

namespace terrace::stages {
namespace {

constexpr std::int64_t workspace = std::int64_t{100} << 20;

wavefront::InPlaceSpec chosen(std::int64_t side, std::int64_t sweeps, bool cuda, std::size_t device_mib) {
  wavefront::InPlaceSpec spec;
  spec.problem = "sor";
  spec.rows = spec.columns = side;
  spec.value = ElementType::f32;
  Resources resources;
  resources.cuda = cuda;
  resources.device.processors = 132;
  resources.device_budget = device_mib << 20;
  resources.host_budget = std::size_t{40} << 30;
  choose_slabs(spec, sweeps, resources, [](const wavefront::InPlaceSpec&) { return workspace; });
  return spec;
}

TEST_CASE("slabs on a GPU are whole bands of a warp, as many as fill it where there is memory") {
  // A band of a single row took as long as one of many sweeps' edges, and every slab below waited for it.
  const wavefront::InPlaceSpec eighth = chosen(65536, 256, true, 2048);
  CHECK(eighth.pass_sweeps == 256);
  CHECK(eighth.slab_rows % 128 == 0);
  CHECK(eighth.slab_rows >= 768);
  CHECK(slab_bytes(eighth, 3) + workspace <= std::int64_t{2} << 30);
  const wavefront::InPlaceSpec roomy = chosen(65536, 256, true, 60 << 10);
  CHECK(roomy.slab_rows == 2048);                            // 512 MiB
  CHECK(chosen(65536, 1, true, 60 << 10).slab_rows == 512);  // 128 MiB: the way there takes longer
}

TEST_CASE("slabs that are lower than a band fit any budget that holds a sweep") {
  const wavefront::InPlaceSpec low = chosen(65536, 256, true, 128);
  CHECK(low.slab_rows < 128);
  CHECK(low.slab_rows > low.pass_sweeps);
  CHECK(chosen(4096, 256, false, 256).slab_rows > 256);
}

}  // namespace
}  // namespace terrace::stages
