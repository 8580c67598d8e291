// Tables for people: columns, wrapping, Markdown.
#include "pipeline/app/text_table.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

namespace terrace::app {
namespace {

TEST_CASE("Columns of a table stand below one another and carry no blanks at their ends") {
  const TextTable table{{"key", "meaning"}, {{"a", "one"}, {"longer", ""}}};
  CHECK(to_text(table, "") == "key     meaning\na       one\nlonger\n");
}

TEST_CASE("An empty heading is left out") { CHECK(to_text({{"", ""}, {{"a", "b"}}}, "") == "a  b\n"); }

TEST_CASE("The last column wraps below its beginning") {
  CHECK(to_text({{"", ""}, {{"k", "aaaa bbbb cccc dddd eeee ffff"}}}, "", 23) ==
        "k  aaaa bbbb cccc dddd\n   eeee ffff\n");
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0, at = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', at)) {
    most = std::max(most, end - at);
    at = end + 1;
  }
  return most;
}

TEST_CASE("Where columns do not fit a row is a paragraph") {
  const TextTable table{{"key", "default", "meaning"}, {{"schedule", "auto", "how the blocks are swept"}}};
  CHECK(to_text(table, "  ", 30) ==
        "  key\n      default meaning\n  schedule\n      auto how the blocks are\n"
        "      swept\n");
  CHECK(to_text(table, "  ", 60) == "  key       default  meaning\n  schedule  auto     how the blocks are swept\n");
  for (const std::size_t width : {20, 30, 40, 50, 80}) CHECK(widest(to_text(table, "  ", width)) <= width);
}

TEST_CASE("One long cell does not take the room of the last column") {
  const std::string value(50, 'v');
  const TextTable table{{"", "", ""},
                        {{"cigar", value, "the alignment"}, {"end", "1206, 1299", ""}, {"id", "0.9", "x y"}}};
  CHECK(to_text(table, "") == "cigar  " + value + "\n" + std::string(19, ' ') + "the alignment\n" +
                                  "end    1206, 1299\nid     0.9         x y\n");
  CHECK(to_text(table, "", 40) ==
        "cigar\n    " + value + "\n    the alignment\nend    1206, 1299\n" + "id     0.9         x y\n");
}

TEST_CASE("Long lines wrap between words, and what follows hangs") {
  CHECK(wrap_lines("  rate        12 of 34 cells\nshort\n", 24, 14) ==
        "  rate        12 of 34\n              cells\nshort\n");
  CHECK(wrap_lines("aaaaaaaaaaaaaaaaaaaaaaaa\n", 10, 2) == "aaaaaaaaaaaaaaaaaaaaaaaa\n");
  CHECK(wrap_lines("a bbbbbbbbbbbbbbbbbbbbbb cc\n", 10, 4) == "a bbbbbbbbbbbbbbbbbbbbbb\n    cc\n");
}

TEST_CASE("Elsewhere than on a terminal columns stay columns, and lines stay whole") {
  const std::string wide(100, 'x'), text = "  rate        " + wide + " " + wide + "\n";
  CHECK(to_text({{"", ""}, {{wide, "a b"}}}, "") == wide + "  a b\n");
  CHECK(wrap_lines(text, no_terminal, 14) == text);
}

TEST_CASE("Bars in a cell of Markdown do not end it") {
  CHECK(to_markdown({{"a", "b"}, {{"x|y", ""}}}) == "| a | b |\n|---|---|\n| x\\|y | |\n");
}

}  // namespace
}  // namespace terrace::app
