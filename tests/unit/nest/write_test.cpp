// From texts to nests, and what is refused.
#include "kernels/nest/write.hpp"

#include <catch2/catch.hpp>

#include "tests/support/nests.hpp"

namespace terrace::nest {
namespace {

Written edits() {
  Written made;
  made.letters("a", 5).letters("b", 7).loop("i", "size(a)").loop("j", "size(b)");
  return made.array("D", ElementType::i32, "", "i + j + 2");
}

TEST_CASE("a table is a nest") {
  const Nest nest =
      write(edits().cell("D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)").text);
  CHECK(nest.ranges() == Ranges{{0, 5}, {0, 7}});
  CHECK(nest.is_equations());
  CHECK(nest.arrays[0].box == Ranges{{0, 5}, {0, 7}});
  CHECK(nest.accesses.size() == 5);
  CHECK(nest.in_words(nest.accesses[0]) == "D[i-1][j-1]");
  CHECK(nest.statements[0].value.results().size() == 1);
}

TEST_CASE("names make no difference to what a nest is") {
  Written other;
  other.letters("x", 5)
      .letters("y", 7)
      .loop("r", "size(x)")
      .loop("c", "size(y)")
      .array("T", ElementType::i32, "", "r + c + 2");
  other.cell("T[r][c] = min(T[r-1][c-1] + (x[r] != y[c]), T[r-1][c] + 1, T[r][c-1] + 1)");
  const std::string cell = "D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)";
  CHECK(write(other.text).canonical() == write(edits().cell(cell).text).canonical());
  CHECK(write(other.text).canonical() != write(edits().cell(cell + " + 0").text).canonical());
}

TEST_CASE("types follow from what is stored") {
  const auto type_of = [](Written written) { return write(written.text).arrays[0].type; };
  Written made;
  made.input("x", {9}, ElementType::i16).input("y", {9}).loop("i", "9");
  CHECK(type_of(Written(made).array("D", std::nullopt, "", "0").cell("D[i] = D[i-1] + x[i]")) == ElementType::i64);
  CHECK(type_of(Written(made).array("D", std::nullopt, "", "0").cell("D[i] = D[i-1] + y[i]")) == ElementType::f64);
  CHECK(type_of(Written(made).array("D", std::nullopt, "", "0").cell("D[i] = i64(D[i-1] + y[i])")) ==
        ElementType::i64);
  CHECK(type_of(Written(made).array("D", std::nullopt, "y").cell("D[i] = y[i]")) == ElementType::f32);
  Written two = made;
  two.array("D", std::nullopt, "", "0")
      .array("E", std::nullopt, "", "0")
      .cell("D[i] = E[i-1]")
      .cell("E[i] = D[i-1] + 0.5");
  CHECK(type_of(two) == ElementType::f64);
}

TEST_CASE("a table may begin as a slice") {
  Written made;
  made.input("g", {9}).loop("t", "4").loop("i", "1", "size(g) - 1").array("A", std::nullopt, "g");
  const Nest nest = write(made.cell("A[t+1][i] = (A[t][i-1] + A[t][i+1])/2").text);
  CHECK(nest.arrays[0].from_slices);
  CHECK(nest.arrays[0].written == Ranges{{1, 5}, {1, 8}});
  CHECK(nest.arrays[0].box == Ranges{{1, 5}, {0, 9}});
}

TEST_CASE("what is no nest is refused at its place") {
  const auto of = [](const std::string& cell) { return fault_of(edits().cell(cell).text); };
  CHECK(of("D[i][j] = D[i-1][j] + c[i]") == "cells[0]:22: there is nothing of the name 'c'; there is i, j, D, a, b");
  CHECK(of("E[i][j] = 1") == "cells[0]:0: there is no array 'E' to write; `arrays` has D");
  CHECK(of("a[i] = 1") == "cells[0]:0: 'a' is an input, which is only read");
  CHECK(of("D[i][j] = D[i-1]") == "cells[0]:10: 'D' has 2 subscripts, D[i][j], and here 1");
  CHECK(of("D[i][j] = a[i][j]") == "cells[0]:10: 'a' has 1 subscript, and here 2");
  CHECK(of("D[i][j] = D") == "cells[0]:10: 'D' is an array: an element of it is D[...]");
  CHECK(of("D[i][j] = D[2*i][j]") ==
        "cells[0]:13: subscript 0 of 'D' changes by 2 with each iteration of i, so distances along i are not "
        "constant: it is i, plus or minus a constant");
  CHECK(of("D[i][j] = D[j][i]") ==
        "cells[0]:12: subscript 0 of 'D' changes by 0 with each iteration of i, so distances along i are not "
        "constant: it is i, plus or minus a constant");
  CHECK(
      of("D[i][j] = D[a[i]][j]") ==
      "cells[0]:12: subscript 0 of 'D' depends on values, so the distance along i is not constant: it is i, plus or "
      "minus a constant");
  CHECK(of("D[2*i][j] = 1") ==
        "cells[0]:3: subscript 0 of 'D' would leave gaps or write elements twice: it is i, plus or minus a constant");
  CHECK(of("D[i][j] = a[i+1]") ==
        "cells[0]:10: a[i+1] is read outside the input: along axis 0 the subscript reaches 5, and the input has 5 "
        "elements; change the loop's range, or the statement's by {for: {...}, do: ...}");
  CHECK(of("D[i][j] = 0.5") ==
        "cells[0]:10: a real number stands where a whole one is expected: i64(x) drops the fraction of x");
  CHECK(of("D[i][j] = if(a[i], 1, 2)") == "cells[0]:13: the first value of if(...) is a condition: a comparison");
  CHECK(of("D[i][j] + 1") == "cells[0]:8: here '=' is expected, in place of '+': a statement is D[i][j] = ...");
  CHECK(of("1 = 2") == "cells[0]:0: a statement begins with the element that it writes, as in D[i][j] = ...");
  CHECK(of("D[i,j] = 2") == "cells[0]:0: subscripts stand in brackets of their own: D[i][j]");
  CHECK(of("D[i][j] = size(c)").starts_with("cells[0]:15: size(input, axis) has the elements"));
  CHECK(of("D[i][j] = " + std::string(70, '(') + "1" + std::string(70, ')')) ==
        "cells[0]:74: a formula is nested at most 64 deep");
  CHECK(of("D[i][j] = " + std::string(10000000, '(')).starts_with("cells[0]:0: a formula has at most 65536 bytes"));
  CHECK(of("") == "cells[0]:0: here a number, a name or '(' is expected, in place of the end");
  CHECK(fault_of(edits().text) == "cells:0: there are no statements: give at least one, D[i][j] = ...");
  CHECK(of("D[i][j] = D[i-100][j] + a[i]") == "");  // a distance that never arises
}

TEST_CASE("elements that nothing makes are refused") {
  Written made;
  made.letters("a", 5).letters("b", 7).loop("i", "size(a)").loop("j", "size(b)").array("D", ElementType::i32, "");
  CHECK(
      fault_of(Written(made).cell("D[i][j] = D[i-1][j] + 1").text) ==
      "cells[0]:10: D[i-1][j] is read where no statement writes it, as in D [-1, 0) x [0, 7): give 'D' an `outside`, "
      "a formula of [i][j], or an array that it begins as by `from`");
  Written in_place;
  in_place.loop("t", "5").loop("i", "9").array("A", ElementType::i32, "");
  CHECK(fault_of(in_place.cell("A[i] = A[i] + 1").text).find("no statement has written it yet") != std::string::npos);
  Written outside;
  outside.letters("a", 5).loop("i", "size(a)").loop("j", "5");
  CHECK(fault_of(Written(outside).array("D", std::nullopt, "", "a[i]").cell("D[i][j] = D[i-1][j]").text)
            .starts_with("arrays.D.outside:0: a[i] is read outside the input"));
  CHECK(fault_of(Written(outside)
                     .array("D", std::nullopt, "", "if(i < 0, 0, a[i])")
                     .cell("D[i][j] = D[i-1][j] + D[i][j-1]")
                     .text)
            .empty());
  CHECK(fault_of(Written(outside).array("D", std::nullopt, "", "D[i][j]").cell("D[i][j] = D[i-1][j]").text) ==
        "arrays.D.outside:0: `outside` reads inputs alone, and 'D' is written by statements");
}

TEST_CASE("statements that write one array share it") {
  Written made;
  made.loop("i", "10").loop("j", "10").array("D", ElementType::i32, "", "0");
  CHECK(fault_of(Written(made).cell("D[i][j] = 1").cell("D[i][j] = 2").text) ==
        "cells[1]:0: two statements write the elements D [0, 10) x [0, 10): this one and 1 of `cells`; give them "
        "ranges "
        "by {for: {...}, do: ...}");
  CHECK(fault_of(Written(made).cell({{"j", {"4"}}}, "D[i][j] = 1").cell({{"j", {"5", "10"}}}, "D[i][j] = 2").text) ==
        "cells[1].do:0: the statements that write 'D' leave a gap in [0, 10) x [0, 10): together they write a box");
  CHECK(fault_of(Written(made).cell({{"j", {"5"}}}, "D[i][j] = 1").cell({{"j", {"5", "10"}}}, "D[i][j] = 2").text)
            .empty());
  CHECK(fault_of(Written(made).cell({{"j", {"5", "11"}}}, "D[i][j] = 1").text) ==
        "cells[0].for.j:0: the range [5, 11) is not inside the loop's, [0, 10)");
  CHECK(fault_of(Written(made).cell({{"k", {"5"}}}, "D[i][j] = 1").text) ==
        "cells[0].for.k:0: there is no loop 'k': loops are i, j");
  Written in_place;
  in_place.loop("t", "5").loop("i", "9").array("A", ElementType::i32, "", "0");
  CHECK(fault_of(in_place.cell({{"t", {"1"}}}, "A[i] = A[i] + 1").text)
            .starts_with("cells[0].for.t:0: 'A' lacks the loop t"));
}

TEST_CASE("bounds of loops are constants") {
  Written made;
  made.input("g", {9, 8}).number("n", "3").number("x", "0.5").array("D", std::nullopt, "", "0");
  const auto of = [&](const std::string& begin, const std::string& end) {
    return fault_of(Written(made).loop("i", "9").loop("j", begin, end).cell("D[i][j] = 1").text);
  };
  CHECK(of("0", "2*n + size(g, 1)/2 - 1").empty());
  CHECK(of("0", "i") == "loops.j[1]:0: a loop's bound may not depend on another loop: iterations are a box");
  CHECK(of("x", "9").starts_with("loops.j[0]:0: a loop's bound is made of whole numbers"));
  CHECK(of("0", "size(g)") == "loops.j[1]:0: 'g' has 2 dimensions: write size(g, 0) for the first one");
  CHECK(of("0", "size(g, 2)") == "loops.j[1]:8: 'g' has no axis 2: axes are 0 to 1");
  CHECK(of("0", "9/(n - 3)") == "loops.j[1]:1: the divisor is 0 here");
  CHECK(of("0", "4611686018427387904*4") == "loops.j[1]:19: a number here is beyond those of i64");
  CHECK(fault_of(Written(made).loop("min", "9").cell("D[min] = 1").text).starts_with("loops.min:0: 'min' cannot be"));
  CHECK(fault_of(Written(made).loop("n", "9").cell("D[n] = 1").text) ==
        "parameters.n:0: 'n' stands for two things in formulas: take another name");
}

TEST_CASE("programs run in their order") {
  Written made;
  made.loop("t", "5").loop("i", "9").array("A", ElementType::i64, "", "0").array("T", ElementType::i64, "", "0");
  CHECK(fault_of(Written(made).cell("A[i] = T[t][i] + 1").cell("T[t][i] = A[i]").text)
            .starts_with("cells[0]:7: T[t][i] is read before a statement writes it"));
  CHECK(fault_of(Written(made).cell("T[t][i] = A[i]").cell("A[i] = T[t][i] + 1").text).empty());
  Written far = made;
  CHECK(fault_of(far.cell("A[i] = A[i-1]").cell("T[t][i] = T[t][i-1] + A[i]").text).empty());
}

}  // namespace
}  // namespace terrace::nest
