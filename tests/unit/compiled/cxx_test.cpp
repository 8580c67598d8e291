// The compiler of C++ that a run finds, and what becomes of one that fails or never ends.
#include "kernels/compiled/cxx.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kernels/compiled/shared_object.hpp"
#include "kernels/compiled/store.hpp"
#include "scripts.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/variable.hpp"

namespace terrace::compiled {
namespace {

using Catch::Contains;
using namespace std::chrono_literals;

TEST_CASE("the compiler of CXX comes first, then those in PATH by their names") {
  const test::TempFolder folder;
  const test::Variable path("PATH", folder.path().string());
  {
    const test::Variable none("CXX", " ");
    const CxxCompiler found = find_cxx();
    CHECK(found.command.empty());
    CHECK_THAT(found.why_none, Contains("PATH") && Contains("CXX is not set"));
    test::script(folder, "g++", "exit 1");
    CHECK(find_cxx().command == "g++");
    test::script(folder, "c++", "exit 1");
    CHECK(find_cxx().command == "c++");
  }
  const std::string own = test::script(folder, "own", "exit 1");
  CHECK(own.find(' ') == std::string::npos);
  const test::Variable named("CXX", own + " -v");
  CHECK(find_cxx().command == own + " -v");
  const test::Variable wrong("CXX", own + "s -v");
  CHECK(find_cxx().command.empty());
  CHECK(find_cxx().why_none == "CXX names " + own + "s, which is not there");
}

TEST_CASE("a source becomes functions, from the folder the second time") {
  const std::string command = find_cxx().command;
  if (command.empty()) {
    WARN("skipped: there is no compiler of C++");
    return;
  }
  const test::TempFolder folder;
  const io::Entry modules = folder / "modules";
  for (const char* given : {command.c_str(), ""}) {
    Store store(modules);
    const auto object = store.object(test::answer_source(), {given, "-O1 -fPIC"});
    const auto answer = reinterpret_cast<int (*)()>(reinterpret_cast<std::uintptr_t>(object->kernel(0)));
    CHECK(answer() == 42);
    CHECK(store.compilations().count == (*given != '\0' ? 1 : 0));
    CHECK(store.object(test::answer_source(), {"", "-O1 -fPIC"}) == object);
    CHECK_THROWS_AS(store.object(test::answer_source(), {"", "-O2 -fPIC"}), NotCompiled);
  }
}

TEST_CASE("different sources are compiled beside one another, and the same source once") {
  const test::TempFolder folder;
  Store store(folder / "modules");
  // It ends with an error that says if two of it ran at a time within 20 s.
  const std::string both = test::script(folder, "both",
                                        "touch $0.$$; n=0; while [ $n -lt 200 ]; do set -- $0.*; "
                                        "if [ $# -ge 2 ]; then echo two; exit 1; fi; sleep 0.1; n=$((n + 1)); done; "
                                        "echo alone; exit 1");
  std::vector<std::string> said(2);
  {
    std::vector<std::jthread> threads;
    for (std::size_t n = 0; n < said.size(); ++n) {
      threads.emplace_back([&, n] {
        try {
          store.object({"int answer() { return " + std::to_string(n) + "; }\n", {"answer"}}, {both, ""});
        } catch (const NotCompiled& error) {
          said[n] = error.what();
        }
      });
    }
  }
  for (const std::string& words : said) CHECK_THAT(words, Contains("two"));

  const std::string command = find_cxx().command;
  if (command.empty()) return;
  std::vector<std::shared_ptr<const SharedObject>> made(3);
  {
    std::vector<std::jthread> threads;
    for (auto& object : made) {
      threads.emplace_back([&] { object = store.object(test::answer_source(), {command, "-O1 -fPIC"}); });
    }
  }
  for (const auto& object : made) CHECK(object == made[0]);
  CHECK(store.compilations().count == 1);
}

TEST_CASE("a compiler that fails, says nothing, makes nothing or makes something else is an error with its words") {
  const test::TempFolder folder;
  Store store(folder / "modules");
  const auto says = [&](const std::string& name, const std::string& text, const std::string& words) {
    CHECK_THROWS_WITH(store.object(test::answer_source(), {test::script(folder, name, text), ""}), Contains(words));
  };
  says("telling", "echo first; echo 'x.cpp:1: error: second'; exit 1", "x.cpp:1: error: second");
  says("first", "echo first; echo second; exit 1", "first");
  says("silent", "exit 3", "silent: it failed");
  says("lazy", "exit 0", "lazy: it made no file");
  says("wrong", "while [ \"$1\" != -o ]; do shift; done; echo text > $2", "terrace.so");
  says("controls", "printf '\\033[31merror\\033[0m\\n'; exit 1", "?[31merror");
  CHECK_THROWS_AS(store.object(test::answer_source(), {(folder / "missing").string(), ""}), NotCompiled);
}

TEST_CASE("a compiler that does not end is ended, with what it started") {
  const test::TempFolder folder;
  const std::string hangs = test::script(folder, "hangs", "sleep 100 & sleep 100; echo $!");
  const auto begin = std::chrono::steady_clock::now();
  const BuiltObject built = build_shared_object({hangs}, "", {}, 200ms);
  CHECK(built.bytes.empty());
  CHECK_THAT(built.log, Contains("hangs: it did not end within 200 ms"));
  CHECK(std::chrono::steady_clock::now() - begin < 20s);
}

}  // namespace
}  // namespace terrace::compiled
