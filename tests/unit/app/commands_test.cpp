// Whole command lines, with the tests' own stages and the program's own inputs.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>

#include "pipeline/app/program.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/job/yaml_settings.hpp"
#include "tests/unit/job/fixture.hpp"

namespace terrace::app {
namespace {

struct Ending {
  int code;
  std::string out, err;
};

/// The tests' stages, which are declared and never made.
Stages test_stages() {
  Stages stages;
  const job::StageTable table = job::test_table();
  for (const job::StageDeclaration& declaration : table.all()) stages.add({declaration, nullptr});
  return stages;
}

Ending call(const std::vector<std::string>& arguments) {
  std::ostringstream out, err;
  const Stages stages = test_stages();
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
      {{"check"}, "JOB is required"},
      {{"check", path, "more"}, "more"},
      {{"check", path, "--sett", "a=b"}, "--sett"},
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
  CHECK(call({"--version"}).out == "terrace " + version() + "\n");
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

TEST_CASE("A problem is shown with its keys, defaults and datasets") {
  const std::string text = call({"problems", "smith_waterman"}).out;
  CHECK(holds(text, "smith_waterman: local alignment\n\n  wavefront: {problem: smith_waterman, ...}\n"));
  CHECK(holds(text, "\n  rows       required  the query ("));
  CHECK(holds(text, "\n  keep       score     what to keep (one of score, table, borders)\n"));
  CHECK(holds(text, "\n  schedule   auto      how blocks are swept (one of auto, square, hyperplane)\n"));
  CHECK(holds(text, "\n  table    rows x columns  keep: table  all scores\n"));
  CHECK_FALSE(holds(text, "window"));
  CHECK(holds(call({"problems", "tally"}).out, "machines"));
  CHECK(holds(call({"problems", "wavefront"}).out, "summed_area"));
  CHECK(holds(call({"operators", "heat"}).out, "stencil: {operator: heat, ...}"));
}

TEST_CASE("Problems are shown as tables of Markdown for the README") {
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
  // A log that is there is gone on with.
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
