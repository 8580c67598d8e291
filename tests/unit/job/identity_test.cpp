// Jobs that compute the same, and the first difference of jobs that do not.
#include "pipeline/job/identity.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/job/fixture.hpp"

namespace terrace::job {
namespace {

const std::string text = R"(
inputs:
  a: {fasta: a.fa}
  b: {fasta: /elsewhere/b.fa}
stages:
  - name: align
    wavefront: {problem: smith_waterman, rows: a, columns: b, match: 1, keep: table}
  - name: sums
    wavefront: {problem: summed_area, grid: align/table}
output: o.h5
)";

std::string replaced(std::string whole, const std::string& from, const std::string& to) {
  return whole.replace(whole.find(from), from.size(), to);
}

std::string difference(const TempFolder& folder, const std::string& changed) {
  const auto before = defining_json(load_text(folder, text)), now = defining_json(load_text(folder, changed));
  return first_difference(before, now).value_or("none");
}

TEST_CASE("Jobs that compute the same have the same identity, however they are written") {
  TempFolder folder, other;
  const auto identity = defining_json(load_text(folder, text));
  CHECK(defining_json(load_text(other, text)) == identity);
  CHECK(nlohmann::json::parse(identity.dump()) == identity);
  CHECK(difference(folder, replaced(text, "match: 1", "match: 1.0, mismatch: -1")) == "none");
  CHECK(difference(folder, "memory: {host: 1GiB}\nbackend: cpu\ndevices: [0]\ncheckpoint: {every: 3s}\n" + text) ==
        "none");
  CHECK(difference(folder, replaced(text, "o.h5", "p.h5")) == "none");
  const auto set = load_text(folder, replaced(text, "match: 1,", ""), {"stages.align.match=1"});
  CHECK(defining_json(set) == identity);
}

TEST_CASE("The first difference of two jobs is named as their authors know it") {
  TempFolder folder;
  CHECK(difference(folder, replaced(text, "match: 1", "match: 2")) == "stages.align.match was 1.0 and is 2.0");
  CHECK(difference(folder, replaced(text, "a.fa", "c.fa")) == "inputs.a.fasta was \"a.fa\" and is \"c.fa\"");
  CHECK(difference(folder, replaced(text, "a.fa", "a.fa, record: 3")) ==
        "inputs.a.record was not given and is \"3\"");
  CHECK(difference(folder, replaced(text, "name: sums", "name: areas")) ==
        "stages has no 'sums' any more, and 'areas' is new");
  CHECK(difference(folder, replaced(text, "  - name: sums\n", "  - name: sums\n    temporary: true\n")) ==
        "stages.sums.temporary was false and is true");
  CHECK(difference(folder,
                   replaced(text, "problem: summed_area, grid: align/table", "problem: summed_area, grid: a")) ==
        "stages.sums.grid was \"align/table\" and is \"a\"");
}

TEST_CASE("Stages that are added, removed or moved are named") {
  TempFolder folder;
  const std::string third = "  - name: more\n    wavefront: {problem: summed_area, grid: a}\n";
  const std::string longer = replaced(text, "output:", third + "output:");
  CHECK(difference(folder, longer) == "'more' is new in stages");
  const auto with_more = defining_json(load_text(folder, longer)), without = defining_json(load_text(folder, text));
  CHECK(first_difference(with_more, without) == "stages has no 'more' any more");
  CHECK(difference(folder, replaced(replaced(text, "output:", third + "output:"), "match: 1", "match: 2")) ==
        "'more' is new in stages");
  const std::string moved = replaced(text, "  - name: align\n", third + "  - name: align\n");
  CHECK(first_difference(with_more, defining_json(load_text(folder, moved))) ==
        "the order of stages was align, sums, more and is more, align, sums");
}

TEST_CASE("A setting of an input that keeps the default of an earlier version is no difference") {
  TempFolder folder;
  const auto compare = [&](const std::string& changed) {
    Job now = load_text(folder, changed);
    for (Input& input : now.inputs) input.earlier_defaults = {{"record", "all"}};
    return first_difference(defining_json(load_text(folder, text)), defining_json(now), defaults_of(now))
        .value_or("none");
  };
  CHECK(compare(text) == "none");
  CHECK(compare(replaced(text, "a.fa", "a.fa, record: all")) == "none");
  CHECK(compare(replaced(text, "a.fa", "a.fa, record: used")) == "inputs.a.record was not given and is \"used\"");
  const auto back = [&](const std::string& before) {
    Job now = load_text(folder, text);
    for (Input& input : now.inputs) input.earlier_defaults = {{"record", "all"}};
    return first_difference(defining_json(load_text(folder, replaced(text, "a.fa", "a.fa, record: " + before))),
                            defining_json(now), defaults_of(now))
        .value_or("none");
  };
  CHECK(back("all") == "none");
  CHECK(back("used") == "inputs.a.record was \"used\" and is not given");
  CHECK(
      changed_default("inputs.a.record", {"record", "all"}, "used") ==
      "inputs.a.record was all, the default of an earlier version, and is used, the default now; `record: all` keeps "
      "it");
}

TEST_CASE("A setting that an earlier version did not know is no difference where it is left to its default") {
  TempFolder folder;
  const Job job = load_text(folder, text);
  const auto now = defining_json(job);
  auto before = now;
  before["stages"][0]["settings"].erase("gap_open");
  before["inputs"]["a"]["settings"].erase("reverse_complement");
  CHECK(first_difference(before, now, defaults_of(job)).value_or("none") == "none");
  before["stages"][0]["settings"].erase("match");
  CHECK(first_difference(before, now, defaults_of(job)) == "stages.align.match was not given and is 1.0");
}

TEST_CASE("A default that has changed is named with the setting that keeps it") {
  TempFolder folder;
  const auto said = [&](const std::string& changed, const nlohmann::json& before_value) {
    Job job = load_text(folder, changed);
    auto before = defining_json(job);
    if (!job.stages[0].settings.place("gap_open").text.empty()) job.stages[0].earlier_defaults.clear();
    else job.stages[0].earlier_defaults = {{"gap_open", "5.0"}};
    if (before_value.is_null()) before["stages"][0]["settings"].erase("gap_open");
    else before["stages"][0]["settings"]["gap_open"] = before_value;
    return first_difference(before, defining_json(job), defaults_of(job)).value_or("none");
  };
  const std::string changed =
      "stages.align.gap_open was 5.0, the default of an earlier version, and is 0.0, the default now; `gap_open: "
      "5.0` "
      "keeps it";
  CHECK(said(text, 5.0) == changed);
  CHECK(said(text, nullptr) == changed);
  CHECK(said(text, 4.0) == "stages.align.gap_open was 4.0 and is 0.0");
  CHECK(said(text, 0.0) == "none");
  CHECK(said(replaced(text, "match: 1", "match: 1, gap_open: 5"), 5.0) == "none");
}

TEST_CASE("The numbers of stages' results are recorded, and are no difference of jobs") {
  TempFolder folder;
  const auto now = defining_json(load_text(folder, text));
  for (const char* stage : {"align", "sums"}) CHECK(results_of(now, stage) == 1);
  auto before = now;
  before["results"]["align"] = 7;
  CHECK(results_of(before, "align") == 7);
  CHECK(first_difference(before, now).value_or("none") == "none");
  before.erase("results");
  CHECK(results_of(before, "align") == 1);
  CHECK(first_difference(before, now).value_or("none") == "none");
  CHECK(first_difference(now, before).value_or("none") == "none");
  for (const nlohmann::json& damaged :
       {nlohmann::json(3), nlohmann::json{{"results", 3}}, nlohmann::json{{"results", {{"align", "two"}}}}}) {
    CHECK_THROWS_AS(results_of(damaged, "align"), nlohmann::json::exception);
  }
}

TEST_CASE("Of long values the parts that differ are shown") {
  TempFolder folder;
  std::string numbers;
  for (int i = 100; i < 160; ++i) numbers += (numbers.empty() ? "" : ", ") + std::to_string(i);
  const auto with = [&](const std::string& list) {
    return defining_json(
        load_text(folder, replaced(text, "{fasta: a.fa}", "{generate: dna, numbers: [" + list + "]}")));
  };
  const auto changed = first_difference(with(numbers), with(replaced(numbers, "141", "777"))).value_or("none");
  CHECK(changed.find("inputs.a.numbers was ...") == 0);
  CHECK(changed.find("141") < changed.find(" and is ..."));
  CHECK(changed.find("777") > changed.find(" and is ..."));
  CHECK(first_difference(with(numbers), with(numbers + ", 7")) == "inputs.a.numbers had 60 values and has 61");
}

TEST_CASE("A record of another shape differs, and does no harm") {
  TempFolder folder;
  const auto now = defining_json(load_text(folder, text));
  CHECK(first_difference(nullptr, now));
  CHECK(first_difference({{"inputs", 3}, {"stages", "x"}}, now));
  CHECK(first_difference({{"stages", {1, 2}}, {"inputs", now["inputs"]}}, now));
}

TEST_CASE("What does not define the result is kept apart") {
  TempFolder folder;
  const auto beside = accompanying_json(load_text(folder, "memory: {host: 1GiB}\n" + text));
  CHECK(beside["memory"]["host"] == std::int64_t{1} << 30);
  CHECK(beside["memory"]["device"].is_null());
  CHECK(beside["checkpoint"]["every"].is_null());
  CHECK(beside["backend"] == "auto");
  CHECK(beside["output"] == (folder.path() / "o.h5").string());
}

}  // namespace
}  // namespace terrace::job
