#include "kernels/compiled/binary_file.hpp"

#include <catch2/catch.hpp>

#include "io/files/checksum.hpp"
#include "kernels/compiled/texts.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::compiled {
namespace {

TEST_CASE("a binary comes back from its file as it was, and not at all from one that is damaged or has another key") {
  const test::TempFolder folder;
  const Binary binary{"a compiler", std::string("code\0and more", 13), {"first", "", "third"}};
  write_binary(folder / "file", "key", binary);
  const std::optional<Binary> read = read_binary(folder / "file", "key");
  REQUIRE(read);
  CHECK(read->compiler == binary.compiler);
  CHECK(read->bytes == binary.bytes);
  CHECK(read->symbols == binary.symbols);

  const std::string whole = folder.read("file");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 1 << at % 8);
    CHECK_FALSE(read_binary(folder.write("flipped", flipped), "key"));
    CHECK_FALSE(read_binary(folder.write("short", whole.substr(0, at)), "key"));
  }
  CHECK_FALSE(read_binary(folder.write("long", whole + "x"), "key"));
  CHECK_FALSE(read_binary(folder / "missing", "key"));
  CHECK_FALSE(read_binary(folder / "file", "another key"));
}

TEST_CASE("texts that are shorter than they say are no binary") {
  const auto is_read = [](const std::string& texts) {
    std::string content;
    add_number(content, io::checksum(std::as_bytes(std::span(texts))));
    content += texts;
    return binary_in(std::as_bytes(std::span(content)), "").has_value();
  };
  std::string texts;
  for (const char* text : {"", "a compiler", "code"}) {  // the key, the compiler, the bytes
    CHECK_FALSE(is_read(texts));
    add_text(texts, text);
  }
  CHECK(is_read(texts));
  const std::size_t without_symbol = texts.size();
  add_text(texts, "symbol");
  CHECK(is_read(texts));
  for (std::size_t bytes = without_symbol + 1; bytes < texts.size(); ++bytes)
    CHECK_FALSE(is_read(texts.substr(0, bytes)));
}

}  // namespace
}  // namespace terrace::compiled
