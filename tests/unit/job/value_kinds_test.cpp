// Quantities, vectors and faces: their forms in a job, their values, and their errors.
#include <catch2/catch.hpp>

#include "pipeline/job/identity.hpp"
#include "pipeline/job/recorded_job.hpp"
#include "tests/unit/job/wrong_job.hpp"

namespace terrace::job {
namespace {

using Texts = std::vector<std::string>;
using Vectors = std::vector<std::vector<std::int64_t>>;

/// A stencil in order, but for `keys`, which begin at 2:57.
std::string flowing(const std::string& keys) {
  return "inputs: {a: {generate: dna}, west: {generate: dna}}\n"
         "stages: [{name: s, stencil: {operator: flow, grid: a,   " +
         keys + (keys.empty() ? "" : ", ") + "steps: 5}}]\noutput: o.h5\n";
}

Settings settings_of(const std::string& keys, const std::vector<std::string>& overrides = {}) {
  TempFolder folder;
  return load_text(folder, flowing(keys), overrides).stages[0].settings;
}

Texts texts_of(const std::string& keys, const std::string& name) { return settings_of(keys).get<Texts>(name); }

TEST_CASE("A quantity is a number or the name of an array") {
  CHECK(settings_of("speed: 0.25").number("speed") == 0.25);
  CHECK(settings_of("speed: 1e3").number("speed") == 1000);
  CHECK(settings_of("speed: west").text("speed") == "west");
  CHECK(settings_of("speed: 'west'").text("speed") == "west");
  CHECK(settings_of("").number("speed") == 0.5);
  CHECK(settings_of("").text("source") == "none");
  CHECK(settings_of("source: -7").number("source") == -7);
}

TEST_CASE("Quantities are numbers as they are written, and names of arrays") {
  CHECK(texts_of("weights: [0.10, west, +1e-3, -2, a]", "weights") == Texts{"0.10", "west", "+1e-3", "-2", "a"});
  CHECK(texts_of("weights: 0.5", "weights") == Texts{"0.5"});
  CHECK(texts_of("weights: west", "weights") == Texts{"west"});
  CHECK(texts_of("weights: []", "weights").empty());
  CHECK(settings_of("weights: even").text("weights") == "even");
  CHECK(number_of_entry("+1e-3") == 1e-3);
  CHECK_FALSE(number_of_entry("west"));
}

TEST_CASE("Vectors are lists of whole numbers in a list") {
  const auto vectors = [](const std::string& list) {
    return settings_of("directions: " + list).get<Vectors>("directions");
  };
  CHECK(vectors("[[0, 1], [-1, 0]]") == Vectors{{0, 1}, {-1, 0}});
  CHECK(vectors("[[1], [2], [-8]]") == Vectors{{1}, {2}, {-8}});
  CHECK(vectors("[[1, 2, 3]]") == Vectors{{1, 2, 3}});
  CHECK(vectors("[]").empty());
  CHECK_FALSE(settings_of("").has("directions"));
}

TEST_CASE("Pairs of nodes are texts, two after another, or the name of an array") {
  CHECK(texts_of("between: [[Oslo, 'New York'], [4, 17]]", "between") == Texts{"Oslo", "New York", "4", "17"});
  CHECK(texts_of("between: [Oslo, Rome]", "between") == Texts{"Oslo", "Rome"});
  CHECK(texts_of("between: []", "between").empty());
  CHECK(settings_of("between: west").text("between") == "west");
  check_all({{"one node", flowing("between: [[Oslo]]"), "2:67", {"a pair is [FROM, TO]"}},
             {"three nodes", flowing("between: [Oslo, Rome, Bern]"), "2:66", {"a pair is [FROM, TO]"}},
             {"no name", flowing("between: [[Oslo, '']]"), "2:74", {"a node is a name or an id"}},
             {"no pair", flowing("between: [[Oslo, Rome], Bern]"), "2:81", {"a pair is [FROM, TO]"}},
             {"no array", flowing("between: east"), "2:66", {"'east'"}}});
}

TEST_CASE("A selection has ranges and indices") {
  const auto part = [](const std::string& list) { return settings_of("part: " + list).get<Vectors>("part"); };
  CHECK(part("[2, [0, 100]]") == Vectors{{2}, {0, 100}});
  CHECK(part("[[0, 1Ki], [5, 5]]") == Vectors{{0, 1024}, {5, 5}});
  CHECK(part("[3, 7]") == Vectors{{3, 7}});
  CHECK(part("[3]") == Vectors{{3}});
  CHECK(part("[1, 2, 3]") == Vectors{{1}, {2}, {3}});
  check_all({{"backwards", flowing("part: [[3, 2]]"), "2:64", {"a range [begin, end) begins at or before its end"}},
             {"negative", flowing("part: [-1, [0, 2]]"), "2:64", {"at least 0"}},
             {"three numbers", flowing("part: [[1, 2, 3]]"), "2:64", {"a range is [begin, end]"}},
             {"no list", flowing("part: 3"), "2:63", {"a list of half-open ranges and indices"}}});
}

TEST_CASE("Faces are words and values for all axes, for each axis, or for each side") {
  const auto faces = [](const std::string& value) { return texts_of("boundary: " + value, "boundary"); };
  CHECK(faces("periodic") == Texts{"periodic"});
  CHECK(faces("{value: 0.50}") == Texts{"value=0.5"});
  CHECK(faces("{value: -1e30}") == Texts{"value=-1e+30"});
  CHECK(faces("[periodic, edge]") == Texts{"periodic", "edge"});
  CHECK(faces("[[fixed, edge], periodic]") == Texts{"fixed edge", "periodic"});
  CHECK(faces("[[{value: 1}, edge], {value: 2}]") == Texts{"value=1 edge", "value=2"});
  CHECK(faces("[[fixed, edge]]") == Texts{"fixed edge"});
  CHECK(faces("[[edge, edge], [periodic, periodic]]") == Texts{"edge", "periodic"});
  CHECK(texts_of("", "boundary") == Texts{"fixed"});
  CHECK(texts_of("", "rim") == Texts{"value=0"});
}

TEST_CASE("Quantities, vectors and faces can be set on the command line") {
  const Settings settings = settings_of(
      "speed: 1, boundary: edge", {"stages.s.speed=west", "stages.s.weights=[1, a]", "stages.s.directions=[[1, 0]]",
                                   "stages.s.boundary=[[fixed, {value: 2}], periodic]"});
  CHECK(settings.text("speed") == "west");
  CHECK(settings.get<Texts>("weights") == Texts{"1", "a"});
  CHECK(settings.get<Vectors>("directions") == Vectors{{1, 0}});
  CHECK(settings.get<Texts>("boundary") == Texts{"fixed value=2", "periodic"});
  CHECK(settings.place("speed").text == "--set stages.s.speed=west");
  TempFolder folder;
  const auto messages = messages_of(folder, flowing(""), {"stages.s.weights=[1, east]"});
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].starts_with("--set stages.s.weights=[1, east]: there is no array 'east'"));
}

TEST_CASE("The message of a wrong value says what is right, with an example") {
  TempFolder folder;
  const auto said = [&](const std::string& keys) {
    const auto messages = messages_of(folder, flowing(keys));
    REQUIRE(messages.size() == 1);
    return messages[0].substr(0, messages[0].find('\n'));
  };
  CHECK(said("speed: -1") ==
        "job.yaml:2:64: 'speed' takes a number of at least 0 or the name of an array (an input, or stage/output), "
        "such as 0.1 or conductivity, not '-1'");
  CHECK(
      said("weights: {a: 1}") ==
      "job.yaml:2:66: 'weights' takes a list of numbers and names of arrays, such as [0.1, west, 0.2], or even, not "
      "a map");
  CHECK(said("directions: [1, 2]") ==
        "job.yaml:2:69: 'directions' takes a list of lists of whole numbers, all of one length, each from -8 to 8, "
        "such as [[0, 1], [-1, 0]], not a list of 2 values; write [[1], [2]], or [[1, 2]] for one vector");
  CHECK(
      said("boundary: edgy") ==
      "job.yaml:2:67: 'boundary' takes one of fixed, periodic, edge or {value: NUMBER}, or a list with one for each "
      "axis, such as [fixed, edge], or with two for its low and its high side, such as [[fixed, edge], fixed], not "
      "'edgy'; did you mean 'edge'?");
}

TEST_CASE("Wrong quantities, vectors and faces are refused at their place") {
  check_all({
      {"a quantity that is not finite", flowing("speed: .nan"), "2:64", {"finite"}},
      {"an infinite quantity", flowing("speed: inf"), "2:64", {"finite"}},
      {"a number in quotes", flowing("speed: '1'"), "2:64", {"take the quotes away"}},
      {"a number with a comma", flowing("speed: '1,5'"), "2:64", {"no array '1,5'"}},
      {"a number with a leading zero", flowing("speed: 010"), "2:64", {"leading zero"}},
      {"a number in hexadecimal", flowing("speed: 0x10"), "2:64", {"in decimal"}},
      {"a number too large", flowing("speed: 1e999"), "2:64", {"does not fit a 64-bit float"}},
      {"a text like a number", flowing("speed: 2-3"), "2:64", {"stands in quotes"}},
      {"no name", flowing("speed: ''"), "2:64", {"a number of at least 0 or the name"}},
      {"nothing", flowing("speed: ~"), "2:57", {"not nothing"}},
      {"a list for a quantity", flowing("speed: [1]"), "2:64", {"not a list of 1 value"}},
      {"NaN among quantities", flowing("weights: [1, .NaN]"), "2:70", {"finite"}},
      {"infinity among quantities", flowing("weights: [1, -.inf]"), "2:70", {"finite"}},
      {"a list among quantities", flowing("weights: [1, [2]]"), "2:70", {"not a list of 1 value"}},
      {"an unknown name among quantities", flowing("weights: [1, wets, 2]"), "2:70", {"no array 'wets'", "'west'?"}},
      {"a number for vectors", flowing("directions: 3"), "2:69", {"a list of lists", "not '3'"}},
      {"many numbers for vectors",
       flowing("directions: [1, 2, 3, 4]"),
       "2:69",
       {"write [[1], [2], [3], ...], or [[1, 2, 3, ...]]"}},
      {"vectors of two lengths", flowing("directions: [[1, 2], [3]]"), "2:78", {"one length", "the first has 2"}},
      {"an empty vector", flowing("directions: [[1], []]"), "2:75", {"at least one number"}},
      {"a number among vectors", flowing("directions: [[1, 2], 3]"), "2:78", {"at least one number", "not '3'"}},
      {"a fraction in a vector", flowing("directions: [[1, 0.5]]"), "2:74", {"whole numbers", "'0.5'"}},
      {"an entry too large", flowing("directions: [[1, 9]]"), "2:74", {"each from -8 to 8", "'9'"}},
      {"no faces", flowing("boundary: []"), "2:67", {"not an empty list"}},
      {"a number for a face", flowing("boundary: 0.5"), "2:67", {"write {value: 0.5}"}},
      {"a value as a text", flowing("boundary: value=3"), "2:67", {"write {value: 3}"}},
      {"a value without number", flowing("boundary: value"), "2:67", {"write {value: 0.5}, with the number"}},
      {"an empty map for a face", flowing("boundary: {}"), "2:67", {"{value: NUMBER}", "not a map"}},
      {"another key of a face", flowing("boundary: {valeu: 1}"), "2:68", {"unknown key 'valeu'", "{value: 0.5}"}},
      {"NaN for a face", flowing("boundary: {value: .nan}"), "2:75", {"not '.nan'"}},
      {"infinity for a face", flowing("boundary: {value: .inf}"), "2:75", {"finite"}},
      {"a word for the value of a face", flowing("boundary: [edge, {value: x}]"), "2:82", {"not 'x'"}},
      {"three sides", flowing("boundary: [[edge, fixed, edge]]"), "2:68", {"[low side, high side]"}},
      {"a list in a side", flowing("boundary: [[[edge], fixed]]"), "2:69", {"not a list of 1 value"}},
      {"an axis periodic on one side",
       flowing("boundary: [[periodic, edge]]"),
       "2:68",
       {"both sides of an axis are periodic, or none; periodic and edge do not go together"}},
  });
}

TEST_CASE("Of thousands of wrong vectors, entries and faces the first ten are shown") {
  TempFolder folder;
  std::string many;
  for (int i = 0; i < 5000; ++i) many += "{}, ";
  for (const std::string& keys : {"weights: [" + many + "]", "directions: [[" + many + "]]",
                                  "directions: [" + many + "]", "boundary: [" + many + "]"}) {
    CHECK(messages_of(folder, flowing(keys)).size() <= 12);
  }
}

TEST_CASE("A record of a job gives its quantities, vectors and faces back") {
  TempFolder folder;
  const std::string keys =
      "source: west, weights: [0.10, a], directions: [[0, 1]], boundary: [[fixed, edge], {value: 2}], speed: ";
  const auto record_of = [&](const std::string& speed) {
    return defining_json(load_text(folder, flowing(keys + speed)));
  };
  const auto record = record_of("2");
  CHECK(record == record_of("2.0"));
  CHECK(first_difference(record, record_of("a")) == "stages.s.speed was 2.0 and is \"a\"");
  for (const char* speed : {"2", "a"}) {
    const auto stored = nlohmann::json::parse(record_of(speed).dump());
    const Job again = recorded_job(stored, folder.path(), test_table(), test_kinds);
    CHECK(defining_json(again) == record_of(speed));
    const Stage before = load_text(folder, flowing(keys + speed)).stages[0];
    CHECK(again.stages[0].arrays == before.arrays);
    for (const char* name : {"speed", "source"}) {
      CHECK(again.stages[0].settings.holds<double>(name) == before.settings.holds<double>(name));
    }
    CHECK(again.stages[0].settings.get<Vectors>("directions") == Vectors{{0, 1}});
    CHECK(again.stages[0].settings.get<Texts>("boundary") == Texts{"fixed edge", "value=2"});
  }
  CHECK(record["stages"][0]["settings"]["weights"] == nlohmann::json{"0.10", "a"});
  CHECK(record["stages"][0]["settings"]["rim"] == nlohmann::json{"value=0"});
}

}  // namespace
}  // namespace terrace::job
