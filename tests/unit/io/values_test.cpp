// The list of kinds of input, and values that a job gives itself.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

TEST_CASE("Every input of the contract is there, with its own key as first parameter") {
  std::vector<std::string> names;
  for (const InputKind& kind : input_kinds()) {
    names.push_back(kind.name);
    CHECK(std::string(kind.parameters[0].name) == kind.name);
    CHECK(kind.parameters[0].default_text == nullptr);
    for (const Parameter& parameter : kind.parameters) CHECK(std::string(parameter.help) != "");
  }
  for (const char* name : {"hdf5", "external", "values", "npy", "npz", "csv", "text", "fasta", "fastq", "flo",
                           "image", "substitution", "generate"}) {
    CHECK(std::count(names.begin(), names.end(), name) == 1);
  }
}

TEST_CASE("Values are whole numbers until one has a fraction") {
  TempFolder folder;
  CHECK(read_all<std::int64_t>(*open_input(folder, {{"values", Texts{"3", "-1", "+2"}}})) ==
        std::vector<std::int64_t>{3, -1, 2});
  CHECK(read_all<double>(*open_input(folder, {{"values", Texts{"3", "-1.5", "2"}}})) ==
        std::vector<double>{3, -1.5, 2});
  CHECK(open_input(folder, {{"values", Texts{"1.0"}}})->type() == ElementType::f64);
  CHECK(open_input(folder, {{"values", Texts{}}})->shape() == Extents{0});
}

TEST_CASE("Values beyond 2^53 stay exact") {
  TempFolder folder;
  CHECK(read_all<std::int64_t>(*open_input(folder, {{"values", Texts{"9007199254740993"}}}))[0] == 9007199254740993);
  CHECK(read_all<std::uint64_t>(*open_input(
            folder, {{"values", Texts{"18446744073709551615"}}, {"type", "u64"}}))[0] == 18446744073709551615u);
}

TEST_CASE("Values take a type and a shape") {
  TempFolder folder;
  auto grid =
      open_input(folder, {{"values", Texts{"1", "2", "3", "4", "5", "6"}}, {"type", "i16"}, {"shape", Values{2, 3}}});
  CHECK(grid->shape() == Extents{2, 3});
  CHECK(read_box<std::int16_t>(*grid, {{1, 0}, {2, 2}}) == std::vector<std::int16_t>{4, 5});
  const auto special =
      read_all<float>(*open_input(folder, {{"values", Texts{".inf", "-.inf", ".nan", "1e-60"}}, {"type", "f32"}}));
  CHECK(special[0] == INFINITY);
  CHECK(special[1] == -INFINITY);
  CHECK(std::isnan(special[2]));
  CHECK(special[3] == 0);
  CHECK(read_all<std::int32_t>(*open_input(folder, {{"values", Texts{"1e3", "2.0"}}, {"type", "i32"}})) ==
        std::vector<std::int32_t>{1000, 2});
}

TEST_CASE("Values that do not fit are errors with the job's place") {
  TempFolder folder;
  const auto error = [&](const Texts& values, std::vector<Setting> more) {
    more.insert(more.begin(), {"values", values});
    return open_error(folder, more);
  };
  CHECK(error({"1", "x"}, {}) == "job: job.yaml:7: values: values: number 1: 'x' is no number");
  CHECK(error({"300"}, {{"type", "u8"}}) == "job: job.yaml:7: values: values: number 0: '300' does not fit u8");
  CHECK(error({"-1"}, {{"type", "u64"}}) == "job: job.yaml:7: values: values: number 0: '-1' does not fit u64");
  CHECK(error({"1.5"}, {{"type", "i32"}}) ==
        "job: job.yaml:7: values: values: number 0: '1.5' is not whole, as i32 wants it");
  CHECK(error({"9223372036854775808"}, {{"type", "i64"}}) ==
        "job: job.yaml:7: values: values: number 0: '9223372036854775808' does not fit i64");
  CHECK(error({"9.3e18"}, {{"type", "i64"}}) ==
        "job: job.yaml:7: values: values: number 0: '9.3e18' does not fit i64");
  CHECK(error({"1e999"}, {}) == "job: job.yaml:7: values: values: number 0: '1e999' does not fit f64");
  CHECK(error({"1e39"}, {{"type", "f32"}}) == "job: job.yaml:7: values: values: number 0: '1e39' does not fit f32");
  CHECK(error({"99999999999999999999"}, {}) ==
        "job: job.yaml:7: values: values: number 0: '99999999999999999999' does not fit i64; say 'type: u64' or "
        "'type: f64'");
  CHECK(error({"1", "2", "3"}, {{"shape", Values{2, 2}}}) ==
        "job: job.yaml:7: shape: shape: 2 x 2 are 4 numbers, but values has 3");
  CHECK(error({"1"}, {{"type", "f16"}}) ==
        "job: job.yaml:7: type: type: 'f16' is no element type; there are u8, i8, u16, i16, u32, i32, u64, i64, f32, "
        "f64");
  CHECK(error({""}, {}) == "job: job.yaml:7: values: values: number 0: a number is missing");
}
