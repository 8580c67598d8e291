// The shares of a launch that warps make of a large box's strips.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "kernels/stencil/cuda/wide/share.hpp"

namespace terrace::stencil {
namespace {

using device::i64;

TEST_CASE("the shares of warps are all batches of all strips, each once, and about as many each") {
  for (const i64 warps : {1, 2, 4, 12, 20, 64}) {
    for (const i64 strips : {1, 2, 3, 7, 13, 64, 65, 130}) {
      for (const i64 whole : {1, 2, 5, 16, 61, 200}) {
        const i64 most = std::min(whole, (whole * strips + warps - 1) / warps);
        INFO(warps << " warps, " << strips << " strips of " << whole << " batches, parts of " << most);
        std::vector<int> made(static_cast<std::size_t>(strips * whole));
        for (i64 number = 0; number < warps; ++number) {
          const BoxShare share(number, warps, strips, whole, most);
          if (share.batches <= 0) continue;
          // A warp that is left has at most what it would have of equal shares, rounded up.
          CHECK(share.end - share.next <= std::max(most, (whole * strips + warps - 1) / warps));
          for (i64 next = share.next; next < share.end; ++next) {
            const i64 strip = next / share.batches, batch = share.first + next % share.batches;
            REQUIRE((strip < strips && batch < whole));
            ++made[static_cast<std::size_t>(strip * whole + batch)];
          }
        }
        CHECK(std::count(made.begin(), made.end(), 1) == strips * whole);
      }
    }
  }
}

}  // namespace
}  // namespace terrace::stencil
