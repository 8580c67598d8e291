// Codes of letters, and the count of letters that equal nothing.
#include <catch2/catch.hpp>
#include <string>

#include "io/memory_source.hpp"
#include "stages/wavefront/counted_letters.hpp"
#include "stages/wavefront/letters.hpp"

namespace terrace::stages {
namespace {

std::int16_t code(char letter, const std::string& alphabet, const std::string& ambiguous, Side side) {
  return letter_codes({alphabet}, ambiguous, side)[static_cast<unsigned char>(letter)];
}

TEST_CASE("U is the letter T in DNA, in both cases, however other letters compare") {
  for (const std::string ambiguous : {"literal", "mismatch", "error"}) {
    const std::int16_t t = code('T', "dna", ambiguous, Side::rows);
    REQUIRE(t >= 0);
    for (const char letter : {'t', 'U', 'u'}) {
      CHECK(code(letter, "dna", ambiguous, Side::rows) == t);
      CHECK(code(letter, "dna", ambiguous, Side::columns) == t);
    }
    for (const char letter : {'A', 'C', 'G'}) CHECK(code(letter, "dna", ambiguous, Side::rows) != t);
  }
}

TEST_CASE("U is a letter of its own in proteins and texts") {
  for (const std::string alphabet : {"protein", "text"}) {
    CHECK(code('U', alphabet, "literal", Side::rows) == code('U', alphabet, "literal", Side::columns));
    CHECK(code('U', alphabet, "literal", Side::rows) != code('T', alphabet, "literal", Side::rows));
  }
}

TEST_CASE("other letters of DNA equal themselves, or nothing, or are errors") {
  for (const char letter : std::string("RYSWKMBDHVNXn")) {
    CHECK(code(letter, "dna", "literal", Side::rows) == code(letter, "dna", "literal", Side::columns));
    CHECK(code(letter, "dna", "mismatch", Side::rows) != code(letter, "dna", "mismatch", Side::columns));
    CHECK(code(letter, "dna", "mismatch", Side::rows) >= first_unlike);
    CHECK(code(letter, "dna", "mismatch", Side::columns) >= first_unlike);
    CHECK(code(letter, "dna", "error", Side::rows) == -1);
  }
}

std::shared_ptr<const CountedLetters> counted(const std::string& name, int known, int unknown) {
  std::vector<std::byte> codes(static_cast<std::size_t>(known), std::byte{1});
  codes.resize(static_cast<std::size_t>(known + unknown), std::byte{first_unlike + 1});
  const Extents shape{known + unknown};
  auto source =
      std::make_shared<CountedLetters>(std::make_shared<io::MemorySource>(ElementType::u8, shape, codes), name);
  std::vector<std::uint8_t> read(codes.size());
  source->read(Box::whole(shape), read.data());
  source->read(Box::whole(shape), read.data());
  return source;
}

TEST_CASE("sequences of which more than a tenth of the letters equal nothing are named once") {
  const auto few = counted("few", 9, 1), many = counted("many", 8, 2);
  CHECK(few->share() == 0.1);
  CHECK(many->share() == 0.2);
  CHECK(warning_of_letters({}, "s", {}).empty());
  CHECK(warning_of_letters({}, "s", {few, few}).empty());
  const std::string one = warning_of_letters({"job.yaml:3:5", ""}, "s", {many, few, many});
  CHECK(one.starts_with("job.yaml:3:5: stage 's': more than a tenth of the letters of 'many' are"));
  CHECK(one.find("`alphabet: protein`") != one.npos);
  CHECK(warning_of_letters({}, "s", {many, counted("more", 0, 5)}).find("of 'many' and 'more' are") != one.npos);
}

}  // namespace
}  // namespace terrace::stages
