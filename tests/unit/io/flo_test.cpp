// Optical flow in Middlebury's format: read by boxes, damaged files.
#include <catch2/catch.hpp>

#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

std::string flo(std::int32_t columns, std::int32_t rows, const std::vector<float>& values) {
  return "PIEH" + bytes_of(std::vector<std::int32_t>{columns, rows}) + bytes_of(values);
}

void check_refused(const std::string& content, const std::string& what) {
  TempFolder folder;
  folder.write("a.flo", content);
  CHECK_THROWS_WITH(open_input(folder, {{"flo", "a.flo"}}), Catch::Contains("a.flo") && Catch::Contains(what));
}

}  // namespace

TEST_CASE("A flow has rows, columns and two displacements") {
  TempFolder folder;
  folder.write("a.flo", flo(4, 3, counting<float>(24)));
  auto source = open_input(folder, {{"flo", "a.flo"}});
  CHECK(source->shape() == Extents{3, 4, 2});
  CHECK(source->type() == ElementType::f32);
  CHECK(read_all<float>(*source) == counting<float>(24));
  CHECK(read_box<float>(*source, {{1, 1, 0}, {3, 3, 1}}) == std::vector<float>{10, 12, 18, 20});
}

TEST_CASE("Damaged flows are refused with the byte") {
  const std::string whole = flo(4, 3, counting<float>(24));
  check_refused("", "byte 0: a .flo file begins with the letters PIEH");
  check_refused("HEIP" + whole.substr(4), "byte 0: a .flo file begins with the letters PIEH");
  check_refused(whole.substr(0, 7), "byte 7: the file ends within its header of 12 bytes");
  check_refused(flo(0, 3, {}), "byte 4: it has 0 columns");
  check_refused(flo(4, -3, {}), "byte 8: it has -3 rows");
  check_refused(whole.substr(0, 100), "has 100 bytes, but 3 x 4 x 2 elements of f32 from byte 12 on need more");
  check_refused(flo(2147483647, 2147483647, {1}), "need more");
  check_refused(whole + "x", "byte 108: 1 byte follow");
}
