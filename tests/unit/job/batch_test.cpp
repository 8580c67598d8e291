// Batches: values of tasks, patterns, placeholders in texts of every style.
#include "pipeline/job/batch.hpp"

#include <catch2/catch.hpp>

#include "tests/unit/job/fixture.hpp"

namespace terrace::job {
namespace {

/// A batch of a sweep, written in the folder.
std::filesystem::path write_batch(const TempFolder& folder, const std::string& sweep, const std::string& rest) {
  return folder.write("batch.yaml", "sweep: " + sweep + "\n" + rest);
}

const std::string tally = "stages: [{name: s, tally: {machines: 2}}]\n";

Batch batch_of(const TempFolder& folder, const std::string& sweep, const std::string& output,
               const TaskList* listed = nullptr) {
  return load_batch(write_batch(folder, sweep, tally + "output: \"" + output + "\"\n"), {}, listed);
}

std::vector<std::string> values_of(const Batch& batch) {
  std::vector<std::string> values;
  for (const Task& task : batch.tasks) values.push_back(task.values_in_words());
  return values;
}

std::vector<std::string> outputs_of(const Batch& batch) {
  std::vector<std::string> names;
  for (const Task& task : batch.tasks) names.push_back(task.output.filename());
  return names;
}

using Texts = std::vector<std::string>;

TEST_CASE(
    "Tasks are all combinations, the last name fastest, or with zip the first ones, the second ones and so on") {
  TempFolder folder;
  CHECK(values_of(batch_of(folder, "{each: {n: [1, 2], w: [x, y]}}", "${n}${w}.h5")) ==
        Texts{"n: 1, w: x", "n: 1, w: y", "n: 2, w: x", "n: 2, w: y"});
  CHECK(values_of(batch_of(folder, "{each: {n: [1, 2], w: [x, y]}, zip: true}", "${n}${w}.h5")) ==
        Texts{"n: 1, w: x", "n: 2, w: y"});
}

TEST_CASE("Patterns are relative to the job's folder and sorted by bytes, whatever letters the folder has") {
  TempFolder outer;
  std::filesystem::create_directories(outer.path() / "a[b]*?" / "in");
  const auto folder = outer.path() / "a[b]*?";
  for (const char* name : {"b.fa", "B.fa", "a.fa.gz", "a10.fa", "a9.fa", ".a.fa"}) {
    outer.write("a[b]*?/in/" + std::string(name), "");
  }
  const auto file = outer.write(
      "a[b]*?/batch.yaml", "sweep: {each: {f: \"in/*.fa*\"}}\n" + tally + "output: \"${f.stem}-${f.index}.h5\"\n");
  const Batch batch = load_batch(file, {}, nullptr);
  CHECK(outputs_of(batch) == Texts{"B-0.h5", "a-1.h5", "a10-2.h5", "a9-3.h5", "b-4.h5"});
  CHECK(batch.tasks[0].values[0].second.text == "in/B.fa");
  CHECK(batch.tasks[0].output == folder / "B-0.h5");
}

TEST_CASE("A listed batch has the values of its list, and is refused if its sweep is another one") {
  TempFolder folder;
  folder.write("a.fa", "");
  const Batch first = batch_of(folder, "{each: {f: \"*.fa\"}}", "${f.stem}.h5");
  folder.write("b.fa", "");
  CHECK(outputs_of(batch_of(folder, "{each: {f: \"*.fa\"}}", "${f.name}.h5", &first.list)) == Texts{"a.fa.h5"});
  CHECK_THROWS_WITH(batch_of(folder, "{each: {f: \"*.f*\"}}", "${f.stem}.h5", &first.list),
                    Catch::Contains("batch.yaml:1:8") && Catch::Contains("--again"));
  CHECK_THROWS_WITH(batch_of(folder, "{each: {f: [\"*.fa\"]}}", "${f.stem}.h5", &first.list),
                    Catch::Contains("--again"));
}

TEST_CASE("A value that is one placeholder has the type of the sweep's value, and other texts are joined") {
  TempFolder folder;
  folder.write("1.fa", "");
  const Batch batch =
      load_batch(folder.write("batch.yaml",
                              "sweep: {each: {n: [2, \"3\"], f: \"*.fa\", on: [true]}}\n"
                              "inputs:\n"
                              "  a:\n    fasta: ${f}\n    record: \"${n}\"\n"
                              "    reverse_complement: \"${on}\"\n"
                              "  b:\n    generate: dna\n    length: '${n}'\n    seed: ${n.index}\n"
                              "  c:\n    fasta: ./${f.name}\n    record: |-\n      a ${f.stem}\n"
                              "      b ${n}\n"
                              "stages:\n"
                              "- {name: s, wavefront: {problem: smith_waterman, rows: a, columns: b}}\n"
                              "- {name: t, wavefront: {problem: smith_waterman, rows: c, columns: c}}\n"
                              "output: \"${n}.h5\"\n"),
                 {}, nullptr);
  const Job job = load_and_open(batch.file, {}, test_table(), test_kinds, true, &batch.tasks[0]).job;
  CHECK(job.inputs[0].settings.text("fasta") == folder.path() / "1.fa");
  CHECK(job.inputs[0].settings.text("record") == "2");
  CHECK(job.inputs[0].settings.flag("reverse_complement"));
  CHECK(job.inputs[1].settings.integer("length") == 2);
  CHECK(job.inputs[1].settings.integer("seed") == 0);
  CHECK(job.inputs[2].settings.text("record") == "a 1\nb 2");
  CHECK(job.output == folder.path() / "2.h5");
  CHECK(job.task == "task 0 (n: 2, f: 1.fa, on: true)");
  // The second value of n is a text, which is no number.
  CHECK_THROWS_WITH(load_and_open(batch.file, {}, test_table(), test_kinds, true, &batch.tasks[1]),
                    Catch::Contains("batch.yaml:9:13: 'length' takes") && Catch::Contains("take the quotes away"));
}

TEST_CASE("Errors point at the placeholder, in quotes, blocks and settings of the command line") {
  TempFolder folder;
  const auto complaint = [&](const std::string& record, const std::vector<std::string>& settings = {}) {
    const auto file =
        write_batch(folder, "{each: {n: [1]}}",
                    "inputs:\n  a:\n    fasta: x\n    record: " + record + "\n" + tally + "output: x.h5\n");
    try {
      load_batch(file, settings, nullptr);
      return std::string();
    } catch (const JobError& error) {
      return error.messages().at(0).substr(folder.path().string().size() + 1);
    }
  };
  CHECK(complaint("a${n}b").empty());
  CHECK_THAT(complaint("a${m}b"), Catch::StartsWith("batch.yaml:5:14: 'sweep' has no name 'm'"));
  CHECK_THAT(complaint("\"\\t${m}\""), Catch::StartsWith("batch.yaml:5:16: "));
  CHECK_THAT(complaint("|-\n      a\n      b ${m}"), Catch::StartsWith("batch.yaml:7:9: "));
  CHECK_THAT(complaint("${n.ending}"), Catch::Contains("'${n.ending}': behind the name stands"));
  CHECK_THAT(complaint("${n.}"), Catch::Contains("'${n.}': behind the name stands"));
  CHECK_THAT(complaint("a${n"), Catch::StartsWith("batch.yaml:5:14: a placeholder is ${NAME}"));
  CHECK_THAT(complaint("a${}"), Catch::Contains("a placeholder is ${NAME}"));
}

TEST_CASE("A job is a batch if it has a sweep, also by a setting of the command line") {
  TempFolder folder;
  const auto job = folder.write("job.yaml", tally + "output: x.h5\n");
  CHECK_FALSE(is_batch(job, {}));
  CHECK(is_batch(job, {"sweep.each.n=[1]"}));
  CHECK_FALSE(is_batch(folder.path() / "none.yaml", {}));
  CHECK_FALSE(is_batch(folder.write("wrong.yaml", "a: ["), {}));
  CHECK(
      messages_of(folder, tally + "output: x${n}.h5\n").at(0).starts_with("job.yaml:2:10: '${n}' is a placeholder"));
}

}  // namespace
}  // namespace terrace::job
