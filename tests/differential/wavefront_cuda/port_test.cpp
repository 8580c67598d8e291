// Launches on CUDA: stop, abort, a table in several launches, any ring; memory that is counted.
#include <catch2/catch.hpp>
#include <chrono>

#include "kernels/wavefront/reference/reference.hpp"
#include "tests/differential/wavefront/samples.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

SweepSpec lcs_spec(std::int64_t rows, std::int64_t columns, std::int64_t block_rows, std::int64_t block_columns) {
  SweepSpec spec;
  spec.problem = "lcs";
  spec.rows = rows;
  spec.columns = columns;
  spec.block_rows = block_rows;
  spec.block_columns = block_columns;
  spec.value = spec.border = ElementType::i32;
  return spec;
}

/// A table of letters with its score.
struct Table {
  Table(device::Context& context, const SweepSpec& spec, const CudaTrial& trial, std::uint64_t ring = 3)
      : input{test::make_letters(test::Letters::random, true, spec.rows, 3),
              test::make_letters(test::Letters::random, false, spec.columns, 3),
              {}},
        cuda(spec, context, input, trial, ring),
        expected(letters_reference<Lcs>({1, 0}, input.rows, input.columns).score) {}

  testing::TableInput input;
  testing::CudaTable cuda;
  std::int64_t expected;
};

TEST_CASE("a CUDA launch that is stopped finishes what it began, and a later launch goes on to the same result") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (std::uint64_t stop_after : {0, 1, 2, 5, 11}) {
    Table table(*context, lcs_spec(200, 300, 37, 41), test::trial_of(static_cast<unsigned>(stop_after)));
    std::uint64_t done = 0;
    int launches = 0;
    for (; done < table.cuda.blocks(); ++launches) {
      table.cuda.run(done, table.cuda.blocks() - done, launches < 3 ? stop_after : ~0ull);
      REQUIRE(table.cuda.failed == 0);
      REQUIRE(launches < 50);
      done = table.cuda.done;
    }
    CHECK(table.cuda.results.back().score == table.expected);
  }
}

TEST_CASE("an aborted CUDA launch ends soon, even while it waits for blocks that never come") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (std::uint64_t abort_after : {0, 1, 7}) {
    Table table(*context, lcs_spec(400, 400, 20, 20), test::trial_of(3));
    const auto before = std::chrono::steady_clock::now();
    table.cuda.run(0, table.cuda.blocks(), ~0ull, abort_after);
    CHECK(table.cuda.done < table.cuda.blocks());
    CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(20));
  }
}

TEST_CASE("every split of a table into CUDA launches, and every ring, gives the same result", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  for (std::uint64_t part : {1, 2, 3, 5, 8, 100}) {
    for (std::uint64_t ring : {1, 2, 40}) {
      for (const bool strips : {false, true}) {
        SweepSpec spec = lcs_spec(150, 170, 40, 50);
        spec.by_strips = strips;
        Table table(*context, spec, test::trial_of(static_cast<unsigned>(part)), ring);
        for (std::uint64_t first = 0; first < table.cuda.blocks(); first += part) {
          const std::uint64_t count = std::min<std::uint64_t>(part, table.cuda.blocks() - first);
          table.cuda.run(first, count);
          REQUIRE(table.cuda.done == first + count);
        }
        CHECK(table.cuda.results.back().score == table.expected);
      }
    }
  }
}

TEST_CASE("CUDA memory in use is counted and given back") {
  const auto context = test::cuda_context();
  if (!context) return;
  {
    const device::Memory device_memory(*context, 1000), host_memory(*context, 300, device::In::host);
    CHECK(device::memory_use(*context).device_bytes == 1000);
    CHECK(device::memory_use(*context).host_bytes == 300);
  }
  CHECK(device::memory_use(*context).device_bytes == 0);
  CHECK(device::memory_use(*context).host_bytes == 0);
  CHECK_THROWS_AS(context->allocate(std::size_t{1} << 50), DeviceError);
}

TEST_CASE("a CUDA device that is not there is an error that says how many there are") {
  if (!test::cuda_context()) return;
  CHECK_THROWS_WITH(device::make_cuda_context(1000), Catch::Contains("numbered from 0"));
}

}  // namespace
}  // namespace terrace::wavefront
