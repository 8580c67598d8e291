// Generated inputs: the same values for a seed, any part made alone.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>

#include "io/kinds.hpp"
#include "io/random.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

std::shared_ptr<Source> dna(const TempFolder& folder, int length, int seed) {
  return open_input(folder, {{"generate", "dna"}, {"length", length}, {"seed", seed}});
}

std::shared_ptr<Source> mutant(const TempFolder& folder, std::shared_ptr<Source> original, double rate,
                               int seed = 1) {
  return open_input(folder, {{"generate", "dna"}, {"mutate.of", "a"}, {"mutate.rate", rate}, {"seed", seed}},
                    original);
}

/// Insertions, deletions and replacements that turn a into b.
int edit_distance(const std::string& a, const std::string& b) {
  std::vector<int> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    int diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int best = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] != b[j - 1])});
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row.back();
}

}  // namespace

TEST_CASE("Random DNA is the same for a seed, another for another, and made of any part alone") {
  TempFolder folder;
  auto source = dna(folder, 100000, 3);
  const std::string all = read_letters(*source);
  CHECK(all == read_letters(*dna(folder, 100000, 3)));
  CHECK(all != read_letters(*dna(folder, 100000, 4)));
  const auto part = read_box<std::uint8_t>(*source, {{777}, {9999}});
  CHECK(std::string(part.begin(), part.end()) == all.substr(777, 9999 - 777));
  std::map<char, int> counts;
  for (char letter : all) ++counts[letter];
  REQUIRE(counts.size() == 4);
  // Five standard deviations around 25,000.
  for (const auto& [letter, count] : counts) CHECK(std::abs(count - 25000) < 685);
}

TEST_CASE("Generated values are what they were: a changed generator would change every job's answer") {
  TempFolder folder;
  CHECK(read_letters(*dna(folder, 40, 0)) == "TGTTCGATTGTCTATTGCTCCAGTTAGGCTATCCACCTTT");
  CHECK(read_all<std::int32_t>(
            *open_input(folder, {{"generate", "uniform"}, {"shape", Values{8}}, {"type", "i32"}, {"seed", 42}})) ==
        std::vector<std::int32_t>{38, 92, 8, 60, 49, 17, 6, 31});
}

TEST_CASE("Random bits are SplitMix64's") {
  // The key of seed 0 and stream `values`, and its first numbers, from a separate program.
  const Random random(0, RandomStream::values);
  CHECK(random.bits(0) == 0x238275bc38fcbe91u);
  CHECK(random.bits(1000000007) == 0x29a7c53fda1d737bu);
}

TEST_CASE("A mutant keeps the rate, and any part of it is made alone") {
  TempFolder folder;
  auto original = dna(folder, 12000, 1);
  auto source = mutant(folder, original, 0.1);
  const std::string a = read_letters(*original), b = read_letters(*source);
  for (std::int64_t begin : {0, 1, 4000, 4100, 8190, 11000}) {
    for (std::int64_t length : {0, 1, 17, 700}) {
      const auto part = read_box<std::uint8_t>(*source, {{begin}, {begin + length}});
      CHECK(std::string(part.begin(), part.end()) ==
            b.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(length)));
    }
  }
  const int distance = edit_distance(a.substr(0, 3000), b.substr(0, 3000));
  CHECK(distance <= 400);
  CHECK(distance >= 200);
  CHECK(a.size() != b.size());
  CHECK(std::abs(static_cast<int>(a.size()) - static_cast<int>(b.size())) < 120);
}

TEST_CASE("A rate of 0 changes nothing, a rate of 1 every letter") {
  TempFolder folder;
  auto original = dna(folder, 9000, 1);
  CHECK(read_letters(*mutant(folder, original, 0)) == read_letters(*original));
  CHECK(read_letters(*mutant(folder, original, 1)) != read_letters(*original));
  CHECK(read_letters(*mutant(folder, dna(folder, 0, 1), 0.5)) == "");
}

TEST_CASE("Uniform integers take both ends, floating point leaves the upper one out") {
  TempFolder folder;
  const auto values = read_all<std::int16_t>(*open_input(
      folder,
      {{"generate", "uniform"}, {"shape", Values{50, 40}}, {"type", "i16"}, {"minimum", -2.0}, {"maximum", 3.0}}));
  CHECK(*std::min_element(values.begin(), values.end()) == -2);
  CHECK(*std::max_element(values.begin(), values.end()) == 3);
  for (int v = -2; v <= 3; ++v) CHECK(std::abs(std::count(values.begin(), values.end(), v) - 333) < 85);
  const auto reals = read_all<float>(*open_input(
      folder,
      {{"generate", "uniform"}, {"shape", Values{100000}}, {"type", "f32"}, {"minimum", 5.0}, {"maximum", 6.0}}));
  double sum = 0;
  for (float value : reals) {
    sum += value;
    if (!(value >= 5 && value < 6)) FAIL("out of range: " << value);
  }
  CHECK(std::abs(sum / 100000 - 5.5) < 0.0046);  // five standard deviations
}

/// Checks the promises of the input kind about random real numbers, one at a time.
template <class T>
void check_reals(const std::string& type) {
  TempFolder folder;
  auto source = open_input(folder, {{"generate", "uniform"},
                                    {"shape", Values{1000}},
                                    {"type", type},
                                    {"minimum", -0.3},
                                    {"maximum", 1.1},
                                    {"seed", 4}});
  const Random random(4, RandomStream::values);
  const T minimum = static_cast<T>(-0.3), maximum = static_cast<T>(1.1);
  const double width = static_cast<double>(maximum) - static_cast<double>(minimum);
  for (std::int64_t begin : {0, 1, 13}) {
    for (std::int64_t count : {1, 7, 16, 33, 900}) {
      std::vector<T> expected;
      for (std::int64_t i = begin; i < begin + count; ++i) {
        expected.push_back(static_cast<T>(std::fma(random.fraction(i), width, static_cast<double>(minimum))));
      }
      CHECK(read_box<T>(*source, {{begin}, {begin + count}}) == expected);
    }
  }
}

TEST_CASE("Random reals have the same bits on every processor: the fraction, multiplied and added, rounded once") {
  check_reals<float>("f32");
  check_reals<double>("f64");
}

TEST_CASE("A box of a generated grid is that part of the whole") {
  TempFolder folder;
  auto source = open_input(folder, {{"generate", "uniform"}, {"shape", Values{4, 5, 6}}, {"seed", 9}});
  const auto all = read_all<double>(*source);
  const auto part = read_box<double>(*source, {{1, 2, 3}, {3, 4, 5}});
  std::vector<double> expected;
  for (std::size_t i : {1u, 2u}) {
    for (std::size_t j : {2u, 3u}) {
      for (std::size_t k : {3u, 4u}) expected.push_back(all[30 * i + 6 * j + k]);
    }
  }
  CHECK(part == expected);
}

TEST_CASE("Constants and ramps are what they say") {
  TempFolder folder;
  CHECK(read_all<std::uint8_t>(
            *open_input(folder, {{"generate", "constant"}, {"shape", Values{3}}, {"type", "u8"}, {"value", 7.0}})) ==
        std::vector<std::uint8_t>{7, 7, 7});
  auto ramp = open_input(
      folder, {{"generate", "ramp"}, {"shape", Values{2, 3}}, {"type", "i32"}, {"start", 10.0}, {"step", -2.0}});
  CHECK(read_all<std::int32_t>(*ramp) == std::vector<std::int32_t>{10, 8, 6, 4, 2, 0});
  CHECK(read_box<std::int32_t>(*ramp, {{1, 1}, {2, 3}}) == std::vector<std::int32_t>{2, 0});
  CHECK(read_all<double>(*open_input(folder, {{"generate", "ramp"}, {"shape", Values{3}}, {"step", 0.5}})) ==
        std::vector<double>{0, 0.5, 1});
  CHECK(open_input(folder, {{"generate", "ramp"}, {"shape", Values{0, 3}}})->shape() == Extents{0, 3});
}

TEST_CASE("Generators say what they lack and what they do not take") {
  TempFolder folder;
  const auto error = [&](const std::vector<Setting>& list) { return open_error(folder, list, dna(folder, 5, 1)); };
  CHECK(error({{"generate", "dan"}}) ==
        "job: job.yaml:7: generate: generate: there is no 'dan'; there are dna, uniform, "
        "constant, ramp; did you mean 'dna'?");
  CHECK(error({{"generate", "dna"}}) == "job: job.yaml:7: generate: length: is missing; dna needs it, or 'mutate'");
  CHECK(error({{"generate", "uniform"}}) == "job: job.yaml:7: generate: shape: is missing; uniform needs it");
  CHECK(error({{"generate", "constant"}, {"shape", Values{2}}}) ==
        "job: job.yaml:7: generate: value: is missing; a constant needs it");
  CHECK(error({{"generate", "ramp"}, {"shape", Values{2}}, {"length", 2}}) ==
        "job: job.yaml:7: length: length: 'ramp' does not take it; it takes 'shape', 'type', 'start', 'step'");
  CHECK(error({{"generate", "constant"}, {"shape", Values{2}}, {"type", "u8"}, {"value", 1.5}}).find("is no u8") !=
        std::string::npos);
  auto endless = open_input(folder, {{"generate", "dna"}, {"length", Value(std::int64_t{1} << 50)}});
  CHECK(open_error(folder, {{"generate", "dna"}, {"mutate.of", "a"}, {"mutate.rate", 0.1}}, endless) ==
        "job: job.yaml:7: mutate.of: mutate.of: 'a' has 1125899906842624 letters; at most 1099511627776 can be "
        "mutated");
  CHECK(error({{"generate", "dna"}, {"length", Value(most_elements + 1)}}) ==
        "job: job.yaml:7: length: length: 72057594037927937 letters are more than any machine holds");
  CHECK(error({{"generate", "constant"}, {"shape", Values{most_elements, 2}}, {"value", 1}})
            .find("shape: 72057594037927936 x 2 elements are more than any machine holds") != std::string::npos);
  CHECK(error({{"generate", "constant"}, {"shape", Values{2}}, {"type", "u8"}, {"value", 1e300}})
            .find("value: 1e300 is no u8 (whole") != std::string::npos);
  CHECK(error({{"generate", "constant"}, {"shape", Values{2}}, {"type", "f32"}, {"value", -1.5e300}})
            .find("value: -1.5e300 does not fit f32") != std::string::npos);
  CHECK(error({{"generate", "constant"}, {"shape", Values{2}}, {"type", "u8"}, {"value", 256.0}}).find("is no u8") !=
        std::string::npos);
  CHECK(error({{"generate", "constant"}, {"shape", Values{2}}, {"type", "f32"}, {"value", 1e40}})
            .find("does not fit f32") != std::string::npos);
  CHECK(error({{"generate", "uniform"}, {"shape", Values{2}}, {"minimum", 2.0}})
            .find("minimum: is larger than the maximum") != std::string::npos);
  CHECK(error({{"generate", "uniform"}, {"shape", Values{2}}, {"minimum", -1e308}, {"maximum", 1e308}})
            .find("too far below") != std::string::npos);
  CHECK(error({{"generate", "ramp"}, {"shape", Values{300}}, {"type", "u8"}}) ==
        "job: job.yaml:7: generate: step: the ramp's last value does not fit u8");
  CHECK(error({{"generate", "ramp"}, {"shape", Values{2}}, {"type", "u8"}, {"step", -1.0}}).find("does not fit u8") !=
        std::string::npos);
  CHECK(error({{"generate", "dna"}, {"mutate.of", "a"}}).find("needs both") != std::string::npos);
  CHECK(
      error({{"generate", "dna"}, {"mutate.of", "a"}, {"mutate.rate", 0.5}, {"length", 5}}).find("leave this out") !=
      std::string::npos);
  CHECK(error({{"generate", "dna"}, {"mutate.of", "a"}, {"mutate.rate", 1.5}}).find("between 0 and 1") !=
        std::string::npos);
  CHECK(error({{"generate", "uniform"}, {"shape", Values{-1}}}).find("is negative") != std::string::npos);
  CHECK(error({{"generate", "uniform"}, {"shape", Values{1 << 30, 1 << 30, 1 << 30}}})
            .find("more than any machine holds") != std::string::npos);
  auto grid = open_input(folder, {{"generate", "ramp"}, {"shape", Values{2, 2}}});
  CHECK(open_error(folder, {{"generate", "dna"}, {"mutate.of", "a"}, {"mutate.rate", 0.5}}, grid) ==
        "job: job.yaml:7: mutate.of: mutate.of: 'a' is no sequence: one dimension of letters (u8) is wanted");
}
