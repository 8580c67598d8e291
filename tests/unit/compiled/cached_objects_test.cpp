// Stores that share a cache: what one compiled the others take, and when they compile again.
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernels/compiled/binary_file.hpp"
#include "kernels/compiled/cxx.hpp"
#include "kernels/compiled/key.hpp"
#include "kernels/compiled/store.hpp"
#include "scripts.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/variable.hpp"

namespace terrace::compiled {
namespace {

namespace fs = std::filesystem;

/// A compiler that counts what it compiles, and runs with one cache.
class Runs {
 public:
  Runs() { set_compiler("version 1"); }

  /// False, after a line with the reason, if this machine has no compiler.
  static bool possible() {
    if (!find_cxx().command.empty()) return true;
    WARN("skipped: there is no compiler of C++");
    return false;
  }
  /// Another compiler takes the place of the one before. @param version nothing: it does not say one
  void set_compiler(const std::string& version) {
    const std::string say = version.empty() ? "exit 1" : "echo " + version + "; exit 0";
    test::script(folder_, "compiler",
                 "if [ \"$1\" = --version ]; then " + say + "; fi\necho >>" + (folder_ / "compiled").string() +
                     "\nexec " + find_cxx().command + " \"$@\"");
  }
  std::string compiler() const { return (folder_ / "compiler").string(); }
  fs::path cache() const { return folder_ / "cache"; }
  /// The only file of the cache.
  fs::path entry() const {
    std::vector<fs::path> files;
    for (const auto& file : fs::directory_iterator(cache())) files.push_back(file.path());
    REQUIRE(files.size() == 1);
    return files[0];
  }
  std::size_t compiled() const { return folder_.read("compiled").size(); }

  /// A run of its own, which compiles a function and calls it.
  int answer(const Source& source = test::answer_source(), const std::string& options = "-O1 -fPIC") {
    last_ = std::make_unique<Store>(io::Entry(folder_ / ("run" + std::to_string(runs_++))), Cache(cache()));
    return call(*last_->object(source, {compiler(), options}));
  }
  Store& last() { return *last_; }
  /// A run that goes on in the folder of the last one, without a compiler and a cache.
  int answer_again() {
    return call(*Store(io::Entry(folder_ / ("run" + std::to_string(runs_ - 1))))
                     .object(test::answer_source(), {"", "-O1 -fPIC"}));
  }

 private:
  static int call(const SharedObject& object) {
    return reinterpret_cast<int (*)()>(reinterpret_cast<std::uintptr_t>(object.kernel(0)))();
  }

  test::TempFolder folder_;
  std::unique_ptr<Store> last_;
  int runs_ = 0;
};

TEST_CASE("a later run takes what an earlier one has compiled, and goes on without the cache") {
  if (!Runs::possible()) return;
  Runs runs;
  CHECK(runs.answer() == 42);
  CHECK(runs.last().compilations().count == 1);
  CHECK(runs.last().compilations().from_cache == 0);
  CHECK(runs.answer() == 42);
  CHECK(runs.last().compilations().count == 0);
  CHECK(runs.last().compilations().seconds == 0);
  CHECK(runs.last().compilations().from_cache == 1);
  CHECK(runs.compiled() == 1);
  fs::remove_all(runs.cache());
  CHECK(runs.answer_again() == 42);
}

TEST_CASE("other sources, options, versions of the compiler and variables are compiled again") {
  if (!Runs::possible()) return;
  Runs runs;
  runs.answer();
  CHECK(runs.answer({"int answer() { return 43; }\n", {"answer"}}) == 43);
  CHECK(runs.compiled() == 2);
  runs.answer(test::answer_source(), "-O2 -fPIC");
  CHECK(runs.compiled() == 3);
  {
    const test::Variable folders("CPATH", "/nowhere");
    runs.answer();
    CHECK(runs.compiled() == 4);
  }
  runs.set_compiler("version 2");
  runs.answer();
  CHECK(runs.compiled() == 5);
  runs.answer();
  CHECK(runs.compiled() == 5);
}

TEST_CASE("what a compiler without a version makes is not shared") {
  if (!Runs::possible()) return;
  Runs runs;
  runs.set_compiler("");
  runs.answer();
  runs.answer();
  CHECK(runs.compiled() == 2);
  CHECK_FALSE(fs::exists(runs.cache()));
}

TEST_CASE("what was damaged is compiled again, and the next run takes that") {
  if (!Runs::possible()) return;
  Runs runs;
  runs.answer();
  fs::resize_file(runs.entry(), fs::file_size(runs.entry()) - 1);
  CHECK(runs.answer() == 42);
  CHECK(runs.compiled() == 2);
  CHECK(runs.answer() == 42);
  CHECK(runs.compiled() == 2);
}

TEST_CASE("what cannot be loaded on this machine is compiled again, and what does not compile is not kept") {
  if (!Runs::possible()) return;
  Runs runs;
  const std::string key = key_with(key_of(test::answer_source(), "-O1 -fPIC", "cpu"), cxx_build(runs.compiler()));
  Cache(runs.cache()).keep(key, {"a compiler", "no shared object", {"terrace_kernel_0"}});
  CHECK(runs.answer() == 42);
  CHECK(runs.last().compilations().from_cache == 0);
  CHECK(runs.compiled() == 1);
  CHECK(runs.answer() == 42);
  CHECK(runs.compiled() == 1);
  CHECK_THROWS_AS(runs.answer({"no C++\n", {"answer"}}), NotCompiled);
  runs.entry();
}

TEST_CASE("a cache that cannot be written to is no error") {
  if (!Runs::possible()) return;
  Runs runs;
  fs::create_directories(runs.cache());
  REQUIRE(::chmod(runs.cache().c_str(), 0777) == 0);
  CHECK(runs.answer() == 42);
  CHECK(runs.answer() == 42);
  CHECK(runs.compiled() == 2);
  CHECK(fs::is_empty(runs.cache()));
}

TEST_CASE("runs that begin at the same time all have what they need, and one file is kept") {
  if (!Runs::possible()) return;
  Runs runs;
  const test::TempFolder folders;
  std::vector<std::unique_ptr<Store>> stores;
  std::vector<std::shared_ptr<const SharedObject>> made(4);
  for (std::size_t n = 0; n < made.size(); ++n) {
    stores.push_back(std::make_unique<Store>(io::Entry(folders / std::to_string(n)), Cache(runs.cache())));
  }
  {
    std::vector<std::jthread> threads;
    for (std::size_t n = 0; n < made.size(); ++n) {
      threads.emplace_back([&, n] {
        made[n] = stores[n]->object(test::answer_source(), {runs.compiler(), "-O1 -fPIC"});
      });
    }
  }
  for (const auto& object : made) CHECK(object->kernels() == 1);
  runs.entry();
  CHECK(runs.answer() == 42);
  CHECK(runs.last().compilations().from_cache == 1);
}

}  // namespace
}  // namespace terrace::compiled
