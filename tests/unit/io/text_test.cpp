// Text and CSV files as inputs: rows, columns, separators, invalid numbers.
#include <catch2/catch.hpp>

#include "io/kinds.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

std::shared_ptr<Source> open_text(const TempFolder& folder, const char* kind, const std::string& text,
                                  std::vector<Setting> more) {
  folder.write("a.txt", text);
  more.insert(more.begin(), {kind, "a.txt"});
  return open_input(folder, more);
}

std::vector<double> reals(const char* kind, const std::string& text, const std::vector<Setting>& more = {}) {
  TempFolder folder;
  return read_all<double>(*open_text(folder, kind, text, more));
}

std::vector<std::int64_t> whole(const char* kind, const std::string& text, const std::vector<Setting>& more = {}) {
  TempFolder folder;
  return read_all<std::int64_t>(*open_text(folder, kind, text, more));
}

std::string error_with(const char* kind, const std::string& text, std::vector<Setting> more = {}) {
  TempFolder folder;
  folder.write("a.txt", text);
  more.insert(more.begin(), {kind, "a.txt"});
  return open_error(folder, more);
}

const std::string table = "time,level,\"tide, high\"\n0,1.5,10\n1,2.5,20\n2,3.5,30\n";

}  // namespace

TEST_CASE("With a range or values to skip all numbers are read in order") {
  const std::vector<Setting> all{{"range", Values{0, 5}}};
  CHECK(whole("text", "1 2\t3\n\n  4\r\n# 5 6\n7", all) == std::vector<std::int64_t>{1, 2, 3, 4, 7});
  CHECK(whole("text", "1, 2,3,\n4 5\n", all) == std::vector<std::int64_t>{1, 2, 3, 4, 5});
  CHECK(reals("csv", "1,2.5\n -3 , 4e1\n") == std::vector<double>{1, 2.5, -3, 40});
  CHECK(whole("csv",
              "\xef\xbb\xbf"
              "1,2\n") == std::vector<std::int64_t>{1, 2});
  CHECK(whole("text", "") == std::vector<std::int64_t>{});
  CHECK(whole("text", "25\n500\n93\n97\n", {{"skip", 2}}) == std::vector<std::int64_t>{93, 97});
}

TEST_CASE("A table has rows and columns, and one dimension where it has one of either") {
  TempFolder folder;
  const auto shape = [&](const char* kind, const std::string& text, const std::vector<Setting>& more = {}) {
    return open_text(folder, kind, text, more)->shape();
  };
  CHECK(shape("csv", "1,2,3\n4,5,6\n") == Extents{2, 3});
  CHECK(shape("text",
              "\xef\xbb\xbf"
              "1 2 3\r\n\r\n# note\r\n4 5 6") == Extents{2, 3});
  CHECK(shape("csv", "a,b\n1,2\n3,4\n", {{"header", true}}) == Extents{2, 2});
  CHECK(shape("csv", "1,2,3\n") == Extents{3});
  CHECK(shape("text", "1\n2\n3\n") == Extents{3});
  CHECK(shape("text", "7") == Extents{1});
  CHECK(shape("text", "") == Extents{0});
  CHECK(shape("csv", "1,2,3\n4,5,6\n", {{"skip", 1}}) == Extents{5});
  CHECK(shape("csv", "1,2,3\n4,5,6\n", {{"shape", Values{3, 2}}}) == Extents{3, 2});
  CHECK(read_box<std::int64_t>(*open_text(folder, "csv", "1,2,3\n4,5,6\n", {}), {{0, 1}, {2, 2}}) ==
        std::vector<std::int64_t>{2, 5});
  CHECK(open_text(folder, "csv", "1,2\n3,4\n", {})->results() == 2);
  CHECK(open_text(folder, "csv", "1,2\n", {})->results() == 1);
}

TEST_CASE("Rows of a table that are of different lengths are errors with their place") {
  CHECK(
      error_with("csv", "1,2\n3,4\n5\n") ==
      "io: a.txt:3:2: this line has 1 value, and line 1 has 2: rows of a table have as many; `shape` or `range` read "
      "all values in order");
  CHECK(error_with("text", "1 2\n\n3 4 5\n").find("io: a.txt:3:5: this line has 3 values, and line 1 has 2") == 0);
  CHECK(error_with("csv", "1,2\n3\n", {{"range", Values{0, 3}}}) == "none");
}

TEST_CASE("A range is one of the values that are read, behind those that are skipped") {
  const std::string text = "1 2 3\n4 5 6\n";
  CHECK(whole("text", text, {{"range", Values{1, 5}}}) == std::vector<std::int64_t>{2, 3, 4, 5});
  CHECK(whole("text", text, {{"range", Values{1, 3}}, {"skip", 2}}) == std::vector<std::int64_t>{4, 5});
  CHECK(whole("text", text, {{"range", Values{1, 3}}, {"row", 1}}) == std::vector<std::int64_t>{5, 6});
  CHECK(whole("csv", "x 2\n3,4", {{"range", Values{1, 3}}, {"separator", ","}}) == std::vector<std::int64_t>{3, 4});
  CHECK(whole("text", text, {{"range", Values{6, 6}}}).empty());
  CHECK(error_with("text", text, {{"range", Values{2, 7}}}) ==
        "job: job.yaml:7: range: range: [2, 7) does not lie in the 6 values that are read");
  CHECK(error_with("text", text, {{"range", Values{3, 2}}}).find("begins at 0 or later") != std::string::npos);
  CHECK(error_with("text", text, {{"range", Values{3}}}).find("give two numbers") != std::string::npos);
}

TEST_CASE("A whole number before the first fraction becomes floating point with the rest") {
  CHECK(reals("text", "9007199254740993 1 0.5") == std::vector<double>{9007199254740992.0, 1, 0.5});
}

TEST_CASE("One row is read, without its leading label") {
  const std::string series = "   1.0e+00  -1.5 2\nlabel 3 4\n\n# note\n2 5 6 7\n";
  CHECK(reals("text", series, {{"row", 0}, {"skip", 1}}) == std::vector<double>{-1.5, 2});
  CHECK(whole("text", series, {{"row", 1}, {"skip", 1}}) == std::vector<std::int64_t>{3, 4});
  CHECK(whole("text", series, {{"row", 2}, {"skip", 1}}) == std::vector<std::int64_t>{5, 6, 7});
}

TEST_CASE("One column is read, by index or by name") {
  CHECK(reals("csv", table, {{"column", "level"}, {"header", true}}) == std::vector<double>{1.5, 2.5, 3.5});
  CHECK(whole("csv", table, {{"column", "tide, high"}, {"header", true}}) == std::vector<std::int64_t>{10, 20, 30});
  CHECK(whole("csv", table, {{"column", "0"}, {"header", true}, {"skip", 1}}) == std::vector<std::int64_t>{1, 2});
  CHECK(whole("csv", "1,2\n3,4\n", {{"column", "1"}}) == std::vector<std::int64_t>{2, 4});
  CHECK(whole("csv", table, {{"row", 2}, {"header", true}, {"type", "i64"}, {"skip", 2}}) ==
        std::vector<std::int64_t>{30});
}

TEST_CASE("A first column whose name is empty is an index, and left out with a warning") {
  TempFolder folder;
  std::vector<std::string> warnings;
  const auto open = [&](const char* kind, const std::string& text, std::vector<Setting> more) {
    folder.write("a.txt", text);
    more.insert(more.begin(), {{kind, "a.txt"}, {"header", true}});
    Settings settings;
    for (const Setting& setting : more)
      settings.set(setting.name, setting.value, {"job.yaml:7: " + setting.name, ""});
    warnings.clear();
    const OpenContext context{
        .folder = folder.path(), .input = nullptr, .warn = [&](std::string warning) { warnings.push_back(warning); }};
    return (std::string(kind) == "csv" ? csv_kind() : text_kind()).open(settings, context);
  };
  for (const char* name : {"", "\"\"", "Unnamed: 0"}) {
    const std::string text = std::string(name) + ",a,b\n0,10,20\nx,30,40\n";
    for (const char* kind : {"csv", "text"}) {
      const auto table = open(kind, text, {});
      CHECK(table->shape() == Extents{2, 2});
      CHECK(read_all<std::int64_t>(*table) == std::vector<std::int64_t>{10, 20, 30, 40});
      CHECK(table->results() == 3);
      REQUIRE(warnings.size() == 1);
      CHECK(warnings[0].find("a.txt: the first column has no name, and is left out as an index") !=
            std::string::npos);
    }
    CHECK(read_all<std::int64_t>(*open("csv", text, {{"row", 1}})) == std::vector<std::int64_t>{30, 40});
    CHECK(read_all<std::int64_t>(*open("csv", text, {{"column", "b"}})) == std::vector<std::int64_t>{20, 40});
    CHECK(warnings.empty());
    CHECK(read_all<std::int64_t>(*open("csv", text, {{"column", "1"}})) == std::vector<std::int64_t>{10, 30});
  }
  const auto series = open("csv", ",a\n0,10\n1,30\n", {});
  CHECK(series->shape() == Extents{2});
  CHECK(read_all<std::int64_t>(*series) == std::vector<std::int64_t>{10, 30});
  CHECK(series->results() == 3);
  CHECK(open("csv", ",a\n0,10\n1,30\n", {{"shape", Values{2, 2}}})->results() == 1);
  CHECK(read_all<std::int64_t>(*open("csv", ",a\n0,10\n1,30\n", {{"range", Values{0, 3}}})) ==
        std::vector<std::int64_t>{0, 10, 1});
  CHECK(warnings.empty());
}

TEST_CASE("A line that has a value more than the header has names is an error") {
  const std::string text = "a b\nx 1 2\n", what = "io: a.txt:2:1: this line has 3 values, and line 1 names 2 columns";
  CHECK(error_with("text", text, {{"header", true}}).find(what) == 0);
  CHECK(error_with("text", text, {{"header", true}, {"column", "b"}}).find(what) == 0);
  CHECK(error_with("text", text, {{"header", true}, {"column", "1"}}) == "none");
  CHECK(error_with("text", "a table\n1 2 3 4\n", {{"header", true}}) == "none");
  CHECK(error_with("csv", "1;2,5\n", {{"separator", ";"}}) ==
        "io: a.txt:1:3: '2,5' is no number; write decimals with a point");
}

TEST_CASE("Line ends and formats that are not read are named") {
  CHECK(error_with("text", "1 2\r3 4\r").find("io: a.txt:1:4: a carriage return in a line") == 0);
  CHECK(whole("text", "1 2\r\r\n3 4\r\r\n") == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(error_with("csv", std::string("\xff\xfe"
                                      "1\0",
                                      4)) == "io: a.txt:1: is UTF-16: write it as UTF-8 (iconv -f utf-16 -t utf-8)");
  const std::string grid = "ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9\n3 -9\n";
  CHECK(error_with("text", grid).find("io: a.txt:1:1: 'ncols' is no number; this is an ESRI ASCII grid") == 0);
  CHECK(error_with("text", grid, {{"header", true}}).find("this is an ESRI ASCII grid") != std::string::npos);
  CHECK(whole("text", grid, {{"skip", 12}, {"shape", Values{1, 2}}}) == std::vector<std::int64_t>{3, -9});
}

TEST_CASE("Separators are named or single characters") {
  CHECK(whole("csv", "1;2\n3 ;4\n", {{"separator", ";"}}) == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(whole("csv", "1\t2\n", {{"separator", "\t"}}) == std::vector<std::int64_t>{1, 2});
  CHECK(whole("csv", "1\t2\n", {{"separator", "tab"}}) == std::vector<std::int64_t>{1, 2});
  CHECK(whole("csv", "1  2\n", {{"separator", "space"}}) == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("Text takes a type and a shape") {
  TempFolder folder;
  auto grid = open_text(folder, "text", "1 2 3\n4 5 6\n", {{"type", "u8"}, {"shape", Values{2, 3}}});
  CHECK(read_box<std::uint8_t>(*grid, {{0, 1}, {2, 2}}) == std::vector<std::uint8_t>{2, 5});
  CHECK(error_with("text", "1 2 3", {{"shape", Values{2, 2}}}) ==
        "job: job.yaml:7: shape: shape: 2 x 2 are 4 numbers, but a.txt has 3");
}

TEST_CASE("A bad number is an error with line and column") {
  CHECK(error_with("text", "1 2\n3 x4\n") == "io: a.txt:2:3: 'x4' is no number");
  CHECK(error_with("text", "1 2,5\n") == "io: a.txt:1:1: '1 2' is no number");
  CHECK(error_with("csv", "1,2,4\n3,,5\n") == "io: a.txt:2:3: a number is missing");
  CHECK(error_with("csv", "1,2,\n") == "io: a.txt:1:5: a number is missing");
  CHECK(error_with("csv", "1 2\n") == "io: a.txt:1:1: '1 2' is no number");
  CHECK(error_with("csv", "1,2abc\n") == "io: a.txt:1:3: '2abc' is no number");
  CHECK(error_with("csv", "1,0x10\n") == "io: a.txt:1:3: '0x10' is no number");
  CHECK(error_with("csv", "1,256\n", {{"type", "u8"}}) == "io: a.txt:1:3: '256' does not fit u8");
  CHECK(error_with("text", std::string("1 \0\x01 2", 6)) == "io: a.txt:1:3: '\\x00\\x01' is no number");
  CHECK(error_with("text", "1 +-2") == "io: a.txt:1:3: '+-2' is no number");
}

TEST_CASE("A value that is no number may lack a setting") {
  CHECK(error_with("csv", "time,level\n1,2\n") ==
        "io: a.txt:1:1: 'time' is no number; if this line names the columns, say `header: true`; if all values are "
        "names, "
        "as `pairs` takes them, `names: true`");
  CHECK(error_with("csv", "1,2\nx,4\n") == "io: a.txt:2:1: 'x' is no number");
  CHECK(error_with("csv", "1;2\n3;4\n") ==
        "io: a.txt:1:1: '1;2' is no number; if values stand between other characters, say so by `separator`");
  CHECK(error_with("csv", "1;2\n", {{"separator", "|"}}) == "io: a.txt:1:1: '1;2' is no number");
}

TEST_CASE("Rows and columns that are not there are errors") {
  CHECK(error_with("csv", "1,2\n3\n", {{"column", "1"}}) ==
        "io: a.txt:2:2: this line has 1 value, so none in column 1");
  CHECK(error_with("csv", "1,2\n3,4\n", {{"row", 2}}) ==
        "job: job.yaml:7: row: row: there is no row 2 in a.txt, which has 2");
  CHECK(error_with("csv", "", {{"row", 0}}) == "job: job.yaml:7: row: row: there is no row 0 in a.txt, which has 0");
  CHECK(error_with("csv", table, {{"column", "levle"}, {"header", true}}) ==
        "job: job.yaml:7: column: column: there is no 'levle'; there are 'time', 'level', 'tide, high'; did you mean "
        "'level'?");
  CHECK(error_with("csv", table, {{"column", "7"}, {"header", true}}).find("there is no '7'") != std::string::npos);
  CHECK(error_with("csv", "1,2\n", {{"column", "level"}}) ==
        "job: job.yaml:7: column: column: 'level' is no index; for a name say 'header: true'");
  CHECK(error_with("csv", "a,a\n1,2\n", {{"column", "a"}, {"header", true}}) ==
        "job: job.yaml:7: column: column: several are called 'a'; give an index");
  CHECK(error_with("csv", "1\n", {{"column", "0"}, {"row", 0}}) ==
        "job: job.yaml:7: row: row: give a row or a column, not both");
  CHECK(error_with("csv", "1,2\n", {{"skip", 3}}) ==
        "job: job.yaml:7: skip: skip: there are only 2 values to leave out");
  CHECK(error_with("csv", "", {{"header", true}}) == "io: a.txt: is empty: there is no header");
  CHECK(error_with("csv", "1\n", {{"separator", "::"}}) ==
        "job: job.yaml:7: separator: separator: give one character, or 'tab' or 'space'");
  for (const char* letter : {".", "+", "-", "0", "7", "e", "E", "n"}) {
    CHECK(error_with("csv", "1\n", {{"separator", letter}}) ==
          std::string("job: job.yaml:7: separator: separator: '") + letter + "' is a part of numbers");
  }
  for (const char* letter : {"\n", "\r"}) {
    CHECK(error_with("csv", "1\n2\n", {{"separator", letter}}) ==
          "job: job.yaml:7: separator: separator: the end of a line parts lines, not values in a line");
  }
  for (const char* letter : {"\"", "'"}) {
    CHECK(error_with("csv", "1\n", {{"separator", letter}}) ==
          "job: job.yaml:7: separator: separator: a quote stands around values");
  }
  CHECK(error_with("csv", "1\n", {{"separator", "\x01"}}) ==
        "job: job.yaml:7: separator: separator: is no character that can be printed, nor a tab");
  CHECK(error_with("csv", "1\n", {{"separator", ""}}) ==
        "job: job.yaml:7: separator: separator: give one character, or 'tab' or 'space'");
}

TEST_CASE("Long lines and many lines cross the reader's buffer") {
  std::string line, lines;
  for (int i = 0; i < 400000; ++i) {
    line += std::to_string(i) + ' ';
    lines += std::to_string(i) + "\r\n";
  }
  CHECK(whole("text", line) == counting<std::int64_t>(400000));
  CHECK(whole("text", lines) == counting<std::int64_t>(400000));
}
