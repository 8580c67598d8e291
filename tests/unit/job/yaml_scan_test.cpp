// Bytes of scalars in their sources, and the places that they give.
#include "pipeline/job/yaml/scan.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "pipeline/job/yaml/errors.hpp"
#include "pipeline/job/yaml/parse.hpp"

namespace terrace::job {
namespace {

/// The value of `u` in a text; null if the text is refused, or it is no scalar.
const Node* value_of(std::optional<Node>& root, const std::string& text) {
  const Sources sources("job.yaml", text, {});
  Complaints complaints(sources);
  root = parse_yaml(text, 0, complaints);
  const Node* node = root ? root->find("u") : nullptr;
  if (node && node->kind == Node::Kind::list && !node->items.empty()) node = &node->items.front();
  return node && node->kind == Node::Kind::scalar ? node : nullptr;
}

struct Style {
  const char* title;
  std::string text;   // `u` is the scalar, in which Q stands once
  std::string place;  // of Q: "line:column", counted in letters
};

void check(const Style& style) {
  INFO(style.title);
  INFO(style.text);
  std::optional<Node> root;
  const Node* node = value_of(root, style.text);
  REQUIRE(node);
  INFO(node->text);
  const Sources sources("job.yaml", style.text, {});
  const std::size_t at = node->text.find('Q');
  REQUIRE(at != std::string::npos);
  const Place place = inside(sources.place_of_text(*node), at);
  CHECK(place.text == "job.yaml:" + style.place);
  // The caret stands under the Q.
  const std::size_t line_end = place.excerpt.find('\n');
  const std::string line = place.excerpt.substr(0, line_end), carets = place.excerpt.substr(line_end + 1);
  if (line.find("\\") == std::string::npos && line.find('\xC3') == std::string::npos) {
    CHECK(line.find('Q') == carets.find('^'));
  }
}

TEST_CASE("A place inside of a text is a place in its source, in every style") {
  const Style styles[] = {
      {"plain", "u: a + Q\n", "1:8"},
      {"plain, in a flow", "x: {y: 1}\nu: [ a + Q, b ]\n", "2:10"},
      {"plain, in a block list", "u:\n  - a + Q\n", "2:9"},
      {"plain, in the next line", "u:\n   a + Q\n", "2:8"},
      {"plain, folded", "u: a +\n  b + \n  Q\n", "3:3"},
      {"plain, with blank lines", "u: a +\n\n  \n  b + c + Q # end\n", "4:11"},
      {"plain, with tabs", "u: a +\t Q\n", "1:9"},
      {"plain, folded in a flow", "u: [a\n + Q, c]\n", "2:4"},
      {"plain, with letters", "u: \xC3\xA9\xC3\xA9 + Q\n", "1:9"},
      {"after an anchor", "u: &a a + Q\n", "1:11"},
      {"after an anchor and a comment", "u: &a # ' Q\n  # Q\n  a + Q\n", "3:7"},
      {"after a tag", "u: ! a + Q\n", "1:10"},
      {"single quotes", "u: 'a + Q'\n", "1:9"},
      {"single quotes, doubled", "u: 'a '' '''' Q'\n", "1:15"},
      {"single quotes, folded", "u: 'a \n\n  '' b \n   Q'\n", "4:4"},
      {"single quotes, blanks at both ends", "u: '  Q  '\n", "1:7"},
      {"double quotes", "u: \"a + Q\"\n", "1:9"},
      {"a tab and a letter as escapes", "u: \"\\t\\u00e9\\xe9 Q\"\n", "1:18"},
      {"a letter beyond 16 bits", "u: \"\\U0001F600 Q\"\n", "1:16"},
      {"all escapes", "u: \"\\a\\b\\t\\n\\v\\f\\r\\e\\ \\\"\\\\\\N\\_\\L\\P\\/ Q\"\n", "1:38"},
      {"an escape itself", "u: \"a + \\x51\"\n", "1:9"},
      {"double quotes, folded", "u: \"a +\n   b\n\n   + Q\"\n", "4:6"},
      {"an escaped end of a line", "u: \"a + \\\n    b + \\\n\n   \\  Q\"\n", "4:7"},
      {"in the value of a key in double quotes", "\"u\": \"a: Q\"\n", "1:10"},
      {"a literal block", "u: |\n  a\n  b + Q\n", "3:7"},
      {"a literal block, blank lines and blanks", "u: |\n\n  a  \n\n     \n    b + Q\n\n\nx: 1\n", "6:9"},
      {"a literal block, kept", "u: |+\n  a\n\n  Q\n\n\n", "4:3"},
      {"a literal block, stripped, with a comment", "u: |- # Q\n  a\n  Q", "3:3"},
      {"a literal block with an indentation", "u: |2\n     a\n   Q\n", "3:4"},
      {"a literal block with both indicators", "u: |-1\n    a\n Q\n", "3:2"},
      {"a folded block", "u: >\n  a +\n  b + Q\n", "3:7"},
      {"a folded block, stripped", "u: >-\n  a +\n\n\n  b +\n  Q\n", "6:3"},
      {"a folded block with lines that are kept", "u: >\n  a\n    b\n    c\n  d Q\nx: 1\n", "5:5"},
      {"a folded block with an indentation", "u: >1-\n   a\n  b Q\n", "3:5"},
      {"a folded block after an anchor", "u: &a >\n  a\n  Q\n", "3:3"},
      {"a block in a list", "u:\n- |\n  a\n   Q\n", "4:4"},
      {"a block in a list in a map", "u:\n    - >-\n     a\n     Q\n", "4:6"},
      {"ends of lines with carriage returns", "x: 1\r\nu: a +\r\n  b\r\n\r\n  Q\r\n", "5:3"},
      {"quotes with carriage returns", "u: \"a +\\\r\n  b\r\n\r\n  Q\"\r\n", "4:3"},
      {"a literal block with carriage returns", "u: |\r\n  a\r\n\r\n  b Q\r\n", "4:5"},
      {"a folded block with carriage returns", "u: >-\r\n  a\r\n  b Q\r\n", "3:5"},
      {"no end of the last line", "u: >\n  a\n  Q", "3:3"},
  };
  for (const Style& style : styles) check(style);
}

TEST_CASE("A place at or beyond the end of a text is its end") {
  const auto end_of = [](const std::string& text, std::size_t more) {
    std::optional<Node> root;
    const Node* node = value_of(root, text);
    REQUIRE(node);
    return inside(Sources("j", text, {}).place_of_text(*node), node->text.size() + more).text;
  };
  for (const std::size_t more : {0, 1, 1000}) {
    CHECK(end_of("u: a + b # c\n", more) == "j:1:9");
    CHECK(end_of("u: 'a + b'  # c\n", more) == "j:1:10");
    CHECK(end_of("u: ''\n", more) == "j:1:5");
    CHECK(end_of("u: >\n  a\n  b\n\n\nx: 1\n", more) == "j:3:4");
    CHECK(end_of("u: |+\n  a\n  b\n\n", more) == "j:3:4");
    CHECK(end_of("u: |-\n  a\n  b", more) == "j:3:4");
  }
}

TEST_CASE("The place of a byte of a letter is the letter") {
  const std::string text = "u: \xC3\xA9\xC3\xA9\n";
  std::optional<Node> root;
  const Place place = Sources("j", text, {}).place_of_text(*value_of(root, text));
  CHECK(inside(place, 2).text == "j:1:5");
  CHECK(inside(place, 2).excerpt == "  | u: \xC3\xA9\xC3\xA9\n  |     ^");
}

TEST_CASE("A text that is not what stands in the source has the place of its beginning") {
  const std::string text = "x: 1\nu: a + b\n";
  const Sources sources("j", text, {});
  const Node other{Node::Kind::scalar, {0, 2, 4}, "a - b"};
  CHECK(inside(sources.place_of_text(other), 4).text == "j:2:4");
  const Node beyond{Node::Kind::scalar, {0, 9, 9}, "a"};
  CHECK(inside(sources.place_of_text(beyond), 1).text == "j:9:9");
}

TEST_CASE("A place inside of a setting of the command line shows its column") {
  const std::string setting = "stages.s.cells.u='a + Q'";
  const Sources sources("job.yaml", "", {"x=1", setting});
  const Node node{Node::Kind::scalar, {2, 1, 18}, "a + Q", true};
  const Place place = sources.place_of_text(node);
  CHECK(place.text == "--set " + setting);
  CHECK(place.excerpt.empty());
  const Place at = inside(place, 4);
  CHECK(at.text == place.text);
  CHECK(at.excerpt == "  | " + setting + "\n  |                       ^");
}

TEST_CASE("A list gives the places of its texts, and a text is a list of one") {
  const std::string text = "u:\n  - a\n  - 'b + Q'\n";
  std::optional<Node> root;
  value_of(root, text);
  const Sources sources("j", text, {});
  const Place list = sources.place_of_text(*root->find("u"));
  CHECK(list.text == "j:2:3");
  CHECK(element_of(list, 1).text == "j:3:5");
  CHECK(inside(element_of(list, 1), 4).text == "j:3:10");
  CHECK(element_of(list, 2).text == "j:2:3");
  CHECK(inside(list, 3).text == "j:2:3");
  const std::string one = "u: b + Q\n";
  const Node* node = value_of(root, one);
  const Place only = Sources("j", one, {}).place_of_text(*node);
  CHECK(inside(element_of(only, 0), 4).text == "j:1:8");
  CHECK(inside(Place{"j:1:1", ""}, 3).text == "j:1:1");
  CHECK(element_of(Place{"j:1:1", ""}, 3).text == "j:1:1");
}

/// A random scalar in a random style; it need not be valid.
std::string random_scalar(std::mt19937& random) {
  const std::string letters = "abcd  +'\"\\t#:,-\n\n\xC3\xA9\t>|";
  const auto any = [&](std::size_t most) { return random() % most; };
  const std::string indent(1 + any(4), ' ');
  std::string body;
  for (std::size_t i = any(30); i > 0; --i) {
    const char letter = letters[any(letters.size())];
    body += letter;
    if (letter == '\n') body += any(6) == 0 ? std::string(any(9), ' ') : indent;
  }
  const std::string heads[] = {"", "", "&a ", "! ", "&a # x\n  "};
  const std::string head = heads[any(5)];
  const std::string indicators[] = {"", "-", "+", "1", "2-", "+1"};
  switch (any(4)) {
    case 0:
      return head + "'" + body + "'";
    case 1:
      return head + "\"" + body + "\"";
    case 2:
      return head + (any(2) ? ">" : "|") + indicators[any(6)] + "\n" + indent + body;
    default:
      return head + body;
  }
}

TEST_CASE("The letters of every scalar that the parser takes are found in its source") {
  std::mt19937 random(5);
  int scalars = 0;
  for (int round = 0; round < 200000; ++round) {
    const std::string scalar = random_scalar(random);
    std::string text = (round % 3 == 0   ? "u:\n - "
                        : round % 3 == 1 ? "u: "
                                         : "u: [") +
                       scalar +
                       (round % 3 == 2   ? "]\n"
                        : round % 2 == 0 ? "\nx: 1\n"
                                         : "");
    if (round % 7 == 0) {
      std::string windows;
      for (const char letter : text) windows += letter == '\n' ? "\r\n" : std::string(1, letter);
      text = windows;
    }
    std::optional<Node> root;
    const Node* node = value_of(root, text);
    if (!node) continue;
    ++scalars;
    const Sources sources("j", text, {});
    const std::size_t at = SourceText(text).byte_at(node->position);
    const auto bytes = bytes_of_scalar(text, at, node->text);
    if (!bytes || bytes->size() != node->text.size() + 1) {
      FAIL("not found: " << text << "\n--- value:\n" << node->text << "|");
    }
    for (std::size_t i = 0; i < node->text.size(); ++i) {
      const char letter = node->text[i], source = text.at((*bytes)[i]);
      const bool blank = letter == ' ' || letter == '\n';
      if (letter == source || source == '\\' || (blank && (source == '\n' || source == '\r'))) continue;
      FAIL("byte " << i << " of the value of " << text << "\n--- value:\n" << node->text << "|");
    }
  }
  CHECK(scalars > 20000);
}

TEST_CASE("Long texts of blanks, lines and escapes are read in time") {
  for (const std::string part : {" ", "\n", " \n", "\\t", "''", "\n ", "a\n\n"}) {
    std::string body;
    while (body.size() < 1'000'000) body += part;
    for (const std::string begin : {"'", "\"", "|2\n   ", ">\n  ", ""}) {
      const std::string text = begin + "a" + body + "b";
      CHECK_FALSE(bytes_of_scalar(text, 0, "ac"));
      bytes_of_scalar(text, 0, "a" + body + "b");
    }
  }
}

}  // namespace
}  // namespace terrace::job
