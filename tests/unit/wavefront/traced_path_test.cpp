// Checks of finished paths: they are watched, and can be stopped.
#include "stages/wavefront/alignment/traced_path.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "io/memory_source.hpp"
#include "kernels/wavefront/description.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t length = 200000;

/// The path through the table of edit distances of a sequence with itself.
struct Diagonal {
  io::MemorySource letters{ElementType::u8, Extents{length}, std::vector<std::byte>(length)};
  wavefront::SweepSpec spec;
  wavefront::BlockResult score{};
  TracedPath path;

  Diagonal() {
    spec.problem = "edit_distance";
    spec.rows = spec.columns = length;
    spec.value = ElementType::i64;
    spec.description = wavefront::describe(spec.problem, spec.settings);
    score.row = score.column = length;
    path.begin(table());
    wavefront::TraceResult found{};
    for (std::int64_t at = length; at > 0; --at) {
      found.add(wavefront::PathStep{0});
      if (!found.full() && at > 1) continue;
      found.place = {at - 1, at - 1, wavefront::PathGap::none, 0};
      path.add(found);
      found = {};
    }
  }

  TracedTable table() const { return {spec, *spec.description, score}; }
  void check(const Watch& watch) { path.check(table(), letters, letters, watch); }
};

TEST_CASE("following a path says how far it is, up to its end") {
  Diagonal diagonal;
  REQUIRE(diagonal.path.finished());
  std::vector<std::int64_t> seen;
  diagonal.check([&](const std::string& part, const std::string&, std::int64_t done, std::int64_t all) {
    CHECK(part == "following the path");
    CHECK(all == 2 * length);
    seen.push_back(done);
  });
  REQUIRE(seen.size() > 4);
  CHECK(seen.back() == 2 * length);
}

TEST_CASE("following a path ends where its watch throws, and needs none") {
  Diagonal diagonal;
  CHECK_NOTHROW(diagonal.check(nullptr));
  int calls = 0;
  const Watch stop = [&](const auto&...) {
    if (++calls == 2) throw Stopped("enough");
  };
  CHECK_THROWS_AS(diagonal.check(stop), Stopped);
  CHECK(calls == 2);
}

}  // namespace
}  // namespace terrace::stages
