// Substitution matrices in NCBI's format: letters, scores, and everything that may be wrong with them.
#include <catch2/catch.hpp>

#include "io/held_source.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

std::shared_ptr<Source> open_matrix(const TempFolder& folder, const std::string& text) {
  folder.write("m.mat", text);
  return open_input(folder, {{"substitution", "m.mat"}});
}

std::string error_with(const std::string& text) {
  TempFolder folder;
  folder.write("m.mat", text);
  return open_error(folder, {{"substitution", "m.mat"}});
}

std::vector<std::int8_t> bytes(std::initializer_list<int> scores) {
  std::vector<std::int8_t> all;
  for (int score : scores) all.push_back(static_cast<std::int8_t>(score));
  return all;
}

}  // namespace

TEST_CASE("a matrix has its letters, and its scores in the order of the columns, whatever the order of the lines") {
  TempFolder folder;
  const auto matrix = open_matrix(folder,
                                  "#  Matrix made by hand\n # more\n\n   A  C  *\n"
                                  "*  1 -128  +7 \r\n\nA  2\t3  4\n#  a note\nc  -1  127 -0");
  CHECK(matrix->matrix_letters() == "AC*");
  CHECK(matrix->type() == ElementType::i8);
  CHECK(matrix->shape() == Extents{3, 3});
  CHECK(read_all<std::int8_t>(*matrix) == bytes({2, 3, 4, -1, 127, 0, 1, -128, 7}));
  CHECK(matrix->files() == std::vector{folder.path() / "m.mat"});
  CHECK_FALSE(matrix->letters());
}

TEST_CASE("a matrix may be packed, begin with a byte order mark, and have all letters") {
  TempFolder folder;
  std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ*", text = "\xef\xbb\xbf";
  for (char letter : letters) text += std::string(1, letter) + " ";
  for (char letter : letters) {
    text += "\n" + std::string(1, letter);
    for (std::size_t i = 0; i < letters.size(); ++i) text += " " + std::to_string(letter);
  }
  write_gzip(folder.path() / "m.gz", text);
  const auto matrix = open_input(folder, {{"substitution", "m.gz"}});
  CHECK(matrix->matrix_letters() == letters);
  CHECK(read_box<std::int8_t>(*matrix, {{25, 26}, {27, 27}}) == bytes({90, 42}));
}

TEST_CASE("the content of a matrix is its scores and its letters, not its comments") {
  TempFolder folder;
  const auto content = [&](const std::string& text) { return held_content(*open_matrix(folder, text)); };
  const auto plain = content("A C\nA 1 2\nC 3 4\n");
  REQUIRE(plain.has_value());
  CHECK(content("# other\n a c\n\nc 3 4\na 1 2") == plain);
  CHECK(content("A C\nA 1 2\nC 3 5\n") != plain);
  CHECK(content("A G\nA 1 2\nG 3 4\n") != plain);
}

TEST_CASE("what is wrong with a matrix is named with its place, and the remedy") {
  CHECK(error_with("") == "io: m.mat: is empty: a substitution matrix begins with a line of its letters");
  CHECK(error_with("# A C\n\n") == "io: m.mat: is empty: a substitution matrix begins with a line of its letters");
  CHECK(error_with("A  1\n") ==
        "io: m.mat:1:4: '1' is no letter (A to Z, *): the first line has the letters alone, which columns stand for");
  CHECK(error_with("A AC\n").find("io: m.mat:1:3: 'AC' is no letter") == 0);
  CHECK(error_with("A -\n").find("io: m.mat:1:3: '-' is no letter") == 0);
  CHECK(error_with("A C a\n") == "io: m.mat:1:5: a second column for 'a'");
  CHECK(error_with("A C\n1 2\n") ==
        "io: m.mat:2:1: '1' is no letter (A to Z, *): a line of scores begins with its letter");
  CHECK(error_with("A C\nA 1 2\n  G 1 2\n") ==
        "io: m.mat:3:3: 'G' has no column: give it one in line 1, or take this line away");
  CHECK(error_with("A C\nA 1 2\nC 1 2\na 1 2\n") == "io: m.mat:4:1: a second line of 'a'; the first is line 2");
  CHECK(error_with("A C\nA 1 2\n") ==
        "io: m.mat:1:3: 'C' has a column and no line of scores: give it one, or take its column away");
  CHECK(error_with("A C\nA 1\nC 1 2\n") == "io: m.mat:2:4: this line has 1 score, and line 1 names 2 columns");
  CHECK(error_with("A C\nA 1 2 3\nC 1 2\n") == "io: m.mat:2:7: this line has 3 scores, and line 1 names 2 columns");
  CHECK(error_with("# x\nA C\nA 1 2.5\n") ==
        "io: m.mat:3:5: '2.5' is no whole number; scores with decimals are multiplied, all of them and the costs of "
        "gaps, until they have none");
  for (const char* wrong : {"x", "+-1", "+", "1e2", "1,", "0x1", "nan"}) {
    CHECK(error_with("A\nA " + std::string(wrong)).find(std::string("io: m.mat:2:3: '") + wrong + "' is no") == 0);
  }
  CHECK(error_with("A\nA 128\n") ==
        "io: m.mat:2:3: '128' is no score from -128 to 127: divide all scores, and the costs of gaps");
  CHECK(error_with("A\nA -129\n").find("io: m.mat:2:3: '-129' is no score from") == 0);
  CHECK(error_with("A\nA 99999999999999999999\n").find("io: m.mat:2:3: '99999999999999999999' is no score") == 0);
  TempFolder folder;
  CHECK(open_error(folder, {{"substitution", "none.mat"}}).find("none.mat") != std::string::npos);
}
