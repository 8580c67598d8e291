// FASTQ files as inputs: records, ranges, qualities, and text that is not FASTQ.
#include <catch2/catch.hpp>

#include "io/record_name.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

std::shared_ptr<Source> open_fastq(const TempFolder& folder, const std::string& text,
                                   std::vector<Setting> more = {}) {
  folder.write("a.fq", text);
  more.insert(more.begin(), {"fastq", "a.fq"});
  return open_input(folder, more);
}

std::string letters_of(const std::string& text, const std::vector<Setting>& more = {}) {
  TempFolder folder;
  return read_letters(*open_fastq(folder, text, more));
}

std::string error_with(const std::string& text, const std::vector<Setting>& more = {}) {
  TempFolder folder;
  return error_of(folder, [&] { open_fastq(folder, text, more); });
}

const std::string three = "@r1 first\nACGT\n+\n!!~~\n@r2\nGGN\n+r2\n@@@\n@3\nT\n+\nI\n";

}  // namespace

TEST_CASE("A FASTQ record is chosen by name, whole header or index") {
  CHECK(letters_of("@x\nACGTN\n+\nIIIII\n") == "ACGTN");
  CHECK(letters_of(three, {{"record", "r1"}}) == "ACGT");
  CHECK(letters_of(three, {{"record", "r1 first"}}) == "ACGT");
  CHECK(letters_of(three, {{"record", "r2"}}) == "GGN");
  CHECK(letters_of(three, {{"record", "1"}}) == "GGN");
  CHECK(letters_of(three, {{"record", "3"}}) == "T");
  CHECK(error_with(three) ==
        "job: job.yaml:7: fastq: record: a.fq has 3 records, 'r1', 'r2', '3'; say which one by name or index, or "
        "`records: all` to take them as a set");
  CHECK(error_with(three, {{"record", "r7"}}).find("record: there is no 'r7' in a.fq (3 records, ") !=
        std::string::npos);
}

TEST_CASE("FASTQ may have many lines a record, CRLF, a byte order mark and no end of its last line") {
  CHECK(letters_of("\xef\xbb\xbf@x\r\nAC\r\nGT\r\n+\r\nII\r\n+I\r\n") == "ACGT");
  CHECK(letters_of("@x\nACGT\n+x\n@III") == "ACGT");
  CHECK(letters_of("@x\n\n+\n\n@y\nA\n+\nI\n", {{"record", "x"}}) == "");
  CHECK(letters_of("\n@x\nA\n+\nI\n\n\n") == "A");
  TempFolder folder;
  write_gzip(folder.path() / "a.fq.gz", three);
  CHECK(read_letters(*open_input(folder, {{"fastq", "a.fq.gz"}, {"record", "r2"}})) == "GGN");
}

TEST_CASE("A FASTQ record has ranges, an opposite strand, a name and places") {
  TempFolder folder;
  CHECK(letters_of(three, {{"record", "r1"}, {"range", Values{1, 3}}}) == "CG");
  CHECK(letters_of("@x\nAACG\n+\nIIII\n", {{"range", Values{1, 4}}, {"reverse_complement", true}}) == "CGT");
  const auto source = open_fastq(folder, "@x\nAC\nGTT\n+\nIIIII\n", {{"range", Values{1, 5}}});
  CHECK(record_name(*source) == "x:2-5");
  const std::string path = (folder.path() / "a.fq").string();
  CHECK(source->place_of({0}) == path + ":2:2");
  CHECK(source->place_of({2}) == path + ":3:2");
  CHECK(source->letters());
  CHECK(error_with(three, {{"record", "r1"}, {"range", Values{1, 5}}}) ==
        "job: job.yaml:7: range: range: [1, 5) does not lie in the record 'r1' of 4 letters");
}

TEST_CASE("Text that is not FASTQ is an error with its place") {
  CHECK(error_with("") == "io: a.fq: has no record: no line begins with '@'");
  CHECK(error_with(">x\nACGT\n") == "io: a.fq:1:1: a FASTQ file begins with a line '@name'");
  CHECK(error_with("@x\nACGT\n") == "io: a.fq:1: the record that begins here has no end; the file was cut short");
  CHECK(error_with("@x\nACGT\n+\nIII") ==
        "io: a.fq:1: the record that begins here has no end; the file was cut short");
  CHECK(error_with("@x\nACGT\n+\nIIIII\n") ==
        "io: a.fq:4:1: the record of line 1 has 4 letters, and with this line 5 qualities: there is one quality a "
        "letter");
  CHECK(error_with("@x\nAC T\n+\nIIII\n") ==
        "io: a.fq:2:3: ' ' has no place in a sequence: letters, '*', '-' and '.'");
  CHECK(error_with("@x\nAC\n+\nI\x7f\n") == "io: a.fq:4:2: '\\x7f' is no quality ('!' to '~')");
  CHECK(error_with("@x\nAC\n+y\nII\n") == "io: a.fq:3:2: behind '+' stands another header than behind '@'");
  CHECK(error_with("@x\nAC\n+\nII\nACGT\n") == "io: a.fq:5:1: a record begins with '@', and this line does not");
  CHECK(error_with("@x\nA\n+\nI\n@x\nC\n+\nI\n", {{"record", "x"}}).find("two records of a.fq are called 'x'") !=
        std::string::npos);
}
