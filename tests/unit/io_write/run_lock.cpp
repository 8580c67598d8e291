// The lock of a run's folder: one holder at a time, free when the holder is gone.
#include "io/files/run_lock.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <csignal>
#include <optional>
#include <thread>
#include <vector>

#include "tests/support/temp_folder.hpp"
#include "tests/unit/io_write/requests.hpp"

using namespace terrace;
using namespace terrace::io;

TEST_CASE("a second taker learns who holds the lock") {
  const test::TempFolder folder;
  const RunLock lock(folder / "lock");
  CHECK(lock.still_there());
  try {
    const RunLock second(folder / "lock");
    FAIL("two hold the lock");
  } catch (const LockHeld& held) {
    CHECK(held.holder().find("process " + std::to_string(getpid())) != std::string::npos);
    CHECK(held.holder().find("host ") == 0);
    CHECK(held.holder().find("since 20") != std::string::npos);
    CHECK(std::string(held.what()).find("lock") != std::string::npos);
  }
}

/// A process that holds the folder's lock until it is killed.
pid_t process_with_lock(const test::TempFolder& folder) {
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const RunLock lock(folder / "lock");
    const bool told = write(ready[1], "x", 1) == 1;
    pause();
    _exit(told);
  }
  char byte;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  for (const int descriptor : ready) close(descriptor);
  return holder;
}

TEST_CASE("the lock is free again when its holder is gone, even killed") {
  const test::TempFolder folder;
  { const RunLock lock(folder / "lock"); }
  { const RunLock again(folder / "lock"); }

  const pid_t child = process_with_lock(folder);
  CHECK_THROWS_AS(RunLock(folder / "lock"), LockHeld);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK_NOTHROW(RunLock(folder / "lock"));
}

TEST_CASE("the lock is free when its holder is killed, even while a child of the holder lives on") {
  const test::TempFolder folder;
  int ready[2], end[2];
  REQUIRE(pipe(ready) == 0);
  REQUIRE(pipe(end) == 0);
  const pid_t holder = fork();
  if (holder == 0) {
    const RunLock lock(folder / "lock");
    const bool child = fork() == 0;
    close(end[1]);
    char byte = child ? 'c' : 'h';
    if (write(ready[1], &byte, 1) != 1) _exit(1);
    // Nothing is written: the child reads until the test closes its end.
    _exit(read(end[0], &byte, 1) != 0);
  }
  char bytes[2];
  REQUIRE(read(ready[0], &bytes[0], 1) == 1);
  REQUIRE(read(ready[0], &bytes[1], 1) == 1);
  CHECK_THROWS_AS(RunLock(folder / "lock"), LockHeld);
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  CHECK_NOTHROW(RunLock(folder / "lock"));
  for (const int descriptor : {ready[0], ready[1], end[0], end[1]}) close(descriptor);
}

TEST_CASE("the lock stays with its process when it is looked at, asked for again, or a child ends") {
  const test::TempFolder folder;
  const auto is_free = [&] {
    const pid_t other = fork();
    if (other == 0) {
      // RunLock would not ask the kernel: a forked child knows the locks that its parent held.
      const int file = open((folder / "lock").c_str(), O_RDWR);
      struct flock wanted {};
      wanted.l_type = F_WRLCK;
      _exit(file >= 0 && fcntl(file, F_SETLK, &wanted) == 0 ? 1 : 0);
    }
    int status = 0;
    waitpid(other, &status, 0);
    return WEXITSTATUS(status) == 1;
  };
  {
    const RunLock lock(folder / "lock");
    CHECK_FALSE(is_free());
    const auto state = look_at_lock(folder / "lock");
    REQUIRE(state);
    CHECK(state->held);
    CHECK_FALSE(state->elsewhere);
    CHECK(state->holder.find("process " + std::to_string(getpid())) != std::string::npos);
    CHECK_FALSE(is_free());
    CHECK_THROWS_AS(RunLock(folder / "lock"), LockHeld);
    CHECK_FALSE(is_free());
  }
  CHECK(is_free());
  CHECK_FALSE(look_at_lock(folder / "lock")->held);
}

TEST_CASE("another process sees that the lock is held, and by whom") {
  const test::TempFolder folder;
  const pid_t holder = process_with_lock(folder);
  auto state = look_at_lock(folder / "lock");
  REQUIRE(state);
  CHECK(state->held);
  CHECK(state->holder.find("process " + std::to_string(holder)) != std::string::npos);
  kill(holder, SIGKILL);
  waitpid(holder, nullptr, 0);
  state = look_at_lock(folder / "lock");
  REQUIRE(state);
  CHECK_FALSE(state->held);
}

TEST_CASE("programs started under the lock do not hold it on") {
  const test::TempFolder folder;
  std::optional<RunLock> lock(std::in_place, folder / "lock");
  const pid_t child = fork();
  if (child == 0) {
    execl("/bin/sleep", "sleep", "60", nullptr);
    _exit(1);
  }
  // The descriptor is gone from the child as soon as it runs the program.
  lock.reset();
  bool free = false;
  for (int tries = 0; tries < 500 && !free; ++tries) {
    try {
      const RunLock again(folder / "lock");
      free = true;
    } catch (const LockHeld&) {
      usleep(10'000);
    }
  }
  CHECK(free);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST_CASE("a lock file that was removed or replaced is noticed") {
  const test::TempFolder folder;
  RunLock lock(folder / "lock");
  std::filesystem::remove(folder / "lock");
  CHECK_FALSE(lock.still_there());
  const RunLock other(folder / "lock");  // a new file: nobody holds it
  CHECK(other.still_there());
  CHECK_FALSE(lock.still_there());
}

TEST_CASE("of many who take and remove the lock file only one has it at a time") {
  const test::TempFolder folder;
  std::atomic<int> holders{0}, most{0}, taken{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int round = 0; round < 300; ++round) {
        try {
          RunLock lock(folder / "lock");
          const int now = ++holders;
          if (now > most) most = now;
          ++taken;
          --holders;
          lock.remove();
        } catch (const LockHeld&) {
          std::this_thread::yield();
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(most == 1);
  CHECK(taken > 0);
}

TEST_CASE("a folder that is missing is an error") {
  const test::TempFolder folder;
  CHECK_THROWS_AS(RunLock(folder / "none" / "lock"), IoError);
}
