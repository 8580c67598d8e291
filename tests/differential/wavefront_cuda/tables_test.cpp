// Tables of two sequences on CUDA at widths around the pieces in which they are stored, also with one thread block
// for all bands, and in launches that are aborted.
#include <catch2/catch.hpp>

#include "kernels/wavefront/reference/reference.hpp"
#include "tests/differential/wavefront/samples.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

using P = SmithWatermanAffine;

SweepSpec table_spec(std::int64_t rows, std::int64_t columns, std::int64_t block_rows, std::int64_t block_columns,
                     ElementType value) {
  SweepSpec spec;
  spec.problem = P::name;
  spec.settings = test::sample_settings<P>();
  spec.rows = rows;
  spec.columns = columns;
  spec.block_rows = block_rows;
  spec.block_columns = block_columns;
  spec.value = spec.border = value;
  spec.table = value;
  return spec;
}

testing::TableInput input_of(const SweepSpec& spec) {
  return {test::letters_for<P>(test::Letters::random, true, spec.rows, 5, test::sample_codes),
          test::letters_for<P>(test::Letters::random, false, spec.columns, 5, test::sample_codes),
          {}};
}

template <class T>
void check_table(const testing::CudaTable& cuda, const SweepSpec& spec) {
  const auto input = input_of(spec);
  const auto expected = letters_reference<P>(problem_constants<P>(spec.settings), input.rows, input.columns);
  const auto table = cuda.table();
  std::int64_t wrong = 0;
  for (std::int64_t n = 0; n < spec.rows * spec.columns; ++n) {
    wrong += test::cell_of<T>(table, n) != static_cast<T>(expected.h[static_cast<std::size_t>(n)]);
  }
  CHECK(wrong == 0);
}

template <class T>
void compare(device::Context& context, const SweepSpec& spec, const CudaTrial& trial) {
  testing::CudaTable cuda(spec, context, input_of(spec), trial);
  cuda.run();
  INFO(spec.rows << " x " << spec.columns << " in blocks of " << spec.block_rows << " x " << spec.block_columns
                 << ", " << name_of(spec.value) << ", thread blocks " << trial.thread_blocks << ", delays "
                 << trial.delay_seed);
  REQUIRE(cuda.done == cuda.blocks());
  check_table<T>(cuda, spec);
}

TEST_CASE("on CUDA tables are stored whole at widths around pieces, by few and by many thread blocks") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (const std::int64_t columns : {1, 31, 32, 33, 64, 95, 96, 97, 128, 129, 160, 193}) {
    for (const std::int64_t rows : {1, 129, 515}) {
      CudaTrial trial;
      trial.thread_blocks = turn % 4;
      trial.delay_seed = turn % 3 == 0 ? turn + 1 : 0;
      const std::int64_t block_rows = turn % 2 == 0 ? rows : 200, block_columns = turn % 5 < 3 ? columns : 70;
      compare<std::int32_t>(*context, table_spec(rows, columns, block_rows, block_columns, ElementType::i32), trial);
      compare<std::int64_t>(*context, table_spec(rows, columns, block_rows, block_columns, ElementType::i64), trial);
      ++turn;
    }
  }
}

TEST_CASE("on CUDA a launch that keeps a table and is stopped or aborted ends, and the rest can follow") {
  const auto context = test::cuda_context();
  if (!context) return;
  const auto spec = table_spec(1000, 150, 40, 150, ElementType::i32);
  for (const bool aborts : {false, true}) {
    for (const unsigned thread_blocks : {0u, 1u}) {
      CudaTrial trial;
      trial.thread_blocks = thread_blocks;
      testing::CudaTable cuda(spec, *context, input_of(spec), trial);
      cuda.run(0, cuda.blocks(), aborts ? ~0ull : 6, aborts ? 6 : ~0ull);
      const std::uint64_t done = cuda.done;
      REQUIRE(done >= 6);
      cuda.run(done, cuda.blocks() - done);
      REQUIRE(cuda.done == cuda.blocks());
      check_table<std::int32_t>(cuda, spec);
    }
  }
}

}  // namespace
}  // namespace terrace::wavefront
