#include "kernels/compiled/store.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "pipeline/base/error.hpp"
#include "samples.hpp"
#include "tests/support/cuda_device.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/variable.hpp"

namespace terrace::compiled {
namespace {

namespace fs = std::filesystem;

using Catch::Contains;

/// The file of the only binary.
fs::path only_file(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  REQUIRE(files.size() == 1);
  return files[0];
}

TEST_CASE("what a store compiled is in its folder, for other stores too, unless it is damaged") {
  if (!test::has_compiler()) return;
  const test::TempFolder parent;
  const fs::path folder = parent / "modules";
  Store store{folder};
  CHECK_FALSE(fs::exists(folder));
  const Binary binary = store.binary(test::small_source(1), "sm_90");
  CHECK(store.binary(test::small_source(1), "sm_90").bytes == binary.bytes);
  CHECK(store.compilations().count == 1);
  CHECK(store.compilations().seconds > 0);

  Store another{folder};
  CHECK(another.binary(test::small_source(1), "sm_90").symbols == binary.symbols);
  CHECK(another.compilations().count == 0);

  const fs::path file = only_file(folder);
  fs::resize_file(file, fs::file_size(file) - 1);
  CHECK(another.binary(test::small_source(1), "sm_90").symbols == binary.symbols);
  CHECK(another.compilations().count == 1);
  CHECK(only_file(folder) == file);
  CHECK(Store(folder).binary(test::small_source(1), "sm_90").compiler == binary.compiler);

  // Every other part of its name counts.
  another.binary(test::small_source(2), "sm_90");
  another.binary(test::small_source(1), "sm_80");
  CHECK(another.compilations().count == 3);
}

TEST_CASE("another run takes from the cache what one has compiled, if it has the same compiler") {
  if (!test::has_compiler()) return;
  const test::TempFolder parent;
  const Cache cache(parent / "cache");
  CHECK_FALSE(Compiler::build().empty());
  const auto binary = [&](const std::string& run, const std::string& architecture, int compiled, int from_cache) {
    Store store(parent / run, cache);
    const Binary made = store.binary(test::small_source(1), architecture);
    CHECK(store.compilations().count == compiled);
    CHECK(store.compilations().from_cache == from_cache);
    CHECK(fs::exists(only_file(parent / run)));
    return made;
  };
  const Binary first = binary("first", "sm_90", 1, 0), second = binary("second", "sm_90", 0, 1);
  CHECK(first.bytes == second.bytes);
  CHECK(first.symbols == second.symbols);
  binary("older", "sm_80", 1, 0);
  const test::Variable flags("NVRTC_APPEND_FLAGS", "--maxrregcount=64"), folders("CPATH", "/nowhere");
  binary("third", "sm_90", 1, 0);
}

TEST_CASE("a folder that cannot be made is an error that names it") {
  if (!test::has_compiler()) return;
  const test::TempFolder parent;
  const fs::path file = parent.write("file", "");
  CHECK_THROWS_WITH(Store(file / "modules").binary(test::small_source(1), "sm_90"),
                    Contains((file / "modules").string()));
}

TEST_CASE("a full disk is an error that names the file, and the next store compiles again") {
  const test::SmallDisk disk(64 << 10);
  if (!disk.mounted() || !test::has_compiler()) return;
  std::ofstream filler(disk / "filler");
  filler << std::string(64 << 10, 'x') << std::flush;
  const fs::path folder = disk / "modules";
  CHECK_THROWS_WITH(Store(folder).binary(test::small_source(1), "sm_90"), Contains(folder.string()));
  filler.close();
  fs::remove(disk / "filler");
  Store store{folder};
  store.binary(test::small_source(1), "sm_90");
  CHECK(store.compilations().count == 1);
}

TEST_CASE("of threads that ask for the same kernels at once, one compiles, and all have the same module") {
  const std::unique_ptr<device::Context> context = test::cuda_context();
  if (!context || !test::has_compiler()) return;
  const test::TempFolder parent;
  Store store{parent / "modules"};
  std::vector<std::shared_ptr<const Module>> modules(4);
  std::vector<std::thread> threads;
  for (auto& module : modules) {
    threads.emplace_back([&] { module = store.module(test::small_source(1), *context); });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(store.compilations().count == 1);
  for (const auto& module : modules) CHECK(module == modules[0]);
  CHECK(modules[0]->kernels() == 1);
  CHECK(modules[0]->kernel(0) != nullptr);
}

}  // namespace
}  // namespace terrace::compiled
