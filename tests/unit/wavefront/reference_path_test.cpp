// The reference's paths by hand: ties, gaps, local and empty ones.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "kernels/wavefront/problem_list.hpp"
#include "kernels/wavefront/reference/path.hpp"

namespace terrace::wavefront {
namespace {

std::vector<std::uint8_t> letters(const std::string& text) { return {text.begin(), text.end()}; }

template <class P>
ReferencePath path_of(const typename P::template Constants<i64>& k, const std::string& rows,
                      const std::string& columns) {
  return reference_path<P>(k, letters(rows), letters(columns));
}

TEST_CASE("the path of an edit distance worked by hand") {
  const ReferencePath path = path_of<EditDistance>({0, 1, 1}, "kitten", "sitting");
  CHECK(path.score == 3);
  CHECK(path.steps == "X===X=D");
}

TEST_CASE("ties go diagonally, then up, then left, from the end of the path") {
  CHECK(path_of<Lcs>({1, 0}, "ab", "ba").steps == "D=I");
  CHECK(path_of<EditDistance>({0, 1, 1}, "ab", "ba").steps == "XX");
  CHECK(path_of<EditDistance>({0, 1, 1}, "aa", "a").steps == "I=");
}

TEST_CASE("paths without letters on a side are one gap, or nothing") {
  CHECK(path_of<EditDistance>({0, 1, 1}, "abc", "").steps == "III");
  CHECK(path_of<EditDistance>({0, 1, 1}, "", "ab").steps == "DD");
  CHECK(path_of<EditDistance>({0, 1, 1}, "", "").steps.empty());
  CHECK(path_of<SmithWatermanLinear>({1, -1, 1}, "abc", "").steps.empty());
}

TEST_CASE("a local path starts behind the cell where nothing is left") {
  const ReferencePath path = path_of<SmithWatermanLinear>({2, -1, 1}, "xxabcyy", "abczz");
  CHECK(path.score == 6);
  CHECK(path.row_begin == 2);
  CHECK(path.column_begin == 0);
  CHECK(path.row_end == 5);
  CHECK(path.steps == "===");
}

TEST_CASE("an affine gap is one gap where two would cost more") {
  // Nine letters match, a gap of three costs 2 + 3 * 1.
  const ReferencePath path = path_of<SmithWatermanAffine>({2, -3, 3, 1}, "abcdefxyzghi", "abcdefghi");
  CHECK(path.score == 9 * 2 - (2 + 3));
  CHECK(path.steps == "======III===");
  CHECK(path_of<SmithWatermanAffine>({2, -3, 3, 1}, "abcdefghi", "abcdefxyzghi").steps == "======DDD===");
}

TEST_CASE("nothing in common makes no local path") {
  const ReferencePath path = path_of<SmithWatermanAffine>({1, -3, 5, 2}, "aaaa", "bbbb");
  CHECK(path.score == 0);
  CHECK(path.steps.empty());
  CHECK(path.row_end == 0);
}

}  // namespace
}  // namespace terrace::wavefront
