// Whole command lines, with the tests' own stages and the program's own inputs.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "pipeline/app/program.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/job/yaml/settings.hpp"
#include "pipeline/run/build_id.hpp"
#include "tests/unit/job/fixture.hpp"

namespace terrace::app {
namespace {

struct Ending {
  int code;
  std::string out, err;
};

/// A stage of a job that is checked, and not run.
class CheckedStage : public run::Stage {
 public:
  const run::Plan& plan() const override { fail(); }
  run::Tally& tally() override { fail(); }
  io::DatasetSpec dataset(int) const override { fail(); }
  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }
  run::Prediction prediction() const override { return {}; }
  nlohmann::json choices() const override { return nlohmann::json::object(); }

 private:
  [[noreturn]] static void fail() { throw Error("a stage that is checked has no plan"); }
};

std::unique_ptr<run::Stage> make_checked_stage(const stages::Request&) { return std::make_unique<CheckedStage>(); }

/// The tests' stages, which accept all inputs.
Stages test_stages() {
  Stages stages;
  const job::StageTable table = job::test_table();
  for (const job::StageDeclaration& declaration : table.all()) {
    stages.add({declaration, make_checked_stage});
  }
  return stages;
}

Ending call(const std::vector<std::string>& arguments, const Stages& stages = test_stages()) {
  std::ostringstream out, err;
  Session session(out, err, stages, io::input_kinds());
  const int code = run_program(arguments, session);
  return {code, out.str(), err.str()};
}

std::string read(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string good_job =
    "inputs: {a: {values: [1, 2, 3]}}\noutput: o.h5\n"
    "stages: [{name: s, wavefront: {problem: summed_area, grid: a}}]\n";

TEST_CASE("The program's own declarations of inputs and stages hold") {
  for (const io::InputKind& kind : io::input_kinds()) {
    for (const Parameter& parameter : kind.parameters) CHECK_NOTHROW(job::check_default(parameter, kind.name));
  }
  CHECK_FALSE(program_stages().declarations().all().empty());
}

TEST_CASE("A job that is fine is said to be, on standard output") {
  job::TempFolder folder;
  const auto path = folder.write("job.yaml", good_job).string();
  const Ending ending = call({"check", path});
  CHECK(ending.code == 0);
  CHECK(ending.out == path + " is fine: 1 input, 1 stage\n");
  CHECK(ending.err.empty());
}

TEST_CASE("Elements of lists that are wrong are reported at their places") {
  job::TempFolder folder;
  const auto path = folder
                        .write("job.yaml",
                               "inputs:\n  a:\n    values:\n    - 300\n    - 7\n    - -1\n    type: u8\n"
                               "    shape: [1, -3]\noutput: o.h5\n"
                               "stages: [{name: s, wavefront: {problem: summed_area, grid: a}}]\n")
                        .string();
  const Ending ending = call({"check", path});
  CHECK(ending.code == 2);
  CHECK(holds(ending.err, "job.yaml:4:7: values: number 0: '300' does not fit u8"));
  CHECK(holds(ending.err, "job.yaml:6:7: values: number 2: '-1' does not fit u8"));
  CHECK(holds(ending.err, "2 errors"));
  const Ending shape = call({"check", path, "--set", "inputs.a.values=[1]"});
  CHECK(holds(shape.err, "job.yaml:8:16: shape: the extent -3 is negative"));
  const Ending set = call({"check", path, "--set", "inputs.a.values=[1, x.5]"});
  CHECK(holds(set.err, "--set inputs.a.values=[1, x.5]: "));
  const Ending single = call({"check", path, "--set", "inputs.a.values=300"});
  CHECK(holds(single.err, "--set inputs.a.values=300: values: number 0: '300' does not fit u8"));
}

TEST_CASE("A wrong job ends with 2 and all of its errors on standard error") {
  job::TempFolder folder;
  const auto path = folder.write("job.yaml", good_job + "backend: gpu\nmemory: 3\n").string();
  const Ending ending = call({"check", path});
  CHECK(ending.code == 2);
  CHECK(ending.out.empty());
  CHECK(holds(ending.err, path + ":4:10: 'backend' takes one of auto, cuda, cpu, not 'gpu'"));
  CHECK(holds(ending.err, path + ":5:9: 'memory' takes a map"));
  CHECK(holds(ending.err, "\n2 errors\n"));
}

/// The program's output about a job with these inputs and stages.
std::string said_of(const std::vector<std::string>& lines, int code = 2, const std::string& command = "check") {
  job::TempFolder folder;
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  folder.write("letters.fa", ">a\nACGT\n");
  const auto path = folder.write("job.yaml", text + "output: o.h5\n");
  Ending ending = call({command, path.string()}, program_stages());
  INFO(ending.err);
  CHECK(ending.code == code);
  for (auto at = ending.err.find(path.string()); at != std::string::npos; at = ending.err.find(path.string())) {
    ending.err.replace(at, path.string().size(), "job");
  }
  return ending.err;
}

TEST_CASE("A check sees what is wrong with shapes, types and small inputs, of all stages at once") {
  const std::vector<std::string> job = {
      "inputs:",
      "  line: {values: [4, -2, 5]}",
      "  a: {fasta: letters.fa}",
      "stages:",
      "- {name: sums, wavefront: {problem: summed_area, grid: line}}",
      "- {name: chain, recursive: {problem: matrix_chain, dimensions: line}}",
      "- {name: align, wavefront: {problem: lcs, rows: a, columns: a, keep: table}}",
      "- name: local",
      "  wavefront: {problem: smith_waterman, rows: a, columns: a, match: 1, mismatch: -1, gap: 0.5,",
      "              type: i32}",
      "- {name: warp, wavefront: {problem: dtw, rows: a, columns: line}}",
      "- {name: more, wavefront: {problem: summed_area, grid: sums/table}}",
      "- {name: cubes, wavefront: {problem: integral_histogram, grid: align/table, bins: 4}}",
      "- {name: one, recursive: {problem: matrix_chain, dimensions: align/score}}"};
  for (const char* command : {"check", "plan", "run"}) {
    const std::string said = said_of(job, 2, command);
    CHECK(holds(said,
                "job:5:56: stage 'sums': 'line' has 1 dimension; a grid has two (rows and columns); for one row, "
                "`csv`, `text` and `values` take `shape: [1, 3]`\n  | " +
                    job[4]));
    CHECK(holds(said, "job:6:64: stage 'chain': line[1] (job:2:22): is negative; give finite numbers"));
    CHECK(
        holds(said, "job:10:21: stage 'local': the scores have decimals, which i32 does not hold: say `type: f64`"));
    CHECK(holds(said, "job:11:48: stage 'warp': 'a' holds letters"));
    CHECK(holds(said, "job:13:17: stage 'cubes': a histogram of a grid of i32 needs `range: [low, high]`"));
    CHECK(holds(said, "job:14:62: stage 'one': 'align/score' is a single value"));
    CHECK_FALSE(holds(said, "'more'"));  // it reads an unknown array
    CHECK(holds(said, "\n6 errors\n"));
  }
}

TEST_CASE("A check sees budgets that no plan fits") {
  const std::vector<std::string> grid = {"inputs: {a: {generate: uniform, shape: [2000, 3000]}}",
                                         "stages: [{name: s, wavefront: {problem: summed_area, grid: a}}]"};
  CHECK(said_of({grid[0], grid[1], "backend: cpu"}, 0).empty());
  CHECK(holds(said_of({grid[0], grid[1], "backend: cpu", "memory: {host: 1KiB}"}),
              "job:2:20: stage 's': memory.host is too small for any plan of this stage: the least is "));
  CHECK(holds(said_of({"inputs: {a: {values: [1, 2, 3, 4], shape: [2, 2]}}", grid[1], "memory: {host: 8}"}),
              "job:3:16: memory.host is 8 B, and the inputs keep "));
  const std::string scratch =
      said_of({grid[0], "stages:", "- {name: s, wavefront: {problem: sor, grid: a, sweeps: 9}}", "backend: cpu",
               "memory: {host: 3MiB}", "scratch: {size: 1KiB}"});
  CHECK(holds(scratch, "job:6:17: the job needs "));
  CHECK(holds(scratch, "of scratch space, and scratch.size allows 1.00 KiB"));
}

TEST_CASE("A check reads no large array, and warns of devices that are missing here") {
  const std::string wide = "inputs: {a: {generate: uniform, type: i64, shape: [1000000, 1000000]}}";
  const std::string paths = "stages: [{name: s, recursive: {problem: floyd_warshall, matrix: a, type: auto}}]";
  CHECK(said_of({wide, paths, "backend: cpu"}, 0).empty());
  const std::string missing = said_of({wide, paths, "devices: [900]", "memory: {host: 1KiB}"}, 0);
  CHECK(missing.starts_with("warning: job:3:10: there is no device 900"));
}

TEST_CASE("A single value that a list of quantities names is refused at the list") {
  Stages stages = program_stages();
  job::StageDeclaration declaration = job::test_stencil();
  declaration.name = "flows";
  stages.add({declaration, [](const stages::Request& request) {
                for (const auto& array : job::array_names(request.stage.arrays, request.stage.settings)) {
                  request.array(array.name);
                }
                return make_checked_stage(request);
              }});
  job::TempFolder folder;
  const auto path = folder.write("job.yaml",
                                 "inputs: {a: {values: [1, 2]}}\noutput: o.h5\nstages:\n"
                                 "- {name: one, recursive: {problem: matrix_chain, dimensions: a}}\n"
                                 "- {name: f, flows: {operator: flow, grid: a, steps: 1, weights: [2, one/cost]}}\n");
  const Ending ending = call({"check", path.string()}, stages);
  CHECK(ending.code == 2);
  CHECK(holds(ending.err, path.string() + ":5:65: stage 'f': 'one/cost' is a single value, which no stage can read"));
}

TEST_CASE("A small dataset of an earlier stage is refused as what it is") {
  const std::vector<std::string> align = {
      "inputs: {a: {values: [1, 2, 3, 2]}, g: {values: [1, 2, 3, 4], shape: [2, 2]}}",
      "stages:", "- {name: s, wavefront: {problem: dtw, rows: a, columns: a}}",
      "- {name: h, stencil: {operator: star2d, grid: g, steps: 2, until: "
      "{residual: 1, every: 1}}}"};
  for (const auto& [name, what] : {std::pair{"s/lengths", "small dataset"},
                                   {"h/residual", "small dataset"},
                                   {"s/score", "single value"},
                                   {"h/steps", "single value"}}) {
    std::vector<std::string> job = align;
    job.push_back(std::string("- {name: t, recursive: {problem: matrix_chain, dimensions: ") + name + "}}");
    CHECK(holds(said_of(job), std::string("stage 't': '") + name + "' is a " + what + ", which no stage can read"));
  }
}

TEST_CASE("What an earlier stage writes cannot be what a stage is planned by") {
  const std::string said = said_of({"inputs: {a: {values: [1, 2, 3, 4], shape: [2, 2]}}",
                                    "stages:", "- {name: s, wavefront: {problem: summed_area, grid: a}}",
                                    "- {name: t, query: {matrix: a, pairs: s/table}}"});
  CHECK(holds(said, "job:4:39: stage 't': 's/table': the run is planned by its values, and they are not there yet"));
}

TEST_CASE("Settings of the command line are part of the job") {
  job::TempFolder folder;
  const auto path = folder.write("job.yaml", good_job).string();
  CHECK(call({"check", path, "--set", "backend=cpu", "--set=memory.host=1GiB", "--set", "devices=[0, 1]"}).code == 0);
  CHECK(call({"check", path, "--backend", "cpu", "--set=memory.host=1GiB"}).code == 0);
  CHECK(call({"check", path, "--set=memory.host=1GiB", "--backend", "cpu"}).code == 0);
  const Ending ending = call({"check", "--set", "backend=gpu", path});
  CHECK(ending.code == 2);
  CHECK(holds(ending.err, "--set backend=gpu: 'backend' takes one of"));
}

TEST_CASE("Warnings go to standard error and change nothing") {
  job::TempFolder folder;
  const auto path = folder.write("job.yaml", good_job).string();
  const Ending ending = call({"check", path, "--set", "inputs.b={values: [1]}", "--quiet"});
  CHECK(ending.code == 0);
  CHECK(ending.err == "warning: --set inputs.b={values: [1]}: nothing reads the input 'b'\n");
}

TEST_CASE("A wrong command line ends with 2 and says what is wrong") {
  job::TempFolder folder;
  const auto path = folder.write("job.yaml", good_job).string();
  const std::vector<std::pair<std::vector<std::string>, std::string>> rows = {
      {{}, "name a command: check"},
      {{"chek", path}, "there is no command 'chek'; did you mean 'check'?"},
      {{"--quiet", "frobnicate"}, "there is no command 'frobnicate'; there are check"},
      {{"help"}, "there is no command 'help'; did you mean '--help'?"},
      {{"help", "check"}, "there is no command 'help'; did you mean '--help'?"},
      {{"--quite", "check", path}, "there is no option '--quite' before a command; did you mean '--quiet'?"},
      {{"--set", "backend=cpu", "check", path}, "options of a command stand behind it"},
      {{"check"}, "check: JOB is required; see `terrace check --help`"},
      {{"check", path, "more"}, "more; see `terrace check --help`"},
      {{"check", path, "--sett", "a=b"}, "; did you mean '--set'?"},
      {{"check", path, "--set"}, "--set"},
      {{"check", path, "--set", "backend"}, "a setting is key=value"},
      {{"check", path + ".none"}, "cannot read the job: No such file"},
      {{"check", folder.path().string()}, "this is a folder"},
      {{"check", path, "--log", path + "/log"}, "is no folder"},
      {{"check", path, "--log", path + ".none/log"}, ".none is no folder; make it first"},
      {{"check", path, "--log", folder.path().string()}, "is a folder"},
      {{"check", path, "--log", path}, "is there and is no log of Terrace"},
      {{"check", path, "--log", (folder.path() / "o.h5").string()}, "is the output of the job"},
      {{"check", path, "--backend", "gpu"},
       "'backend' takes one of auto, cuda, cpu, not 'gpu'; did you mean 'cuda'?"},
      {{"problems", "smith_waterma"}, "there is no problem 'smith_waterma'; did you mean 'smith_waterman'?"},
      {{"problems", "SMITH"}, "there is no problem 'SMITH'; did you mean 'smith_waterman'?"},
      {{"operators", "smith_waterman"},
       "no operator 'smith_waterman'; it is a problem: see `terrace problems smith_"},
      {{"operators", "xyzzy"}, "there is no operator 'xyzzy'; there are stencil, heat"},
      {{"devices", "cpu"}, "cpu"},
  };
  for (const auto& [arguments, fragment] : rows) {
    const Ending ending = call(arguments);
    INFO(fragment << " in " << ending.err);
    CHECK(ending.code == 2);
    CHECK(ending.out.empty());
    CHECK(holds(ending.err, fragment));
  }
}

TEST_CASE("Version and help are what was asked for") {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"--version"}, {"--help"}, {"check", "--help"}, {"problems", "-h"}}) {
    const Ending ending = call(arguments);
    CHECK(ending.code == 0);
    CHECK_FALSE(ending.out.empty());
    CHECK(ending.err.empty());
  }
  CHECK(call({"--version"}).out.starts_with("terrace " + run::version_text() + "\n"));
}

TEST_CASE("An unknown command is an error with --help, too") {
  const Ending plain = call({"foo"});
  CHECK(plain.code == 2);
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"foo", "--help"}, {"--help", "foo"}, {"foo", "-h"}, {"foo", "--version"}}) {
    const Ending ending = call(arguments);
    CHECK(ending.code == 2);
    CHECK(ending.out.empty());
    CHECK(ending.err == plain.err);
  }
  CHECK(call({"--help"}).code == 0);
  CHECK(call({"check", "--help"}).code == 0);
}

TEST_CASE("Problems are listed by stage and group, operators apart from them") {
  const std::string problems = call({"problems"}).out, operators = call({"operators"}).out;
  CHECK(holds(problems, "wavefront: tables whose cells need"));
  CHECK(holds(problems, "  sequences\n    smith_waterman  local alignment\n    dtw"));
  CHECK(holds(problems, "tally: a stage without problems\n"));
  CHECK_FALSE(holds(problems, "heat"));
  CHECK(holds(operators, "  heat     diffusion\n  average  mean of neighbours\n"));
  CHECK_FALSE(holds(operators, "smith_waterman"));
}

TEST_CASE("A program without operators has no command for them") {
  Stages stages;
  stages.add({job::test_wavefront(), make_checked_stage});
  const Ending ending = call({"operators"}, stages);
  CHECK(ending.code == 2);
  CHECK(holds(ending.err, "there is no command 'operators'"));
  CHECK_FALSE(holds(call({"--help"}, stages).out, "operators"));
  CHECK(holds(call({"--help"}).out, "operators"));
}

TEST_CASE("A problem is shown with its keys, defaults and datasets") {
  const std::string text = call({"problems", "smith_waterman"}).out;
  CHECK(holds(text, "smith_waterman: local alignment\n\n  wavefront: {problem: smith_waterman, ...}\n"));
  CHECK(holds(text, "\n  rows       input          required  the query ("));
  CHECK(holds(text, "\n  keep       word           score     what to keep (one of score, table, borders)\n"));
  CHECK(holds(text,
              "\n  schedule   word           auto      how blocks are swept (one of auto, square, hyperplane)\n"));
  CHECK(holds(text, "\n  table    rows x columns  keep: table  all scores\n"));
  CHECK_FALSE(holds(text, "window"));
  CHECK(holds(call({"problems", "tally"}).out, "machines"));
  CHECK(holds(call({"problems", "wavefront"}).out, "summed_area"));
  CHECK(holds(call({"operators", "heat"}).out, "stencil: {operator: heat, ...}"));
}

TEST_CASE("An operator is shown with the formula as it is computed") {
  const std::string text = call({"operators", "flow"}).out;
  CHECK(holds(text,
              "flow: matter that moves\n\n  stencil: {operator: flow, ...}\n\n"
              "  s = fma(w, x, s) for each direction\n  u + dt * s\n\n  key "));
  CHECK(holds(text, " of the matter (a number of at least 0 or the name of"));
  CHECK(holds(text, " where it moves (a list of lists of whole numbers"));
  CHECK(holds(text, " {value: 0}  beyond it (one of edge or {value: NUMBER}"));
  CHECK(holds(call({"operators", "heat"}).out, "  stencil: {operator: heat, ...}\n\n  key "));
  CHECK(holds(call({"operators", "--markdown"}).out,
              "`weights`, `directions`, `between`, `part`, `boundary` (fixed, periodic, edge), `rim` (edge)"));
}

TEST_CASE("Problems are shown as tables of Markdown") {
  const std::string text = call({"problems", "--markdown"}).out;
  CHECK(holds(text, "| problem | what it computes | keys | datasets |\n|---|---|---|---|\n"));
  CHECK(holds(text,
              "| `summed_area` | sums over rectangles | `schedule` (auto, square, hyperplane), `type`, `grid` | "
              "`table` |\n"));
}

TEST_CASE("The CPU is among the devices") {
  const Ending ending = call({"devices"});
  CHECK(ending.code == 0);
  CHECK(holds(ending.out, "\ncpu "));
}

TEST_CASE("The log file holds what standard error says, with times") {
  job::TempFolder folder;
  const auto log = folder.path() / "terrace.log";
  CHECK(call({"check", folder.path().string() + "/none", "--log", log.string()}).code == 2);
  std::ifstream file(log);
  std::string line;
  std::getline(file, line);
  CHECK(holds(line, " error "));
  CHECK(holds(line, "cannot read the job"));
  // An existing log is continued.
  CHECK(call({"check", folder.path().string() + "/none", "--log", log.string()}).code == 2);
  CHECK(read(log).starts_with(line));
  CHECK(read(log).size() == 2 * (line.size() + 1));
}

TEST_CASE("A log is never what a job is, reads or writes, and makes no folder") {
  job::TempFolder folder;
  const auto path = folder.write("job.yaml", good_job).string();
  const auto file = folder.write("a.txt", "1 2\n").string();
  const std::string job = "inputs: {a: {text: a.txt}}\n" + good_job.substr(good_job.find('\n') + 1);
  CHECK(call({"check", folder.write("reading.yaml", job).string(), "--log", file}).code == 2);
  CHECK(read(file) == "1 2\n");
  CHECK(call({"check", path, "--log", path}).code == 2);
  CHECK(read(path) == good_job);
  for (const char* name : {"o.h5", "new/log"}) {
    CHECK(call({"check", path, "--log", (folder.path() / name).string()}).code == 2);
    CHECK_FALSE(std::filesystem::exists(folder.path() / name));
  }
  CHECK_FALSE(std::filesystem::exists(folder.path() / "new"));
}

TEST_CASE("Standard output that cannot be written fails a command whose answer is lost") {
  const Stages stages = test_stages();
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"problems"}, {"--version"}, {"devices"}}) {
    std::ostringstream out, err;
    Session session(out, err, stages, io::input_kinds());
    out.setstate(std::ios::badbit);
    CHECK(run_program(arguments, session) == 1);
    CHECK(holds(err.str(), "standard output cannot be written"));
  }
}

TEST_CASE("A command's exception becomes its exit code and a message") {
  std::ostringstream out, err;
  const Stages stages;
  Session session(out, err, stages, {});
  const auto ends_with = [&](auto exception) {
    return run_command(session, [exception]() -> int { throw exception; });
  };
  CHECK(ends_with(JobError("wrong")) == 2);
  CHECK(ends_with(IoError("disk", "full")) == 1);
  CHECK(ends_with(Stopped("stopped")) == 75);
  CHECK(ends_with(std::bad_alloc()) == 1);
  CHECK(err.str().starts_with("wrong\nterrace: disk: full\nstopped\nterrace: out of memory"));
}

TEST_CASE("What the system refuses is said with what to do about it") {
  std::ostringstream out, err;
  const Stages stages;
  Session session(out, err, stages, {});
  const auto said = [&](auto exception) {
    err.str("");
    CHECK(run_command(session, [exception]() -> int { throw exception; }) == 1);
    return err.str();
  };
  using std::filesystem::filesystem_error;
  const auto code = [](std::errc number) { return std::make_error_code(number); };
  CHECK(said(filesystem_error("status", "/x/y", code(std::errc::permission_denied))) ==
        "terrace: /x/y: Permission denied; look at the permissions of the file and of the folders above it\n");
  CHECK(said(filesystem_error("status", "/x/y", code(std::errc::filename_too_long))) ==
        "terrace: /x/y: File name too long; take a shorter one\n");
  CHECK(said(filesystem_error("current path", code(std::errc::no_such_file_or_directory))) ==
        "terrace: the current folder: No such file or directory; change to one that is there\n");
  CHECK(holds(said(std::system_error(code(std::errc::resource_unavailable_try_again))),
              "terrace: the system starts no more threads: raise the limit of processes (ulimit -u)"));
}

}  // namespace
}  // namespace terrace::app
