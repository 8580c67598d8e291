// Gaussian elimination in tiles on CUDA: L times U is the matrix, and every launch gives the same bits.
#include "tests/differential/recursive/eliminations.hpp"
#include "tests/support/cuda_device.hpp"

namespace terrace::recursive {
namespace {

/// Updates of tiles of at most `side` rows, with their workspace.
template <class T>
class CudaElimination {
 public:
  CudaElimination(device::Context& context, std::int64_t side)
      : workspace_(context, tiles_cuda_bytes(testing::elimination_spec<T>(), side)),
        kernel_(make_tiles_cuda(testing::elimination_spec<T>(), side, context, workspace_.as<void>())) {}
  device::BlockKernel& operator*() const { return *kernel_; }

 private:
  device::Memory workspace_;
  std::unique_ptr<device::BlockKernel> kernel_;
};

TEMPLATE_TEST_CASE("L times U is the matrix on CUDA, and whole numbers are exact", "", float, double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const auto make = [&](std::int64_t side) { return CudaElimination<TestType>(*context, side); };
  for (const std::int64_t n : {1, 2, 63, 64, 65, 130, 200}) {
    testing::check_elimination<TestType>(*context, make, n, 200);
  }
  for (const std::int64_t tile : {1, 7, 67}) {
    testing::check_elimination<TestType>(*context, make, std::min<std::int64_t>(150, 5 * tile), tile);
  }
  if (test::few_cases(*context)) return;
  testing::check_elimination<TestType>(*context, make, 1000, 1000);
  testing::check_elimination<TestType>(*context, make, 1500, 400);
}

TEMPLATE_TEST_CASE("a pivot of no use is named on CUDA by the first tile that meets it", "", float, double) {
  const auto context = test::cuda_context();
  if (!context) return;
  testing::check_refusals<TestType>(*context,
                                    [&](std::int64_t side) { return CudaElimination<TestType>(*context, side); });
}

TEST_CASE("eliminations on CUDA come out the same in every launch") {
  const auto context = test::cuda_context();
  if (!context) return;
  constexpr std::int64_t n = 180;
  const auto make = [&](std::int64_t side) { return CudaElimination<float>(*context, side); };
  const std::vector<float> matrix = testing::dominant_matrix<float>(n, 9);
  CHECK(testing::eliminated(*context, make, matrix, n, 100) == testing::eliminated(*context, make, matrix, n, 100));
}

}  // namespace
}  // namespace terrace::recursive
