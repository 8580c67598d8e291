// Identities of builds of libraries, programs and compilers.
#include "kernels/compiled/file_build.hpp"

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "kernels/compiled/cxx.hpp"
#include "scripts.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/variable.hpp"

namespace terrace::compiled {
namespace {

namespace fs = std::filesystem;

TEST_CASE("a file is told from another by its path, size and time") {
  const test::TempFolder folder;
  const fs::path file = folder.write("file", "12");
  const std::string build = file_build(file);
  CHECK(build.starts_with(file.string() + " 2 "));
  fs::create_symlink(file, folder / "link");
  CHECK(file_build(folder / "link") == build);
  fs::last_write_time(file, fs::last_write_time(file) + std::chrono::nanoseconds(1));
  CHECK(file_build(file) != build);
  CHECK(file_build(folder / "missing").empty());
}

TEST_CASE("a library that is loaded has the build ID of its linker, or its file") {
  void* mathematics = ::dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  void* own = ::dlopen("libc.so.6", RTLD_NOW | RTLD_LOCAL);
  REQUIRE((mathematics != nullptr && own != nullptr));
  CHECK_FALSE(library_build(mathematics).empty());
  CHECK(library_build(mathematics) != library_build(own));
  CHECK(library_build(own) == library_build(own));
  CHECK(library_build(nullptr).empty());
  ::dlclose(mathematics);
  ::dlclose(own);
}

TEST_CASE("a compiler of C++ is told from another by its command, version, file and variables") {
  const test::TempFolder folder;
  const std::string compiler = test::script(folder, "compiler", "echo version 1");
  const std::string build = cxx_build(compiler);
  CHECK(build.find("version 1") != build.npos);
  CHECK(cxx_build(compiler) == build);
  CHECK(cxx_build(compiler + " -O1") != build);
  {
    const test::Variable folders("CPATH", "/somewhere");
    CHECK(cxx_build(compiler) != build);
  }
  const auto time = fs::last_write_time(compiler);
  test::script(folder, "compiler", "echo version 2");
  fs::last_write_time(compiler, time);
  CHECK(cxx_build(compiler) != build);
  test::script(folder, "compiler", "echo version 1");
  fs::last_write_time(compiler, time + std::chrono::seconds(1));
  CHECK(cxx_build(compiler) != build);
  fs::last_write_time(compiler, time);
  CHECK(cxx_build(compiler) == build);
  CHECK(cxx_build(test::script(folder, "broken", "echo version 1; exit 1")).empty());
  CHECK(cxx_build(test::script(folder, "silent", "exit 0")).empty());
  CHECK(cxx_build((folder / "missing").string()).empty());
  CHECK(cxx_build("").empty());
}

}  // namespace
}  // namespace terrace::compiled
