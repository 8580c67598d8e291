#include "io/durable.hpp"

#include <catch2/catch.hpp>

#include "tests/support/temp_folder.hpp"
#include "tests/unit/io_write/requests.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

std::string text_of(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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
