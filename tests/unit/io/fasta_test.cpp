// FASTA files as inputs: records, ranges, strands, gzip, and text that is not FASTA.
#include <catch2/catch.hpp>

#include "io/inputs/fasta/scanner.hpp"
#include "io/item_set.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

std::string letters_of(const std::string& text, std::vector<Setting> more = {}) {
  TempFolder folder;
  folder.write("a.fa", text);
  more.insert(more.begin(), {"fasta", "a.fa"});
  return read_letters(*open_input(folder, more));
}

std::string error_with(const std::string& text, std::vector<Setting> more = {}) {
  TempFolder folder;
  folder.write("a.fa", text);
  more.insert(more.begin(), {"fasta", "a.fa"});
  return open_error(folder, more);
}

const std::string three = ">chr1 the first\nACGT\nAC\n>chr2\nggg\n>3\nTTT\n";

}  // namespace

TEST_CASE("A FASTA record's lines become one sequence") {
  CHECK(letters_of(">x\nACGT\nacgtn\n") == "ACGTacgtn");
  CHECK(letters_of(">x\r\nACGT\r\nACG\r\n") == "ACGTACG");
  CHECK(letters_of(">x\nACGT") == "ACGT");
  CHECK(letters_of(">x\r\nACGT\r") == "ACGT");
  CHECK(letters_of("\n\n>x\n\nAC GT\n\n AC\t\n") == "ACGTAC");
  CHECK(letters_of(";comment\n>x\n;another\nMKV*-.\n") == "MKV*-.");
  CHECK(letters_of(">x\n") == "");
  CHECK(letters_of(">x") == "");
  CHECK(letters_of(">\nAC\n") == "AC");
  CHECK(letters_of("\xef\xbb\xbf>x\nACGT\n") == "ACGT");
}

TEST_CASE("A FASTA record is chosen by name, whole header or index") {
  CHECK(letters_of(three, {{"record", "chr1"}}) == "ACGTAC");
  CHECK(letters_of(three, {{"record", "chr1 the first"}}) == "ACGTAC");
  CHECK(letters_of(three, {{"record", "chr2"}}) == "ggg");
  CHECK(letters_of(three, {{"record", "0"}}) == "ACGTAC");
  CHECK(letters_of(three, {{"record", "2"}}) == "TTT");
  CHECK(letters_of(three, {{"record", "3"}}) == "TTT");
}

TEST_CASE("All records of a FASTA file are a set") {
  TempFolder folder;
  folder.write("a.fa", three);
  const auto set = open_input(folder, {{"fasta", "a.fa"}, {"records", "all"}});
  REQUIRE(set->items() != nullptr);
  CHECK(read_letters(*set) == "ACGTACgggTTT");
  CHECK(set->items()->begins() == std::vector<std::int64_t>{0, 6, 9, 12});
  CHECK(std::get<NodeNames::Texts>(set->items()->names().names()) == Texts{"chr1", "chr2", "3"});
  CHECK(set->place_of({7}).ends_with("a.fa:5:2"));
  CHECK(read_letters(*open_input(folder, {{"fasta", "a.fa"}, {"records", "all"}, {"reverse_complement", true}})) ==
        "GTACGTcccAAA");
  CHECK(open_input(folder, {{"fasta", "a.fa"}, {"record", "chr1"}})->items() == nullptr);
}

TEST_CASE("A range counts on the strand of the file, also when the other strand is read") {
  const std::string text = ">x\nAACCGGTTRYKMBDHVSWNX-acgu\n";
  CHECK(letters_of(text, {{"range", Values{2, 6}}}) == "CCGG");
  CHECK(letters_of(text, {{"range", Values{3, 3}}}) == "");
  CHECK(letters_of(text, {{"reverse_complement", true}}) == "acgt-XNWSBDHVKMRYAACCGGTT");
  CHECK(letters_of(text, {{"range", Values{1, 4}}, {"reverse_complement", true}}) == "GGT");
}

TEST_CASE("Gzip FASTA reads like plain FASTA") {
  TempFolder folder;
  write_gzip(folder.path() / "a.fa.gz", ">x\nACGT\nAC\n");
  CHECK(read_letters(*open_input(folder, {{"fasta", "a.fa.gz"}})) == "ACGTAC");
  write_gzip(folder.path() / "a.fa.gz", "GG\n", "ab");
  CHECK(read_letters(*open_input(folder, {{"fasta", "a.fa.gz"}})) == "ACGTACGG");
}

TEST_CASE("Long sequences cross the reader's buffers unharmed") {
  std::string letters, text = ">long\r\n";
  for (int i = 0; i < 3000000; ++i) letters += "ACGTN"[(i * 7 + i / 3) % 5];
  for (std::size_t at = 0; at < letters.size(); at += 61) text += letters.substr(at, 61) + "\r\n";
  CHECK(letters_of(text) == letters);
  CHECK(letters_of(">one line\n" + letters) == letters);
  TempFolder folder;
  write_gzip(folder.path() / "a.gz", text);
  CHECK(read_letters(*open_input(folder, {{"fasta", "a.gz"}})) == letters);
}

TEST_CASE("Text that comes byte by byte gives the same records") {
  RecordChoice choice("a.fa", "chr2");
  FastaScanner scanner("a.fa", choice);
  for (const char letter : std::string("\xef\xbb\xbf>chr1 x\r\nAC\r\n>chr2\r\nGG T\r\n;x\r\nA\r\n"))
    scanner.take({&letter, 1});
  scanner.finish();
  const auto letters = choice.finish();
  CHECK(std::string(reinterpret_cast<const char*>(letters.data()), letters.size()) == "GGTA");
}

TEST_CASE("FASTA that is none is an error with line and column") {
  CHECK(error_with("") == "io: a.fa: has no record: no line begins with '>'");
  CHECK(error_with("\n;c\n") == "io: a.fa: has no record: no line begins with '>'");
  CHECK(error_with("ACGT\n") ==
        "io: a.fa:1:1: letters before the first record; a FASTA file begins with a line '>name'");
  CHECK(error_with("@read\nACGT\n+\nIIII\n").find("io: a.fa:1:1: letters before the first record") == 0);
  const std::string rule = " has no place in FASTA: a sequence has letters, '*', '-' and '.'";
  CHECK(error_with(">x\nACGT\nAC7T\n") == "io: a.fa:3:3: '7'" + rule);
  CHECK(error_with(">x\nAC" + std::string(1, '\0') + "T\n") == "io: a.fa:2:3: byte 0x00" + rule);
  CHECK(error_with("\xef\xbb>x\nAC\n") == "io: a.fa:1:1: byte 0xef" + rule);
  CHECK(error_with("\xff\xfe>x\nAC\n").find("io: a.fa: is UTF-16: write it as UTF-8") == 0);
  CHECK(error_with(">x\nAC\xef\xbb\xbfGT\n") == "io: a.fa:2:3: byte 0xef" + rule);
  CHECK(error_with(">x\nAC\xc3\xa4\n") == "io: a.fa:2:3: byte 0xc3" + rule);
  CHECK(error_with(">x\rACGT\r>y\rAC\r").find("io: a.fa:1:3: a carriage return in a line") == 0);
  CHECK(error_with(">x\nAC\rGT\n").find("io: a.fa:2:3: a carriage return in a line") == 0);
  CHECK(error_with(">" + std::string(2000000, 'x')) ==
        "io: a.fa:1:1: this line is too long for a header; is this FASTA?");
  CHECK(error_with(">y\nA>C\n") == "io: a.fa:2:2: '>'" + rule);
  // Errors in a record that is not read are errors, too.
  CHECK(error_with(">x\nAC\n>y\nA1\n", {{"record", "x"}}) == "io: a.fa:4:2: '1'" + rule);
}

TEST_CASE("A record that is not said, missing or ambiguous is an error that lists the names") {
  CHECK(error_with(three) ==
        "job: job.yaml:7: fasta: record: a.fa has 3 records, 'chr1', 'chr2', '3'; say which one "
        "by name or index, or `records: all` to take them as a set");
  CHECK(error_with(three, {{"record", "chr3"}}) ==
        "job: job.yaml:7: record: record: there is no 'chr3' in a.fa (3 records, 'chr1', 'chr2', '3'); did you mean "
        "'chr1' or 'chr2'?");
  CHECK(error_with(three, {{"record", "4"}}).find("there is no '4' in a.fa (3 records") != std::string::npos);
  CHECK(error_with(three, {{"record", "-1"}}).find("there is no '-1'") != std::string::npos);
  CHECK(error_with(">a\nA\n>a\nC\n", {{"record", "a"}}) ==
        "job: job.yaml:7: record: record: two records of a.fa are called 'a'; give an index");
  CHECK(letters_of(">a\nA\n>a\nC\n", {{"record", "1"}}) == "C");
}

TEST_CASE("A range outside of the record is an error") {
  CHECK(error_with(">x\nACGT\n", {{"range", Values{2, 5}}}) ==
        "job: job.yaml:7: range: range: [2, 5) does not lie in the record 'x' of 4 letters");
  CHECK(error_with(">x\nACGT\n", {{"range", Values{3, 2}}}).find("[3, 2) does not lie") != std::string::npos);
  CHECK(error_with(">x\nACGT\n", {{"range", Values{-1, 2}}}).find("[-1, 2) does not lie") != std::string::npos);
  CHECK(error_with(">x\nACGT\n", {{"range", Values{1}}}) ==
        "job: job.yaml:7: range: range: give two numbers, [begin, end]");
}

TEST_CASE("Letters without a complement cannot be read backwards") {
  CHECK(error_with(">x\nMKVE\n", {{"reverse_complement", true}}) ==
        "job: job.yaml:7: reverse_complement: reverse_complement: a.fa:2:4: the letter 'E' has no complement; DNA "
        "has A, C, G, "
        "T, U and IUPAC's letters for sets of them");
}

TEST_CASE("Damaged gzip files are errors") {
  TempFolder folder;
  std::string text = ">x\n";
  for (int i = 0; i < 100000; ++i) text += "ACGT"[(i * i / 7) % 4];
  write_gzip(folder.path() / "a.gz", text);
  const std::string good = folder.read("a.gz");
  for (const std::size_t length : {std::size_t{2}, std::size_t{9}, good.size() / 2, good.size() - 4}) {
    folder.write("a.gz", good.substr(0, length));
    CHECK(open_error(folder, {{"fasta", "a.gz"}}) ==
          "io: a.gz: byte " + std::to_string(length) +
              ": the gzip data end too soon; the file was cut short, fetch or make it again");
  }
  std::string flipped = good;
  flipped[good.size() / 2] = static_cast<char>(flipped[good.size() / 2] ^ 16);
  folder.write("a.gz", flipped);
  CHECK(open_error(folder, {{"fasta", "a.gz"}}).find("io: a.gz: byte ") == 0);
}

TEST_CASE("What follows a gzip member is another member or zero bytes, else an error that names the byte") {
  TempFolder folder;
  write_gzip(folder.path() / "a.gz", ">x\nACGT\n");
  write_gzip(folder.path() / "b.gz", "GG\n");
  const std::string one = folder.read("a.gz"), other = folder.read("b.gz"), padding(700000, '\0');
  const auto error_of_bytes = [&](const std::string& bytes) {
    folder.write("c.gz", bytes);
    return open_error(folder, {{"fasta", "c.gz"}});
  };
  const auto letters = [&](const std::string& bytes) {
    folder.write("c.gz", bytes);
    return read_letters(*open_input(folder, {{"fasta", "c.gz"}}));
  };
  CHECK(letters(one + other + other) == "ACGTGGGG");
  CHECK(letters(one + padding) == "ACGT");
  // bgzip ends a file with a member that holds nothing.
  write_gzip(folder.path() / "empty.gz", "");
  CHECK(letters(one + folder.read("empty.gz") + other + folder.read("empty.gz")) == "ACGTGG");
  std::string many = one;
  for (int i = 0; i < 20000; ++i) many += other;
  CHECK(letters(many).size() == 40004);

  const std::string first = std::to_string(one.size());
  CHECK(error_of_bytes(one + "garbage") ==
        "io: c.gz: byte " + first +
            ": what follows the end of the gzip data is neither more gzip data nor padding with zero bytes; the file "
            "is damaged, fetch or make it again");
  CHECK(error_of_bytes(one + padding + "x")
            .find("io: c.gz: byte " + std::to_string(one.size() + padding.size()) + ": behind padding") == 0);
  std::string damaged = one + other;
  for (const std::size_t at : {one.size(), one.size() + 1, one.size() + 2, damaged.size() - 5}) {
    damaged = one + other;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    INFO(at);
    CHECK(error_of_bytes(damaged).find("io: c.gz: byte ") == 0);
  }
  for (std::size_t length = one.size() + 1; length < one.size() + other.size(); ++length) {
    CHECK(error_of_bytes((one + other).substr(0, length)) ==
          "io: c.gz: byte " + std::to_string(length) +
              ": the gzip data end too soon; the file was cut short, fetch or make it again");
  }
}
