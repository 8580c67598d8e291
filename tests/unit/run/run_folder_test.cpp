// The folder of a run: only files of the run are made and removed, wishes to start over.
#include "pipeline/run/run_folder.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>

#include "pipeline/run/folder/scratch_files.hpp"
#include "tests/support/temp_folder.hpp"

using namespace terrace;
using run::RunFolder;

namespace fs = std::filesystem;

namespace {

const std::string id = "0123456789abcdef";

nlohmann::json plan_of(const std::string& run, const std::vector<std::string>& scratch) {
  nlohmann::json plan{{"run", run}, {"scratch", nlohmann::json::array()}};
  for (const std::string& path : scratch) plan["scratch"].push_back({{"path", path}});
  return plan;
}

}  // namespace

TEST_CASE("of the files that a plan names only those that its run has made are removed") {
  const test::TempFolder folder;
  const fs::path run_path = folder / "out.h5.run";
  const io::Folder here = io::Folder::open(folder.path());
  const auto write = [&](const std::string& name) {
    io::write_file_durably(folder / name, "precious");
    return (folder / name).string();
  };
  const std::vector<std::string> kept{write("notes"), write(id + "-notes"), write("fedcba9876543210-s-a")};
  REQUIRE(run::make_scratch_file(here / ("fedcba9876543210-s-b"), "fedcba9876543210"));
  fs::create_symlink(kept[0], folder / (id + "-link"));
  REQUIRE(run::make_scratch_file(here / (id + "-linked"), id));
  fs::create_hard_link(folder / (id + "-linked"), folder / "second");
  std::vector<std::string> planted = kept;
  for (const char* name : {"-link", "-linked"}) planted.push_back((folder / (id + name)).string());
  for (const char* name : {"../notes", "../.", "..", "/", "", "fedcba9876543210-s-b"}) planted.push_back(name);
  planted.push_back((folder / "fedcba9876543210-s-b").string());
  REQUIRE(run::make_scratch_file(here / (id + "-s-a"), id));
  io::write_file_durably(folder / (id + "-s-empty"), "");
  std::vector<std::string> all = planted;
  for (const char* name : {"-s-a", "-s-empty"}) all.push_back((folder / (id + name)).string());
  RunFolder(folder / "out.h5").begin(plan_of(id, all));

  RunFolder(folder / "out.h5").clear();
  for (const std::string& path : kept) CHECK(fs::file_size(path) == 8);
  for (const char* name : {"-link", "-linked"}) CHECK(fs::exists(fs::symlink_status(folder / (id + name))));
  CHECK(fs::exists(folder / "second"));
  CHECK(fs::exists(folder / "fedcba9876543210-s-b"));
  CHECK_FALSE(fs::exists(folder / (id + "-s-a")));
  CHECK_FALSE(fs::exists(folder / (id + "-s-empty")));
  CHECK_FALSE(fs::exists(run_path));
}

TEST_CASE("a plan whose run has no proper id names nothing to remove") {
  const test::TempFolder folder;
  for (const std::string& run : {std::string(), std::string("notes"), std::string(16, '.')}) {
    io::write_file_durably(folder / (run + "-a"), "");
    RunFolder(folder / "out.h5").begin(plan_of(run, {(folder / (run + "-a")).string()}));
    RunFolder(folder / "out.h5").clear();
    CHECK(fs::exists(folder / (run + "-a")));
  }
}

TEST_CASE("a scratch file is made exclusively, and only its own run takes it again") {
  const test::TempFolder folder;
  const io::Folder here = io::Folder::open(folder.path());
  const io::Entry file = here / (id + "-s-a");
  CHECK(run::make_scratch_file(file, id));
  CHECK(((*io::status_of(file)).st_mode & 0777) == 0600);
  CHECK_FALSE(run::make_scratch_file(file, id));
  CHECK_THROWS_WITH(run::make_scratch_file(file, "fedcba9876543210"), Catch::Contains("was not made by this run"));
  io::write_file_durably(file, "");
  CHECK_FALSE(run::make_scratch_file(file, id));  // as a stop leaves it between two steps
  CHECK_THROWS_AS(run::make_scratch_file(file, "fedcba9876543210"), IoError);
}

TEST_CASE("a run that begins nothing leaves the folders as they were") {
  const test::TempFolder folder;
  { const RunFolder run(folder / "a" / "b" / "out.h5"); }
  CHECK(fs::is_empty(folder.path()));
  fs::create_directory(folder / "a");
  { const RunFolder run(folder / "a" / "b" / "out.h5"); }
  CHECK(fs::exists(folder / "a"));
  CHECK(fs::is_empty(folder / "a"));
  fs::create_directory(folder / "out.h5.run");
  fs::permissions(folder / "out.h5.run", fs::perms::owner_all);
  io::write_file_durably(folder / "out.h5.run" / "result.h5", "debris");
  { const RunFolder run(folder / "out.h5"); }
  CHECK(fs::exists(folder / "out.h5.run" / "result.h5"));
  RunFolder(folder / "out.h5").clear();
  CHECK_FALSE(fs::exists(folder / "out.h5.run"));
}

TEST_CASE("a wish to start over stays until there is a plan that says so, or it is forgotten") {
  const test::TempFolder folder;
  const fs::path output = folder / "out.h5";
  io::write_file_durably(output, "result");
  const auto state = io::file_state(output);
  RunFolder(output).note_wish({{"all", false}}, state);
  {
    RunFolder run(output);
    REQUIRE(run.wish());
    CHECK(run.wish()->at("all") == false);
    CHECK(run.may_replace(*run.wish()));
    CHECK_FALSE(run.plan());
    io::write_file_durably(run.result(), "debris");
    run.start_over(true, state);
    CHECK_FALSE(fs::exists(run.result().path()));
  }
  {
    RunFolder run(output);
    REQUIRE(run.wish());  // start_over() alone is no plan
    run.start_over(true, state);
    run.begin(plan_of(id, {}));
    CHECK_FALSE(run.wish());
    CHECK(RunFolder::is_fresh(*run.plan()));
    run.note_wish({{"all", true}}, state);
    run.resume(*run.plan(), state);
    CHECK_FALSE(run.wish());
    run.note_wish({{"all", true}}, state);
    run.forget_wish();
  }
  CHECK(RunFolder(output).plan());
  RunFolder(output).clear();
  CHECK_FALSE(fs::exists(RunFolder::path_for(output)));

  RunFolder(output).note_wish({{"all", false}}, std::nullopt);
  {
    RunFolder run(output);
    CHECK_FALSE(run.may_replace(*run.wish()));
    run.forget_wish();
  }
  CHECK_FALSE(fs::exists(RunFolder::path_for(output)));

  RunFolder(output).note_wish({{"all", false}}, state);
  io::write_file_durably(RunFolder::path_for(output) / "fresh.json", "{");
  CHECK_THROWS_WITH(RunFolder(output).wish(), Catch::Contains("fresh.json: is damaged"));
  RunFolder(output).start_over(false, state);
  CHECK_FALSE(fs::exists(RunFolder::path_for(output)));
}
