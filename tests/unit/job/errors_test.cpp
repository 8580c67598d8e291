// Order and form of errors, settings of the command line, and opening of inputs.
#include <catch2/catch.hpp>

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/units.hpp"
#include "pipeline/job/yaml/errors.hpp"
#include "tests/unit/job/fixture.hpp"

namespace terrace::job {
namespace {

const std::string good_job = R"(job: x
memory: {host: 1GiB}
inputs:
  a: {fasta: a.fa}
stages:
  - name: align
    wavefront: {problem: smith_waterman, rows: a, columns: a, match: 1}
  - name: heat
    stencil: {operator: heat, grid: a, steps: 3}
output: o.h5
)";

std::vector<std::string> places_of(const std::vector<std::string>& messages) {
  std::vector<std::string> places;
  for (const std::string& message : messages) places.push_back(message.substr(0, message.find(": ")));
  return places;
}

TEST_CASE("All errors of a file are listed at once, in its order") {
  TempFolder folder;
  const auto messages = messages_of(folder, R"(job: x
output: o.h5
stages:
  - name: align
    wavefront: {problem: smith_waterman, rows: b, columns: a, match: one, mach: 2}
  - name: align
    stencil: {operator: heet, grid: a, steps: -1}
backend: gpu
inputs:
  a: {fasta: a.fa, reverse_complement: no}
  a: {fasta: b.fa}
memory: {host: x, device: y}
)");
  CHECK(places_of(messages) == std::vector<std::string>{"job.yaml:5:48", "job.yaml:5:70", "job.yaml:5:75",
                                                        "job.yaml:6:11", "job.yaml:7:25", "job.yaml:7:47",
                                                        "job.yaml:8:10", "job.yaml:10:40", "job.yaml:11:3",
                                                        "job.yaml:12:16", "job.yaml:12:27"});
}

TEST_CASE("Of very many errors the first are shown and the others counted") {
  TempFolder folder;
  std::string text = "output: o.h5\nstages: [{name: s, tally: {machines: 2}}]\n";
  for (int i = 0; i < 300; ++i) text.append("k").append(std::to_string(i)).append(": 1\n");
  const auto messages = messages_of(folder, text);
  REQUIRE(messages.size() == 201);
  CHECK(messages[200] == "and 100 more errors; mend these first");
}

TEST_CASE("Of a list of wrong elements the first ten are shown") {
  TempFolder folder;
  std::string text = "output: o.h5\nstages: [{name: s, tally: {machines: 2}}]\ndevices: [0";
  for (int i = 0; i < 300; ++i) text += ", x";
  const auto messages = messages_of(folder, text + "]\nbackend: x\n");
  REQUIRE(messages.size() == 12);
  CHECK(messages[10].find("job.yaml:3:41: the rest of this list was not looked at") == 0);
  CHECK(messages[11].find("job.yaml:4:10: ") == 0);
}

TEST_CASE("An error shows its line with a caret under the column") {
  TempFolder folder;
  const auto messages = messages_of(folder,
                                    "inputs: {a: {generate: dna}}\noutput: o.h5\nbackend: cude\nstages: "
                                    "[{name: s, tally: {machines: 2}}]\n");
  REQUIRE(messages.size() == 1);
  CHECK(messages[0] ==
        "job.yaml:3:10: 'backend' takes one of auto, cuda, cpu, not 'cude'; did you mean 'cuda'?\n"
        "  | backend: cude\n"
        "  |          ^");
}

TEST_CASE("Columns count letters, not bytes, and carets stand under them") {
  TempFolder folder;
  const auto messages = messages_of(folder,
                                    "output: o.h5\nstages: [{name: s, tally: {machines: 2}}]\n"
                                    "memory: {\"h\xC3\xB6st\": 1, host: x}\n");
  REQUIRE(messages.size() == 2);
  CHECK(messages[1].substr(0, 16) == "job.yaml:3:27: '");
  CHECK(messages[1].find("\n  | " + std::string(26, ' ') + "^") != std::string::npos);
}

TEST_CASE("Of a long line the part around the column is shown") {
  const std::string line = std::string(500, 'a') + "X" + std::string(500, 'b');
  const std::string excerpt = excerpt_of(line, 501);
  const std::size_t newline = excerpt.find('\n');
  CHECK(newline < 160);
  CHECK(excerpt[excerpt.find('^') - newline - 1] == 'X');
  CHECK(excerpt.find("...") < 6);
}

TEST_CASE("A carriage return and a byte order mark are not part of a job") {
  TempFolder folder;
  std::string windows = "\xEF\xBB\xBF";
  for (char letter : good_job) windows += letter == '\n' ? "\r\n" : std::string(1, letter);
  CHECK(messages_of(folder, windows).empty());
  windows.replace(windows.find("1GiB"), 4, "much");
  const auto messages = messages_of(folder, windows);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].substr(0, 16) == "job.yaml:2:16: '");
  CHECK(messages[0].find('\r') == std::string::npos);
}

TEST_CASE("Anchors and aliases stand for what they name") {
  TempFolder folder;
  const Job job = load_text(folder,
                            "inputs: {a: &one {generate: dna}, b: *one}\noutput: o.h5\n"
                            "stages: [{name: s, wavefront: {problem: dtw, rows: a, columns: b}}]\n");
  CHECK(job.find_input("b")->kind == "generate");
}

TEST_CASE("Aliases that multiply are refused instead of filling memory") {
  TempFolder folder;
  std::string text = "x0: &x0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string name = "x" + std::to_string(i), before = "*x" + std::to_string(i - 1);
    text += name + ": &" + name + " [" + before;
    for (int k = 0; k < 9; ++k) text += ", " + before;
    text += "]\n";
  }
  const auto messages = messages_of(folder, text);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0].find("more than 100000 values") != std::string::npos);
}

TEST_CASE("What cannot be read as a file is an error that says why") {
  TempFolder folder;
  CHECK_THROWS_WITH(load(folder.path() / "none.yaml", {}, test_table(), test_kinds),
                    Catch::Contains("none.yaml: cannot read the job: No such file"));
  CHECK_THROWS_WITH(load(folder.path(), {}, test_table(), test_kinds), Catch::Contains("this is a folder"));
  CHECK_THROWS_WITH(load("/dev/zero", {}, test_table(), test_kinds),
                    Catch::Contains("this is a pipe, a device or a socket"));
  const auto large = folder.write("large.yaml", std::string((4 << 20) + 1, '#'));
  CHECK_THROWS_WITH(load(large, {}, test_table(), test_kinds), Catch::Contains("a job has at most 4.00 MiB"));
}

TEST_CASE("Settings of the command line replace what the file says") {
  TempFolder folder;
  const Job job =
      load_text(folder, good_job,
                {"memory.device=2GiB", "memory.host=3GiB", "stages.align.match=2.5", "stages.align.keep=table",
                 "stages.heat.until.residual=1e-3", "stages.heat.temporary=true", "inputs.a.fasta=x.fa",
                 "backend=cpu", "devices=[1, 3]", "checkpoint.every=10min"});
  CHECK(job.device_memory == std::int64_t{2} << 30);
  CHECK(job.host_memory == std::int64_t{3} << 30);
  CHECK(job.stages[0].settings.number("match") == 2.5);
  CHECK(job.stages[0].outputs == std::vector<std::string>{"score", "table"});
  CHECK(job.stages[0].settings.place("match").text == "--set stages.align.match=2.5");
  CHECK(job.stages[1].settings.number("until.residual") == 1e-3);
  CHECK(job.stages[1].temporary);
  CHECK(job.backend == Backend::cpu);
  CHECK(job.devices == std::vector<int>{1, 3});
  CHECK(job.checkpoint_every == 600.0);
  CHECK(job.overrides.size() == 10);
}

TEST_CASE("Paths of the command line start at the current folder, those of the file at its own") {
  TempFolder folder;
  const Job job = load_text(folder, good_job, {"inputs.a.fasta=x.fa", "output=../out.h5"});
  const auto here = std::filesystem::current_path();
  CHECK(job.inputs[0].settings.text("fasta") == (here / "x.fa").string());
  CHECK(job.output == here.parent_path() / "out.h5");
  CHECK(load_text(folder, good_job).inputs[0].settings.text("fasta") == (folder.path() / "a.fa").string());
}

struct WrongSetting {
  std::string setting;
  std::string fragment;
};

TEST_CASE("Wrong settings of the command line are refused like those of a file, and name themselves") {
  const auto row = GENERATE(values<WrongSetting>({
      {"memory.device=1GB!", "'memory.device' takes a size in bytes"},
      {"memory.devise=1GiB", "unknown key 'devise' in 'memory' of the job; did you mean 'device'?"},
      {"memry.device=1GiB", "unknown key 'memry' in the job; did you mean 'memory'?"},
      {"stages.align.match=x", "'match' takes a number, not 'x'"},
      {"stages.align.mach=2", "did you mean 'match'?"},
      {"stages.align.window=2", "belongs to dtw, not to smith_waterman"},
      {"stages.alin.match=2", "the job has no stage 'alin'; did you mean 'align'?"},
      {"stages.align=3", "name the key of the stage"},
      {"stages.align.match.a=3", "'match' is no map"},
      {"job.a=3", "'job' is no map"},
      {"inputs.a.fsta=x.fa", "unknown key 'fsta'"},
      {"inputs.b.fasta=", "'fasta' takes a path, not nothing"},
      {"inputs.a.generate=dna", "an input is of one kind"},
      {"backend", "a setting is key=value"},
      {"=3", "a setting is key=value"},
      {"memory..host=3", "a part of the key is empty"},
      {"backend=[cpu", "bracket or brace left open"},
      {"output=", "'output' takes a path, not nothing"},
      {"devices=010", "a list of whole numbers"},
      {"backend=cpu\n---\ncuda", "second document"},
      {"backend=c\x01pu", "no text in UTF-8"},
      {"stages.align.wavefront=3", "takes a map of keys"},
      {"output=a.fa", ""},
  }));
  TempFolder folder;
  const auto messages = messages_of(folder, good_job, {row.setting});
  INFO(row.setting);
  if (row.fragment.empty()) {
    CHECK(messages.empty());
    return;
  }
  REQUIRE(messages.size() == 1);
  INFO(messages[0]);
  CHECK(messages[0].find("--set " + row.setting + ": ") == 0);
  CHECK(messages[0].find(row.fragment) != std::string::npos);
}

TEST_CASE("A key that is set twice is an error that names both") {
  TempFolder folder;
  const auto messages = messages_of(folder, good_job, {"backend=cpu", "backend=cuda"});
  REQUIRE(messages.size() == 1);
  CHECK(messages[0] == "--set backend=cuda: it was set before, by --set backend=cpu");
}

TEST_CASE("Inputs that cannot be opened are reported at their places, together with all else") {
  TempFolder folder;
  const std::string text = R"(inputs:
  a: {fasta: none.fa}
  b: {generate: dna, mutate: {of: a}}
  c: {generate: dna, length: x}
output: o.h5
backend: gpu
stages: [{name: s, wavefront: {problem: dtw, rows: a, columns: b}}, {name: t, tally: {machines: 1}}]
)";
  const auto messages = messages_of(folder, text, {}, true);
  CHECK(places_of(messages) == std::vector<std::string>{"job.yaml:2:3", "job.yaml:4:30", "job.yaml:6:10"});
  CHECK(messages[0] == "job.yaml:2:3: input 'a': none.fa: no such file\n  |   a: {fasta: none.fa}\n  |   ^");
}

TEST_CASE("What opening an input says of a setting stands at the setting's place, once") {
  TempFolder folder;
  const std::string text =
      "inputs: {a: {generate: dna, seed: -1}}\noutput: o.h5\nbackend: x\n"
      "stages: [{name: s, wavefront: {problem: summed_area, grid: a}}]\n";
  const auto messages = messages_of(folder, text, {}, true);
  REQUIRE(messages.size() == 2);
  CHECK(messages[0] ==
        "job.yaml:1:35: seed: below 0\n"
        "  | inputs: {a: {generate: dna, seed: -1}}\n"
        "  |                                   ^");
  const auto set = messages_of(folder, text, {"inputs.a.seed=-2"}, true);
  REQUIRE(set.size() == 2);
  CHECK(set[1] == "--set inputs.a.seed=-2: seed: below 0");
}

TEST_CASE("A file that the command line names and that cannot be opened is reported at the setting") {
  TempFolder folder;
  folder.write("a.fa", ">a\nACGT\n");
  for (const std::string setting : {"inputs.a.fasta=none.fa", "inputs.a={fasta: none.fa}"}) {
    const auto messages = messages_of(folder, good_job, {"backend=cpu", setting}, true);
    REQUIRE(messages.size() == 1);
    CHECK(messages[0].find("--set " + setting + ": input 'a': ") == 0);
    CHECK(messages[0].find("none.fa: no such file") != std::string::npos);
  }
  const auto other = messages_of(folder, "inputs: {a: {fasta: none.fa}}\n" + good_job.substr(good_job.find("stages")),
                                 {"inputs.a.record=0"}, true);
  REQUIRE(other.size() == 1);
  CHECK(other[0].find("job.yaml:1:10: input 'a': none.fa: no such file") == 0);
}

TEST_CASE("Inputs that can be opened come with the job") {
  TempFolder folder;
  folder.write("a.fa", ">a\nACGT\n");
  const auto path = folder.write("job.yaml", good_job);
  const OpenJob open = load_and_open(path, {}, test_table(), test_kinds);
  CHECK(open.job.inputs.size() == 1);
  CHECK(open.inputs.at("a")->shape() == Extents{1});
}

TEST_CASE("The distance of two names counts insertions, deletions, replacements and swaps") {
  CHECK(edit_distance("", "") == 0);
  CHECK(edit_distance("abc", "") == 3);
  CHECK(edit_distance("match", "mach") == 1);
  CHECK(edit_distance("match", "macth") == 1);
  CHECK(edit_distance("match", "mismatch") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
}

TEST_CASE("A near name is near in letters, whatever its case") {
  CHECK(did_you_mean("Match", {"mismatch", "match"}) == "; did you mean 'match'?");
  CHECK(did_you_mean("gap-open", {"gap_open", "gap"}) == "; did you mean 'gap_open'?");
  CHECK(did_you_mean("tempature", {"temperature", "time"}) == "; did you mean 'temperature'?");
  CHECK(did_you_mean("levle", {"level", "levels"}) == "; did you mean 'level'?");
  CHECK(did_you_mean("SMITH", {"edit_distance", "smith_waterman"}) == "; did you mean 'smith_waterman'?");
  CHECK(did_you_mean("gpu", {"auto", "cuda", "cpu"}) == "; did you mean 'cuda'?");
  CHECK(did_you_mean("GPU", {"auto", "cpu"}) == "; did you mean 'cpu'?");
  CHECK(did_you_mean("sm", {"edit_distance", "smith_waterman"}).empty());
  CHECK(did_you_mean("xyz", {"match", "rows"}).empty());
  CHECK(did_you_mean("b", {"a"}).empty());
  CHECK(did_you_mean("", {"a"}).empty());
  CHECK(did_you_mean(std::string(1000000, 'x'), {"match"}).empty());
  CHECK(did_you_mean("match", {"match"}).empty());
  CHECK(did_you_mean("match", {"mach", "match"}).empty());
  CHECK(did_you_mean("Match", {"match"}) == "; did you mean 'match'?");
}

TEST_CASE("Of equally near names up to three are named") {
  CHECK(did_you_mean("bat", {"cat", "hat", "rat", "mat"}) == "; did you mean 'cat' or 'hat' or 'rat'?");
}

TEST_CASE("Times of any length are given in a unit that fits") {
  CHECK(format_duration(0) == "0 s");
  CHECK(format_duration(4e-9) == "under 1 us");
  CHECK(format_duration(2e-6) == "2.00 us");
  CHECK(format_duration(90) == "90.0 s");
  CHECK(format_duration(3600 * 7 + 120) == "7 h 2 min");
  CHECK(format_duration(1e12) == "3.17e+04 years");
  CHECK(format_duration(1e30) == "3.17e+22 years");
}

TEST_CASE("A share is told in digits that say something") {
  CHECK(format_share(0) == "0%");
  CHECK(format_share(2e-7) == "under 0.01%");
  CHECK(format_share(0.0031) == "0.3%");
  CHECK(format_share(0.00999) == "1%");
  CHECK(format_share(0.104) == "10%");
  CHECK(format_share(1.25) == "125%");
}

TEST_CASE("Things are counted in whole numbers up to a thousand, and measured in three digits") {
  CHECK(format_count(57.2, "split") == "57 splits");
  CHECK(format_count(0, "cell") == "0 cells");
  CHECK(format_count(1, "cell") == "1 cell");
  CHECK(format_count(999, "cell") == "999 cells");
  CHECK(format_count(999.7, "cell") == "1.00 kcells");
  CHECK(format_count(1e3, "cell") == "1.00 kcells");
  CHECK(format_count(999'999, "cell") == "1.00 Mcells");
  CHECK(format_count(12.4) == "12");
  CHECK(format_count(1.04e6) == "1.04 M");
  CHECK(format_rate(57.2, "cell/s") == "57.2 cell/s");
  CHECK(format_rate(12, "B/s") == "12 B/s");
  CHECK(format_rate(999.7, "B/s") == "1.00 kB/s");
  CHECK(format_rate(2.5e18, "B/s") == "2500 PB/s");
}

TEST_CASE("One thing is counted in the singular, all others in the plural") {
  CHECK(counted(1, "value") == "1 value");
  CHECK(counted(0, "value") == "0 values");
  CHECK(counted(12, "value") == "12 values");
}

TEST_CASE("Of many names the first are listed and the others counted") {
  CHECK(list_names({"a", "b", "c"}) == "a, b, c");
  CHECK(list_names({"a", "b", "c"}, 2) == "a, b and 1 more");
  CHECK(quote_names({"a", "b", "c"}, 2) == "'a', 'b' and 1 more");
  CHECK(quote_names({}).empty());
  CHECK(quote_names({"a\x01\n"}) == "'a\\x01\\x0a'");
}

}  // namespace
}  // namespace terrace::job
