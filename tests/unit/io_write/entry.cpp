// Names in folders that are held open: no link is followed, and nobody can put another file in their place.
#include "io/files/entry.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "io/files/run_lock.hpp"
#include "io/results/file.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/io_write/requests.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  const auto bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("no link in a held folder is followed, whatever opens or makes the file") {
  const test::TempFolder temporary;
  const fs::path victim = temporary / "victim", held_path = temporary / "held";
  write_file_durably(victim, "precious");
  fs::create_directory(held_path);
  const Folder held = Folder::open(held_path);
  for (const fs::path& target : {victim, temporary / "nothing"}) {
    fs::create_symlink(target, held_path / "file");
    const Entry file = held / "file";
    const auto check = [&](const std::string& said) {
      CHECK(said.find((held_path / "file").string() + ": is a link") == 0);
    };
    check(io_error_of([&] { open_file(file, O_RDWR | O_CREAT | O_TRUNC); }));
    check(io_error_of([&] { read_file(file); }));
    check(io_error_of([&] { RunLock lock(file); }));
    check(io_error_of([&] { BlockFile opened(file, BlockFile::Mode::create); }));
    check(io_error_of([&] { finish_result(file, {}); }));
    check(io_error_of([&] { save_metadata(file, {}, held / "copy"); }));
    CHECK(io_error_of([&] { Folder::open(file); }).find((held_path / "file").string()) == 0);
    CHECK(status_of(file).has_value());
    fs::remove(held_path / "file");
    CHECK(text_of(victim) == "precious");
    CHECK_FALSE(fs::exists(temporary / "nothing"));
  }
  // New files replace a link.
  fs::create_symlink(victim, held_path / "file");
  create_result(held / "file", {});
  fs::create_symlink(victim, held_path / "plan.new");
  write_file_durably(held / "plan", "new");
  CHECK(text_of(victim) == "precious");
  CHECK(fs::is_regular_file(fs::symlink_status(held_path / "file")));
  CHECK(text_of(held_path / "plan") == "new");
  fs::create_symlink(victim, held_path / "file.2");
  CHECK(remove_file(held / "file.2"));
  CHECK_FALSE(remove_file(held / "file.2"));
  CHECK(fs::exists(victim));
}

TEST_CASE("a pipe in a held folder is an error and not waited for") {
  const test::TempFolder folder;
  REQUIRE(mkfifo((folder / "file").c_str(), 0600) == 0);
  const Folder held = Folder::open(folder.path());
  CHECK(io_error_of([&] { read_file(held / "file"); }).find("is no regular file") != std::string::npos);
  CHECK_FALSE(io_error_of([&] { open_file(held / "file", O_WRONLY); }).empty());
}

TEST_CASE("a held folder stays the same when another takes its name") {
  const test::TempFolder temporary;
  const fs::path path = temporary / "a";
  fs::create_directory(path);
  const Folder held = Folder::open(path);
  CHECK(held.still_there());
  fs::rename(path, temporary / "moved");
  CHECK_FALSE(held.still_there());
  fs::create_directory(path);
  CHECK_FALSE(held.still_there());
  write_file_durably(held / "plan", "mine");
  rename_durably(held / "plan", held / "renamed");
  CHECK(fs::is_empty(path));
  CHECK(text_of(temporary / "moved" / "renamed") == "mine");
  CHECK(held.names() == std::vector<std::string>{"renamed"});
}

TEST_CASE("a folder that no descriptor is left for is an error that says so") {
  const test::TempFolder folder;
  write_file_durably(folder / "a", "bytes");
  const Folder held = Folder::open(folder.path());
  CHECK(held.names() == std::vector<std::string>{"a"});
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 0;
  std::string said;
  setrlimit(RLIMIT_NOFILE, &none);
  try {
    static_cast<void>(held.names());
  } catch (const IoError& error) {
    said = error.what();
  }
  setrlimit(RLIMIT_NOFILE, &before);
  CHECK_THAT(said, Catch::Contains(folder.path().string()) && Catch::Contains("cannot be listed") &&
                       Catch::Contains("Too many open files"));
}

TEST_CASE("a file is read and written on when another takes its name") {
  const test::TempFolder folder;
  BlockFile file(folder / "a", BlockFile::Mode::create);
  fs::rename(folder / "a", folder / "moved");
  write_file_durably(folder / "a", "another");
  const PageBuffer buffer(1 << 20);
  write_now(file, 0, buffer.data(), 1 << 20);  // past the page cache if possible
  file.drain();
  CHECK(text_of(folder / "a") == "another");
  CHECK(fs::file_size(folder / "moved") == 1 << 20);
}

TEST_CASE("a folder that is made is its user's alone") {
  const test::TempFolder folder;
  const Folder made = make_folder(folder / "run");
  CHECK((made.status().st_mode & 0777) == 0700);
  CHECK(make_folder(folder / "run").still_there());
  fs::create_directory_symlink(folder / "run", folder / "link");
  CHECK_FALSE(io_error_of([&] { make_folder(folder / "link"); }).empty());
}
