// The user's cache of compiled kernels: what is found, what is not, and what is removed.
#include "kernels/compiled/cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>
#include <vector>

#include "kernels/compiled/binary_file.hpp"
#include "kernels/compiled/key.hpp"
#include "pipeline/base/error.hpp"
#include "samples.hpp"
#include "tests/support/small_disk.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/variable.hpp"

namespace terrace::compiled {
namespace {

namespace fs = std::filesystem;

using Catch::Contains;

Binary binary_of(const std::string& bytes) { return {"a compiler", bytes, {"first", "second"}}; }

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

/// Sets the time of the last use of a key's file, in seconds since 1970.
void set_used(const fs::path& file, time_t seconds) {
  const std::array<timespec, 2> times{{{seconds, 0}, {seconds, 0}}};
  REQUIRE(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0) == 0);
}

std::size_t files_in(const fs::path& folder) {
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) files += entry.is_regular_file() ? 1 : 0;
  return files;
}

TEST_CASE("a cache gives the binary that was kept for a key, in folders and files of this user alone") {
  const test::TempFolder parent;
  const fs::path folder = parent / "user" / "compiled";
  const Cache cache(folder);
  CHECK_FALSE(cache.find("key"));
  CHECK_FALSE(fs::exists(folder));
  cache.keep("key", binary_of("code"));
  const auto found = Cache(folder).find("key");
  REQUIRE(found);
  CHECK(found->compiler == "a compiler");
  CHECK(found->bytes == "code");
  CHECK(found->symbols == std::vector<std::string>{"first", "second"});
  CHECK_FALSE(cache.find("another key"));
  CHECK(mode_of(folder) == 0700);
  CHECK(mode_of(folder / name_of("key")) == 0600);
  CHECK(files_in(folder) == 1);
  cache.keep("key", binary_of("newer code"));
  CHECK(cache.find("key")->bytes == "newer code");
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a cache without a folder keeps nothing") {
  const Cache none;
  CHECK_FALSE(none.is_used());
  none.keep("key", binary_of("code"));
  CHECK_FALSE(none.find("key"));
}

TEST_CASE("a file under a key's name that has another key in it is not taken") {
  const test::TempFolder folder;
  const Cache cache(folder.path());
  cache.keep("key", binary_of("code"));
  fs::rename(folder / name_of("key"), folder / name_of("other"));
  CHECK_FALSE(cache.find("other"));
}

TEST_CASE("a damaged or short file is not taken, and is replaced") {
  const test::TempFolder folder;
  const Cache cache(folder.path());
  cache.keep("key", binary_of("code"));
  const std::string whole = folder.read(name_of("key"));
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 1 << at % 8);
    folder.write(name_of("key"), flipped);
    CHECK_FALSE(cache.find("key"));
    folder.write(name_of("key"), whole.substr(0, at));
    CHECK_FALSE(cache.find("key"));
  }
  cache.keep("key", binary_of("code"));
  CHECK(cache.find("key"));
}

TEST_CASE("what others may write to, and links, are not used") {
  const test::TempFolder parent;
  const fs::path folder = parent / "compiled", file = folder / name_of("key");
  const Cache cache(folder);
  cache.keep("key", binary_of("code"));
  REQUIRE(cache.find("key"));
  for (const mode_t mode : {0620, 0602}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    CHECK_FALSE(cache.find("key"));
  }
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
  for (const mode_t mode : {0720, 0702}) {
    REQUIRE(::chmod(folder.c_str(), mode) == 0);
    CHECK_FALSE(cache.find("key"));
    cache.keep("second", binary_of("code"));
    CHECK(files_in(folder) == 1);
  }
  REQUIRE(::chmod(folder.c_str(), 0700) == 0);
  REQUIRE(cache.find("key"));

  fs::rename(file, parent / "elsewhere");
  fs::create_symlink(parent / "elsewhere", file);
  CHECK_FALSE(cache.find("key"));
  fs::remove(file);
  fs::rename(parent / "elsewhere", file);
  fs::rename(folder, parent / "moved");
  fs::create_directory_symlink(parent / "moved", folder);
  CHECK_FALSE(cache.find("key"));
  CHECK(Cache(parent / "moved").find("key"));
}

TEST_CASE("folders and files of another user are not used") {
  if (::geteuid() != 0) {
    WARN("skipped: this test needs the rights of root");
    return;
  }
  const test::TempFolder parent;
  const fs::path folder = parent / "compiled", file = folder / name_of("key");
  const Cache cache(folder);
  cache.keep("key", binary_of("code"));
  REQUIRE(::chown(file.c_str(), 65534, 65534) == 0);
  CHECK_FALSE(cache.find("key"));
  REQUIRE(::chown(file.c_str(), 0, 0) == 0);
  REQUIRE(::chown(folder.c_str(), 65534, 65534) == 0);
  CHECK_FALSE(cache.find("key"));
  cache.keep("second", binary_of("code"));
  CHECK(files_in(folder) == 1);
}

TEST_CASE("a folder that cannot be made or written to, and a full disk, are no error") {
  const test::TempFolder parent;
  const Cache behind_a_file(parent.write("file", "") / "compiled");
  behind_a_file.keep("key", binary_of("code"));
  CHECK_FALSE(behind_a_file.find("key"));
  const Cache a_file(parent / "file");
  a_file.keep("key", binary_of("code"));
  CHECK_FALSE(a_file.find("key"));
  const fs::path folder = parent / "compiled";
  fs::create_directories(folder / name_of("key"));  // a folder has the name of the file
  const Cache taken(folder);
  taken.keep("key", binary_of("code"));
  CHECK_FALSE(taken.find("key"));
  CHECK(files_in(folder) == 0);

  const test::SmallDisk disk(64 << 10);
  if (!disk.mounted()) return;
  const Cache small(disk / "compiled");
  small.keep("first", binary_of("code"));
  small.keep("second", binary_of(std::string(1 << 20, 'x')));
  CHECK(small.find("first"));
  CHECK_FALSE(small.find("second"));
  CHECK(files_in(disk / "compiled") == 1);
}

TEST_CASE("the files that were used least recently make room, and files of others stay") {
  const test::TempFolder folder;
  const std::string code(1000, 'x');
  const auto bytes = static_cast<std::int64_t>(content_of("key 0", binary_of(code)).size());
  const Cache cache(folder.path(), 3 * bytes + bytes / 2);
  folder.write("a file of the user", std::string(5000, 'x'));
  for (int number = 0; number < 3; ++number) {
    cache.keep("key " + std::to_string(number), binary_of(code));
    set_used(folder / name_of("key " + std::to_string(number)), 1000 + number);
  }
  CHECK(cache.find("key 0"));  // now it is the one that was used last
  cache.keep("key 3", binary_of(code));
  CHECK(cache.find("key 0"));
  CHECK_FALSE(cache.find("key 1"));
  CHECK(cache.find("key 2"));
  CHECK(cache.find("key 3"));
  CHECK(fs::exists(folder / "a file of the user"));

  // Files that a killed process has left go, too.
  const std::string left = name_of("key 4") + ".123.456.new";
  set_used(folder.write(left, code), 1);
  cache.keep("key 4", binary_of(code));
  CHECK_FALSE(fs::exists(folder / left));

  cache.keep("large", binary_of(std::string(static_cast<std::size_t>(4 * bytes), 'x')));
  CHECK_FALSE(cache.find("large"));
  CHECK(cache.find("key 4"));
}

TEST_CASE("threads and processes that keep and find at once see whole binaries") {
  const test::TempFolder folder;
  const auto bytes_of = [](int number) { return std::string(20000, static_cast<char>('a' + number)); };
  const auto entry = static_cast<std::int64_t>(content_of("key 0", binary_of(bytes_of(0))).size());
  const auto work = [&] {
    const Cache cache(folder.path(), 3 * entry);  // room for three of four
    int wrong = 0;
    for (int round = 0; round < 200; ++round) {
      const int number = round % 4;
      const std::string key = "key " + std::to_string(number);
      if (const auto found = cache.find(key)) wrong += found->bytes == bytes_of(number) ? 0 : 1;
      else cache.keep(key, binary_of(bytes_of(number)));
    }
    return wrong;
  };
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  REQUIRE(child > 0);
  std::array<int, 2> wrong{};
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong) threads.emplace_back([&] { count = work(); });
  }
  int status = -1;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(wrong == std::array{0, 0});
  Cache(folder.path()).keep("last", binary_of("code"));
  CHECK(Cache(folder.path()).find("last"));
  for (const auto& file : fs::directory_iterator(folder.path())) CHECK(file.path().extension() != ".new");
}

TEST_CASE("the user's cache is in the cache folder, unless a variable says off") {
  const test::TempFolder folder;
  const test::Variable place("XDG_CACHE_HOME", folder.path().string());
  {
    const test::Variable said("TERRACE_COMPILED_CACHE", "on");
    user_cache().keep("key", binary_of("code"));
    CHECK(fs::exists(folder / "terrace" / "compiled" / name_of("key")));
    const test::Variable nowhere("XDG_CACHE_HOME", ""), no_home("HOME", "");
    CHECK_FALSE(user_cache().is_used());
  }
  {
    const test::Variable said("TERRACE_COMPILED_CACHE", "off");
    CHECK_FALSE(user_cache().is_used());
  }
  {
    const test::Variable said("TERRACE_COMPILED_CACHE", "");
    CHECK(user_cache().is_used());
    CHECK(fault_of_cache_variable().empty());
  }
  const test::Variable said("TERRACE_COMPILED_CACHE", "none");
  CHECK_FALSE(user_cache().is_used());
  CHECK_THAT(fault_of_cache_variable(),
             Contains("TERRACE_COMPILED_CACHE in the environment is 'none'") && Contains("neither on nor off"));
}

TEST_CASE("each part of a source, the options, the architecture and the compiler's build change the key") {
  const Source source = test::step_source();
  const std::string key = key_of(source, "options", "sm_90");
  CHECK(key_of(source, "options", "sm_90") == key);
  std::vector<std::string> keys{key, key_of(source, "options ", "sm_90"), key_of(source, "options", "sm_100"),
                                key_of(source, "optionss", "m_90")};
  Source other = source;
  other.text += " ";
  keys.push_back(key_of(other, "options", "sm_90"));
  other = source;
  other.kernels.push_back("another");
  keys.push_back(key_of(other, "options", "sm_90"));
  other.kernels = {"another", source.kernels[0]};
  keys.push_back(key_of(other, "options", "sm_90"));
  for (const char* build : {"", "a", "b"}) keys.push_back(key_with(key, build));
  for (std::size_t a = 0; a < keys.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) CHECK((keys[a] != keys[b] && name_of(keys[a]) != name_of(keys[b])));
  }
  // The texts of headers stand in it, with those that they include.
  CHECK_THAT(key, Contains("kernels/device/host_device.hpp") && Contains("The one macro for functions"));
  CHECK(is_name_of_key(name_of(key)));
}

}  // namespace
}  // namespace terrace::compiled
