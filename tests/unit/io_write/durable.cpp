// Durable small files, renames and folders; errors of full disks and limits.
#include "io/files/durable.hpp"

#include <dirent.h>
#include <dlfcn.h>
#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <csignal>

#include "io/results/file.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/io_write/requests.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

int names_before_failure = -1;  // names that readdir still gives; -1: all

}  // namespace

// In place of the C library's: the standard library lists folders by it.
extern "C" dirent* readdir(DIR* folder) {
  using Read = dirent* (*)(DIR*);
  static const Read read = reinterpret_cast<Read>(dlsym(RTLD_NEXT, "readdir"));
  if (names_before_failure < 0 || names_before_failure-- > 0) return read(folder);
  names_before_failure = 0;
  errno = EIO;
  return nullptr;
}

namespace {

std::string text_of(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// While it lives, files may have at most `bytes` bytes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit before_{};
  void (*handler_)(int);
};

}  // namespace

TEST_CASE("a file written durably holds its new bytes and leaves no temporary file") {
  const test::TempFolder folder;
  write_file_durably(folder / "plan", "first, and longer");
  CHECK(text_of(folder / "plan") == "first, and longer");
  write_file_durably(folder / "plan", "second");
  CHECK(text_of(folder / "plan") == "second");
  write_file_durably(folder / "plan", "");
  CHECK(text_of(folder / "plan").empty());
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("failures name the file") {
  const test::TempFolder folder;
  CHECK(io_error_of([&] { write_file_durably(folder / "none" / "plan", "x"); }).find("plan") != std::string::npos);
  CHECK(io_error_of([&] { read_file(folder / "none"); }).find("No such file") != std::string::npos);
  CHECK(io_error_of([&] { fsync_folder(folder / "none"); }).find("none") != std::string::npos);
  CHECK(io_error_of([&] { rename_durably(folder / "a", folder / "b"); }).find("renamed") != std::string::npos);
}

TEST_CASE("a rename replaces its target") {
  const test::TempFolder folder;
  write_file_durably(folder / "a", "new");
  write_file_durably(folder / "b", "old");
  rename_durably(folder / "a", folder / "b");
  CHECK(text_of(folder / "b") == "new");
  CHECK_FALSE(std::filesystem::exists(folder / "a"));
}

TEST_CASE("folders that are missing are made, and named outermost first") {
  const test::TempFolder folder;
  const auto deep = folder / "a" / "b" / "c";
  CHECK(make_folders(deep) == std::vector<std::filesystem::path>{folder / "a", folder / "a" / "b", deep});
  CHECK(std::filesystem::is_directory(deep));
  CHECK(make_folders(deep).empty());
  CHECK(make_folders(deep / "d" / "..").size() == 1);
  write_file_durably(folder / "file", "x");
  for (const char* wrong : {"file", "file/d"}) {
    CHECK_THROWS_WITH(make_folders(folder / wrong),
                      Catch::Contains((folder / "file").string() + "]") && Catch::Contains("Not a directory"));
  }
}

TEST_CASE("too little space is an error that names path, needed and free bytes") {
  const test::TempFolder folder;
  CHECK(free_space(folder.path()) > 0);
  CHECK(free_space(folder / "not yet") == Approx(static_cast<double>(free_space(folder.path()))).epsilon(0.1));
  CHECK_NOTHROW(check_free_space(folder.path(), 1));
  const std::string message = io_error_of([&] { check_free_space(folder / "a", std::int64_t{1} << 60); });
  CHECK(message.find((folder / "a").string()) == 0);
  CHECK(message.find("1152921504606846976") != std::string::npos);
  CHECK(message.find("free") != std::string::npos);
}

TEST_CASE("a limit of file sizes is an error that names it and says how to raise it") {
  const test::TempFolder folder;
  CHECK_NOTHROW(check_file_size(folder / "a", std::int64_t{1} << 50));
  write_file_durably(folder / "plan", "old");
  const FileSizeLimit limit(64 << 10);
  const std::string written = io_error_of([&] { write_file_durably(folder / "plan", std::string(200'000, 'x')); });
  CHECK(written.find((folder / "plan").string()) == 0);
  CHECK(written.find("File too large; files may have at most 64.0 KiB here: raise that (ulimit -f); the same command "
                     "then goes on") != std::string::npos);
  CHECK(text_of(folder / "plan") == "old");
  CHECK_NOTHROW(check_file_size(folder / "a", 64 << 10));
  const std::string needed = io_error_of([&] { check_file_size(folder / "a", 100'000); });
  CHECK(needed.find("is to have 100000 bytes (97.7 KiB): File too large; files may have at most 64.0 KiB here") !=
        std::string::npos);
  const std::string result = io_error_of([&] {
    create_result(folder / "r.h5", {{"/a", ElementType::f64, {100'000}, {"x"}, "", ""}});
  });
  CHECK(result.find((folder / "r.h5").string()) == 0);
  CHECK(result.find("File too large; files may have at most 64.0 KiB here") != std::string::npos);
  CHECK(result.find("errno") == std::string::npos);
}

TEST_CASE("a folder that cannot be listed to its end is an error that names it") {
  const test::TempFolder folder;
  write_file_durably(folder / "a", "1");
  write_file_durably(folder / "b", "2");
  CHECK(Folder::open(folder.path()).names() == std::vector<std::string>{"a", "b"});
  names_before_failure = 1;
  const std::string said = io_error_of([&] { Folder::open(folder.path()).names(); });
  names_before_failure = -1;
  CHECK(said == folder.path().string() + ": its files cannot be listed: Input/output error");
  CHECK(io_error_of([&] { Folder::open(folder / "a").names(); }).find((folder / "a").string()) == 0);
}

TEST_CASE("what a full disk asks for is said") {
  CHECK(system_words(ENOSPC) == "No space left on device; make room; the same command then goes on");
  CHECK(system_words(EDQUOT) == "Disk quota exceeded; make room in the quota; the same command then goes on");
  CHECK(system_words(EIO) == "Input/output error");
}
