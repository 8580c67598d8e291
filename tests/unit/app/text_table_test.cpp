#include "pipeline/app/text_table.hpp"

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

TEST_CASE("Bars in a cell of Markdown do not end it") {
  CHECK(to_markdown({{"a", "b"}, {{"x|y", ""}}}) == "| a | b |\n|---|---|\n| x\\|y | |\n");
}

}  // namespace
}  // namespace terrace::app
