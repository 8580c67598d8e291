#include "kernels/compiled/binary_file.hpp"

#include <catch2/catch.hpp>

#include "pipeline/base/error.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::compiled {
namespace {

TEST_CASE("a binary comes back from its file as it was, and not at all from one that is damaged") {
  const test::TempFolder folder;
  const Binary binary{"a compiler", std::string("code\0and more", 13), {"first", "", "third"}};
  write_binary(folder / "file", binary);
  const std::optional<Binary> read = read_binary(folder / "file");
  REQUIRE(read);
  CHECK(read->compiler == binary.compiler);
  CHECK(read->bytes == binary.bytes);
  CHECK(read->symbols == binary.symbols);

  const std::string whole = folder.read("file");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 1 << at % 8);
    CHECK_FALSE(read_binary(folder.write("flipped", flipped)));
    CHECK_FALSE(read_binary(folder.write("short", whole.substr(0, at))));
  }
  CHECK_FALSE(read_binary(folder.write("long", whole + "x")));
  CHECK_FALSE(read_binary(folder / "missing"));
}

}  // namespace
}  // namespace terrace::compiled
