// Sets of all records of a file, read in parts; with an index, without one, and with one that is wrong.
#include <catch2/catch.hpp>
#include <random>

#include "io/item_set.hpp"
#include "io/kinds.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

std::string random_letters(std::size_t count, unsigned seed) {
  std::mt19937 draw(seed);
  std::string letters(count, '\0');
  for (char& letter : letters) letter = "ACGTN"[draw() % 5];
  return letters;
}

std::string lines_of(const std::string& letters, std::size_t length, const std::string& end = "\n") {
  std::string lines;
  for (std::size_t at = 0; at < letters.size(); at += length) lines += letters.substr(at, length) + end;
  return lines;
}

struct Opened {
  std::shared_ptr<Source> source;
  std::vector<std::string> warnings;
};

Opened open_set(const TempFolder& folder, const char* kind, const std::string& name, bool opposite = false) {
  Settings settings;
  settings.set(kind, Value(name));
  settings.set("records", Value(std::string("all")));
  settings.set("reverse_complement", Value(opposite));
  Opened opened;
  const OpenContext context{.folder = folder.path(), .input = nullptr, .warn = [&](const std::string& text) {
                              opened.warnings.push_back(text);
                            }};
  for (const InputKind& one : input_kinds()) {
    if (one.name == std::string_view(kind)) opened.source = open_source(one, settings, context);
  }
  return opened;
}

std::string read_part(Source& source, std::int64_t begin, std::int64_t end) {
  const auto letters = read_box<std::uint8_t>(source, {{begin}, {end}});
  return {letters.begin(), letters.end()};
}

/// Parts of the set are parts of these letters, wherever they begin and end.
void check_parts(Source& source, const std::string& letters) {
  const auto count = static_cast<std::int64_t>(letters.size());
  REQUIRE(source.shape() == Extents{count});
  CHECK(read_part(source, 0, count) == letters);
  std::mt19937 draw(7);
  for (int part = 0; part < 300; ++part) {
    const auto begin = static_cast<std::int64_t>(draw()) % (count + 1);
    const auto most = part % 3 == 0 ? count - begin : std::min<std::int64_t>(count - begin, 40);
    const std::int64_t end = begin + static_cast<std::int64_t>(draw()) % (most + 1);
    REQUIRE(read_part(source, begin, end) ==
            letters.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
  }
}

std::string complement_of(std::string letters) {
  std::reverse(letters.begin(), letters.end());
  for (char& letter : letters) letter = std::string_view("TGCAN")[std::string_view("ACGTN").find(letter)];
  return letters;
}

}  // namespace

TEST_CASE("Parts of a set are read from any letter to any other") {
  TempFolder folder;
  const std::string a = random_letters(200'000, 1), b = random_letters(90'000, 2), c = random_letters(33, 3);
  // A line that is longer than what is read at a time, lines with comments and blanks between them, empty records.
  folder.write("a.fa", "\xef\xbb\xbf;first\n>a one\n" + a + "\r\n>none\n>b\n;c\n" +
                           lines_of(b, 61, " \t\r\n\n;comment\n") + ">c\n" + lines_of(c, 1) + ">none again\n\n");
  folder.write("a.fq", "@a one\n" + a + "\n+\n" + std::string(a.size(), '@') + "\n@none\n\n+\n@b\n" +
                           lines_of(b, 61) + "+b\n" + lines_of(std::string(b.size(), '>'), 77) + "\n@c\r\n" + c +
                           "\r\n+\r\n" + std::string(c.size(), '+') + "\r\n");
  for (const auto& [kind, name] : {std::pair("fasta", "a.fa"), std::pair("fastq", "a.fq")}) {
    const Opened set = open_set(folder, kind, name);
    CHECK(set.warnings.size() == (kind == std::string_view("fasta") ? 1 : 0));
    check_parts(*set.source, a + b + c);
    check_parts(*open_set(folder, kind, name, true).source, complement_of(a) + complement_of(b) + complement_of(c));
  }
}

TEST_CASE("Places of letters of a set are those of its file") {
  TempFolder folder;
  folder.write("a.fa", ">x\nAC\n\n GT\n>y\n;c\nA\n");
  folder.write("a.fq", "@x\nAC\nGT\n+\nIIII\n@y\nA\n+\nI\n");
  for (const bool opposite : {false, true}) {
    const auto fasta = open_set(folder, "fasta", "a.fa", opposite),
               fastq = open_set(folder, "fastq", "a.fq", opposite);
    CHECK(fasta.source->place_of({opposite ? 0 : 3}).ends_with("a.fa:4:3"));
    CHECK(fasta.source->place_of({4}).ends_with("a.fa:7:1"));
    CHECK(fastq.source->place_of({opposite ? 0 : 3}).ends_with("a.fq:3:2"));
    CHECK(fastq.source->place_of({4}).ends_with("a.fq:7:1"));
  }
}

TEST_CASE("A file that changes while a set is read is an error") {
  TempFolder folder;
  folder.write("a.fa", ">x\n" + std::string(300, 'A') + "\n>y\nCC\n");
  const auto set = open_set(folder, "fasta", "a.fa").source;
  folder.write("a.fa", ">x\n" + std::string(150, 'A') + "\n>y\n" + std::string(150, 'C') + "CC\n");
  CHECK(error_of(folder, [&] {
          read_part(*set, 0, 302);
        }).find("letters are not where they were when the file was opened") != std::string::npos);
}

namespace {

struct Indexed {
  std::string text, index, letters;
};

/// Two long records on lines of 60 letters with a line end, as samtools indexes them.
Indexed long_records(const std::string& end = "\n") {
  const std::string a = random_letters(170'001, 4), b = random_letters(140'000, 5);
  Indexed made{">a of two" + end + lines_of(a, 60, end), "", a + b};
  const auto bytes = std::to_string(60 + end.size());
  made.index = "a\t170001\t" + std::to_string(9 + end.size()) + "\t60\t" + bytes + "\n";
  made.text += ">b" + end;
  made.index += "b\t140000\t" + std::to_string(made.text.size()) + "\t60\t" + bytes + "\n";
  made.text += lines_of(b, 60, end);
  return made;
}

void write_both(const TempFolder& folder, const Indexed& indexed) {
  folder.write("a.fa", indexed.text);
  folder.write("a.fa.fai", indexed.index);
}

}  // namespace

TEST_CASE("An index says where long records are") {
  TempFolder folder;
  for (const char* end : {"\n", "\r\n"}) {
    const Indexed indexed = long_records(end);
    write_both(folder, indexed);
    const Opened set = open_set(folder, "fasta", "a.fa");
    CHECK(set.warnings.empty());
    CHECK(set.source->items()->begins() == std::vector<std::int64_t>{0, 170'001, 310'001});
    check_parts(*set.source, indexed.letters);
    const Opened opposite = open_set(folder, "fasta", "a.fa", true);
    CHECK(opposite.warnings.empty());
    check_parts(*opposite.source,
                complement_of(indexed.letters.substr(0, 170'001)) + complement_of(indexed.letters.substr(170'001)));
  }
}

TEST_CASE("With an index, a letter without a complement is an error when it is read") {
  TempFolder folder;
  Indexed indexed = long_records();
  indexed.text[10 + 61 * 2000 + 30] = 'E';  // letter 30 of line 2000, in the file behind the header
  write_both(folder, indexed);
  const auto set = open_set(folder, "fasta", "a.fa", true).source;
  const std::int64_t there = 170'001 - 1 - (2000 * 60 + 30);
  CHECK(read_part(*set, 0, there).size() == static_cast<std::size_t>(there));
  for (const std::int64_t begin : {std::int64_t{0}, there}) {
    CHECK_THAT(error_of(folder, [&] { read_part(*set, begin, 170'001); }),
               Catch::Contains("a.fa:2002:31: the letter 'E' has no complement"));
  }
}

TEST_CASE("Lines of other lengths than the index says are an error when they are read") {
  TempFolder folder;
  Indexed indexed = long_records();
  // The end of line 500 moves into line 2000.
  indexed.text.insert(10 + 61 * 2000 + 30, 1, '\n').erase(10 + 61 * 500 + 60, 1);
  write_both(folder, indexed);
  const auto set = open_set(folder, "fasta", "a.fa").source;
  CHECK(read_part(*set, 0, 60) == indexed.letters.substr(0, 60));
  CHECK(error_of(folder, [&] { read_part(*set, 0, 170'001); }).find("make the index again (samtools faidx)") !=
        std::string::npos);
}

TEST_CASE("An index that does not fit is left out with a warning") {
  TempFolder folder;
  const auto check_unused = [&](const Indexed& indexed, const std::string& words) {
    write_both(folder, indexed);
    const Opened set = open_set(folder, "fasta", "a.fa");
    check_parts(*set.source, indexed.letters);
    REQUIRE(set.warnings.size() == 1);
    CHECK_THAT(set.warnings[0],
               Catch::Contains("a.fa.fai is not used, and the file is read whole: ") && Catch::Contains(words));
  };
  const Indexed right = long_records();
  Indexed wrong = right;
  wrong.index = right.index.substr(0, right.index.find('\n') + 1);
  check_unused(wrong, "it says nothing of the file's last records");
  wrong.index = right.index.substr(right.index.find('\n') + 1);
  check_unused(wrong, "there is text before 'b' of which it says nothing");
  wrong = right;
  wrong.index.replace(0, 1, "x");
  check_unused(wrong, "the header of 'x' is not where it says");
  wrong = right;
  wrong.index.replace(wrong.index.find("170001"), 6, "170000");
  check_unused(wrong, "'a' does not end where it says");
  wrong = right;
  wrong.text.insert(wrong.text.find(">b"), ">c\nACG\n");
  wrong.letters.insert(170'001, "ACG");
  check_unused(wrong, "");
  wrong = right;
  wrong.index.insert(0, "a\tx\n");
  check_unused(wrong, "line 1 has not five fields");
  write_both(folder, right);
  const auto now = std::filesystem::last_write_time(folder.path() / "a.fa");
  std::filesystem::last_write_time(folder.path() / "a.fa.fai", now - std::chrono::hours(1));
  const Opened set = open_set(folder, "fasta", "a.fa");
  REQUIRE(set.warnings.size() == 1);
  CHECK_THAT(set.warnings[0], Catch::Contains("is older than the file"));
}

TEST_CASE("Names of records are made unique, and those without a name are called by their index") {
  TempFolder folder;
  folder.write("a.fa", ">x\nA\n>\nC\n>x\nG\n>2\nT\n> \nA\n>x#2\nA\n>x\nA\n");
  const Opened set = open_set(folder, "fasta", "a.fa");
  const auto items = set.source->items();
  CHECK(std::get<NodeNames::Texts>(items->names().names()) == Texts{"x", "1", "x#3", "2", "4", "x#2", "x#4"});
  REQUIRE(set.warnings.size() == 2);
  CHECK_THAT(set.warnings[0], Catch::Contains("2 records of ") && Catch::Contains("a.fa:3 becomes '1'"));
  CHECK_THAT(set.warnings[1],
             Catch::Contains("'x' at ") && Catch::Contains("a.fa:5 is there again, and becomes 'x#3'"));
  CHECK(items->is_repeated("x"));
  CHECK(!items->is_repeated("x#3"));
  CHECK(items->item_name(2) == "'x#3'");
}
