// Ranges of FASTA files that have an index: what is read, and indices that are wrong or stale.
#include <catch2/catch.hpp>

#include "io/kinds.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

const std::string letters = "ACGTTGCAACGGTTAACCGGTACGATCGATTACGGCTAATC";

/// Two records whose lines have 10 letters.
std::string fasta(const std::string& line_end = "\n") {
  std::string text = ">chr1 the first" + line_end;
  for (std::size_t at = 0; at < letters.size(); at += 10) text += letters.substr(at, 10) + line_end;
  return text + ">chr2" + line_end + "GGGGGGGGGG" + line_end + "TTT" + line_end;
}

/// The index of fasta().
std::string index_of(std::int64_t end = 1) {
  const std::int64_t first = 15 + end, count = static_cast<std::int64_t>(letters.size());
  const std::int64_t second = first + count + (count + 9) / 10 * end + 5 + end;
  const std::string line = "\t10\t" + std::to_string(10 + end) + "\n";
  return "chr1\t" + std::to_string(count) + "\t" + std::to_string(first) + line + "chr2\t13\t" +
         std::to_string(second) + line;
}

struct Read {
  std::string letters;
  std::vector<std::string> warnings;
  std::string place;
};

Read read_range(const TempFolder& folder, const std::string& record, std::int64_t begin, std::int64_t end) {
  Settings settings;
  settings.set("fasta", Value(std::string("a.fa")));
  if (!record.empty()) settings.set("record", Value(record));
  settings.set("range", Value(Values{begin, end}));
  Read result;
  const OpenContext context{.folder = folder.path(), .input = nullptr, .warn = [&](const std::string& text) {
                              result.warnings.push_back(text);
                            }};
  const auto source = fasta_kind().open(settings, context);
  result.letters = read_letters(*source);
  if (begin < end) result.place = source->place_of({0});
  return result;
}

void write_both(const TempFolder& folder, const std::string& text, const std::string& index) {
  folder.write("a.fa", text);
  folder.write("a.fa.fai", index);
}

/// The index is not used, with a warning that has those words, and the letters are right even so.
void check_unused(const TempFolder& folder, const std::string& words) {
  const Read read = read_range(folder, "chr1", 8, 23);
  CHECK(read.letters == letters.substr(8, 15));
  REQUIRE(read.warnings.size() == 1);
  CHECK(read.warnings[0].find("a.fa.fai is not used, and the file is read whole: ") != std::string::npos);
  CHECK_THAT(read.warnings[0], Catch::Contains(words));
}

}  // namespace

TEST_CASE("A range is read through an index, on any lines and with both ends of lines") {
  TempFolder folder;
  for (const std::string& line_end : {std::string("\n"), std::string("\r\n")}) {
    write_both(folder, fasta(line_end), index_of(static_cast<std::int64_t>(line_end.size())));
    for (std::int64_t begin = 0; begin <= static_cast<std::int64_t>(letters.size()); ++begin) {
      for (std::int64_t end = begin; end <= static_cast<std::int64_t>(letters.size()); ++end) {
        const Read read = read_range(folder, "chr1", begin, end);
        REQUIRE(read.letters ==
                letters.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin)));
        REQUIRE(read.warnings.empty());
      }
    }
    CHECK(read_range(folder, "chr2", 9, 13).letters == "GTTT");
    CHECK(read_range(folder, "1", 9, 13).letters == "GTTT");
    CHECK(read_range(folder, "chr1", 12, 20).place == (folder.path() / "a.fa").string() + ":3:3");
  }
}

TEST_CASE("Only the range is read where an index is there") {
  TempFolder folder;
  std::string text = fasta();
  text[text.find("GGGGGGGGGG")] = '7';  // an error of a file that is read whole
  write_both(folder, text, index_of());
  CHECK(read_range(folder, "chr1", 8, 23).letters == letters.substr(8, 15));
  CHECK(open_error(folder, {{"fasta", "a.fa"}, {"record", "chr1"}}).find("'7' has no place in FASTA") !=
        std::string::npos);
}

TEST_CASE("An index that is older than its file is not used") {
  TempFolder folder;
  write_both(folder, fasta(), index_of());
  const auto time = std::filesystem::last_write_time(folder.path() / "a.fa");
  std::filesystem::last_write_time(folder.path() / "a.fa.fai", time - std::chrono::seconds(5));
  check_unused(folder, "is older than the file");
}

TEST_CASE("An index that does not fit its file is not used") {
  TempFolder folder;
  const std::string good = index_of();
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string index = good;
    return index.replace(index.find(from), from.size(), to);
  };
  write_both(folder, fasta(), "");
  CHECK(read_range(folder, "chr1", 8, 23).letters == letters.substr(8, 15));
  for (const auto& [index, words] : std::vector<std::pair<std::string, std::string>>{
           {replaced("\t16\t", "\t17\t"), "the header of 'chr1' is not where it says"},
           {replaced("\t16\t", "\t26\t"), "the header of 'chr1' is not where it says"},
           {replaced("\t16\t", "\t999999\t"), "points behind the end of the file"},
           {replaced("\t41\t", "\t40\t"), "'chr1' does not end where it says"},
           {replaced("\t41\t", "\t42\t"), "'chr1' does not end where it says"},
           {replaced("\t10\t11\nchr2", "\t9\t10\nchr2"), "lines of 'chr1' are of other lengths than it says"},
           {replaced("\t10\t11\nchr2", "\t0\t1\nchr2"), "line 1 is damaged"},
           {replaced("\t10\t11\nchr2", "\t10\t15\nchr2"), "line 1 is damaged"},
           {replaced("\t16\t", "\t-16\t"), "line 1 is damaged"},
           {replaced("\t16\t", "\t"), "line 1 has not five fields"},
           {"no index", "line 1 has not five fields"}}) {
    INFO(index);
    write_both(folder, fasta(), index);
    check_unused(folder, words);
  }
  // A line in the range that is shorter and another that is longer: the whole is as long as the index says.
  std::string text = fasta();
  text.erase(text.find('\n', 16), 1).insert(24, "\n");
  write_both(folder, text, good);
  check_unused(folder, "lines of 'chr1' are of other lengths than it says");
}

TEST_CASE("Names that the index does not tell apart, or does not have, are looked for in the file") {
  TempFolder folder;
  write_both(folder, fasta(), index_of());
  CHECK(read_range(folder, "chr1 the first", 8, 23).letters == letters.substr(8, 15));
  CHECK_THROWS_WITH(read_range(folder, "chr3", 0, 1), Catch::Contains("there is no 'chr3'"));
  CHECK_THROWS_WITH(read_range(folder, "", 0, 1), Catch::Contains("has 2 records"));
  CHECK_THROWS_WITH(read_range(folder, "chr2", 3, 14), Catch::Contains("does not lie in the record 'chr2' of 13"));
}
