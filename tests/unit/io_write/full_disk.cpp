// Writes to a full disk. Needs the right to mount; a file of its own, because a skipped test skips as a whole.
#include <catch2/catch.hpp>
#include <cstring>
#include <iostream>

#include "tests/support/small_disk.hpp"
#include "tests/unit/io_write/read_result.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

bool mounted(const test::SmallDisk& disk) {
  if (!disk.mounted()) std::cout << "SKIPPED: mounting a small file system is not allowed here\n";
  return disk.mounted();
}

}  // namespace

TEST_CASE("a full disk is an error of the request, whichever way it goes") {
  const test::SmallDisk disk(8 << 20);
  if (!mounted(disk)) return;
  BlockFile file(disk / "a", BlockFile::Mode::create);
  CHECK(io_error_of([&] { file.reserve(9 << 20); }).find("9437184") != std::string::npos);
  const PageBuffer buffer(16 << 20);
  std::memset(buffer.data(), 7, 16 << 20);
  const std::string direct = io_error_of([&] { write_now(file, 0, buffer.data(), 16 << 20); });
  CHECK(direct.find("No space left") != std::string::npos);
  CHECK(direct.find("byte ") != std::string::npos);
  const std::string unaligned = io_error_of([&] { write_now(file, 1, buffer.data(), (16 << 20) - 1); });
  CHECK(unaligned.find("No space left") != std::string::npos);
  const std::string rows = io_error_of([&] {
    const FileArray array{0, {16, 2 << 20}, 1};
    wait_for([&](auto done) { file.write_box(array, {{0, 0}, {16, 5000}}, buffer.data(), done); });
    wait_for([&](auto done) { file.write_box(array, {{0, 5000}, {16, (1 << 20)}}, buffer.data(), done); });
  });
  CHECK(rows.find("No space left") != std::string::npos);
  const std::string pages = io_error_of([&] {
    const FileArray array{0, {128, 1 << 18}, 1};
    const BoxPart left{{{0, 0}, {128, 1 << 16}}, buffer.data()}, right{{{0, 1 << 16}, {128, 1 << 17}}, buffer.data()};
    wait_for([&](auto done) { file.write_boxes(array, {left, right}, done); });
  });
  CHECK(pages.find("No space left") != std::string::npos);
}

TEST_CASE("a full disk while finishing is an error, and room made the finish succeeds") {
  const test::SmallDisk disk(3 << 20);
  if (!mounted(disk)) return;
  const auto result = disk / "result.h5", copy = disk / "metadata", ballast = disk / "ballast";
  const CreatedResult created = make_sample(result);
  save_metadata(result, extents_of(created), copy);
  { BlockFile(ballast, BlockFile::Mode::create).reserve(free_space(ballast) - 8192); }
  Finish finish = sample_finish();
  finish.small.push_back(small_text("/long", std::string(100'000, 'x')));
  CHECK(io_error_of([&] { finish_result(result, finish); }).find("result.h5") != std::string::npos);
  std::filesystem::remove(ballast);
  restore_metadata(result, copy);
  finish_result(result, finish);
  check_sample(result);
}

TEST_CASE("a durable write that does not fit keeps the old bytes") {
  const test::SmallDisk disk(64 << 10);
  if (!mounted(disk)) return;
  write_file_durably(disk / "plan", "old");
  const std::string large(200'000, 'x');
  CHECK(io_error_of([&] { write_file_durably(disk / "plan", large); }).find("No space left") != std::string::npos);
  CHECK(read_file(disk / "plan").size() == 3);
}
