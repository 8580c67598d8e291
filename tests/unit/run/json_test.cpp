// Numbers and bytes that JSON alone does not hold, and errors of JSON with their place.
#include "pipeline/base/json.hpp"

#include <catch2/catch.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

using namespace terrace;
using Json = nlohmann::json;

TEST_CASE("Numbers come back from JSON as they were, to the bit") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> numbers{0, -0.0, 0.1, 1e308, 5e-324, infinity, -infinity};
  const std::vector<double> read = numbers_from(Json::parse(numbers_json(numbers).dump()));
  REQUIRE(read.size() == numbers.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    CHECK(std::bit_cast<std::uint64_t>(read[i]) == std::bit_cast<std::uint64_t>(numbers[i]));
  }
  CHECK(std::isnan(number_from(Json::parse(number_json(std::nan("")).dump()))));
}

TEST_CASE("Text that is no UTF-8 comes back from JSON byte by byte") {
  for (const std::string text : {"plain", "caf\xc3\xa9", "caf\xe9", "\xff\xfe", ""}) {
    CHECK(text_from(Json::parse(Json{{"text", text_json(text)}}.dump()).at("text")) == text);
  }
}

TEST_CASE("What cannot be read out of JSON is an error with its place and advice") {
  const auto fails = [](const auto& read) {
    CHECK_THROWS_AS(read_json("plan.json", remedy_for_runs, read), IoError);
    CHECK_THROWS_WITH(read_json("plan.json", "take another", read),
                      Catch::StartsWith("plan.json: ") && Catch::EndsWith("; take another"));
  };
  fails([] { return Json::parse("[1,"); });
  fails([] { return number_from(Json("much")); });
  fails([] { return number_from(Json(nullptr)); });
  fails([] { return text_from(Json{{"bytes", "0g"}}); });
  fails([] { return text_from(Json{{"bytes", "0"}}); });
  fails([] { return Json::object().at("length").get<int>(); });
  CHECK(read_json("plan.json", remedy_for_runs, [] { return 5; }) == 5);
}
