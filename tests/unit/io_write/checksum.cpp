// Checksums of bytes and of boxes.
#include "io/files/checksum.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "io/files/box_runs.hpp"
#include "pipeline/base/error.hpp"

using namespace terrace;
using namespace terrace::io;

TEST_CASE("the checksum is XXH3 with 64 bits") {
  // From xxHash's command line: `printf abc | xxhsum -H3`, and the empty input.
  CHECK(checksum({}) == 0x2d06800538d394c2u);
  CHECK(checksum(std::as_bytes(std::span("abc", 3))) == 0x78af5f94892f3950u);
}

TEST_CASE("a box's checksum is that of its packed copy") {
  const Extents shape{5, 17, 130};
  std::vector<std::uint32_t> array(static_cast<std::size_t>(volume(shape)));
  for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<std::uint32_t>(i * 2654435761u);
  const Box boxes[] = {Box::whole(shape),         {{1, 0, 0}, {3, 17, 130}}, {{0, 2, 0}, {5, 9, 130}},
                       {{0, 3, 1}, {5, 16, 129}}, {{2, 2, 2}, {3, 3, 3}},    {{1, 1, 1}, {1, 5, 5}}};
  for (const Box& box : boxes) {
    INFO(to_string(box));
    std::vector<std::uint32_t> packed(static_cast<std::size_t>(box.volume()));
    if (!box.empty()) copy_box(array.data(), Box::whole(shape), packed.data(), box, box, 4);
    CHECK(checksum_box(array.data(), shape, 4, box) == checksum(std::as_bytes(std::span(packed))));
  }
  CHECK_THROWS_AS(checksum_box(array.data(), shape, 4, {{0, 0, 0}, {6, 1, 1}}), Error);
}

TEST_CASE("one changed bit changes a checksum") {
  std::vector<std::byte> bytes(100'000, std::byte{7});
  const std::uint64_t before = checksum(bytes);
  bytes[54'321] ^= std::byte{4};
  CHECK(checksum(bytes) != before);
}

TEST_CASE("a full-width box is one run, and runs follow the packed order") {
  const Extents shape{4, 6, 10};
  CHECK(BoxRuns(shape, 2, {{1, 0, 0}, {3, 6, 10}}).count() == 1);
  CHECK(BoxRuns(shape, 2, {{1, 0, 0}, {3, 6, 10}}).offset(0) == 120);
  CHECK(BoxRuns(shape, 2, {{1, 2, 0}, {2, 4, 10}}).count() == 1);
  const BoxRuns planes(shape, 2, {{1, 2, 0}, {3, 4, 10}});
  CHECK(planes.count() == 2);
  CHECK(planes.run_bytes() == 40);
  CHECK(planes.offset(0) == (60 + 20) * 2);
  CHECK(planes.offset(1) == (120 + 20) * 2);
  const BoxRuns rows(shape, 2, {{0, 4, 3}, {2, 6, 5}});
  CHECK(rows.count() == 4);
  CHECK(rows.run_bytes() == 4);
  CHECK(rows.offset(3) == (60 + 50 + 3) * 2);
  CHECK(rows.end() == (60 + 50 + 5) * 2);
  CHECK(BoxRuns(shape, 2, {{0, 4, 3}, {0, 6, 5}}).bytes() == 0);
  CHECK(BoxRuns({}, 8, {{}, {}}).bytes() == 8);
  CHECK(BoxRuns({0, 5}, 8, {{0, 0}, {0, 5}}).end() == 0);
}
