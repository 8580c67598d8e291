// Result files: made at full size, finished, interrupted at any moment and put back.
#include "io/results/file.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <random>
#include <thread>

#include "io/results/verify_checksums.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/io_write/read_result.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

/// Runs `work` in a child process and kills it after `delay`. @return true if it had ended before
template <class Work>
bool run_and_kill(std::chrono::microseconds delay, Work&& work) {
  const pid_t child = fork();
  if (child == 0) {
    try {
      work();
    } catch (...) {
      _exit(1);
    }
    _exit(0);
  }
  std::this_thread::sleep_for(delay);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

TEST_CASE("a finished result holds what was written in place and what was added") {
  const test::TempFolder folder;
  const CreatedResult created = make_sample(folder / "result.h5");
  REQUIRE(created.extents.size() == 3);
  CHECK(created.extents[0]->offset % 4096 == 0);
  CHECK(created.extents[1]->offset % 4096 == 0);
  CHECK(created.extents[0]->bytes == 300 * 1000 * 4);
  CHECK_FALSE(created.extents[2].has_value());
  finish_result(folder / "result.h5", sample_finish());
  check_sample(folder / "result.h5");
}

TEST_CASE("large datasets are made sparse and the file opens before anything is written") {
  const test::TempFolder folder;
  const std::vector<DatasetSpec> large{{"/a/b/c", ElementType::u16, {1 << 20, 1 << 20}, {"row", "column"}, "", ""}};
  const CreatedResult created = create_result(folder / "r.h5", large);
  CHECK(created.length > std::int64_t{1} << 41);
  CHECK(H5Lexists(open_result(folder / "r.h5").get(), "/a/b/c", H5P_DEFAULT) > 0);
  Finish finish;
  finish.large = large;
  finish.tiles = {{large[0].shape, {0}}};
  finish_result(folder / "r.h5", finish);
  CHECK(std::filesystem::file_size(folder / "r.h5") < static_cast<std::uintmax_t>(created.length) + (1 << 20));
}

TEST_CASE("a long dimension costs nothing and a result may have no large dataset at all") {
  const test::TempFolder folder;
  CHECK(create_result(folder / "r.h5", {}).extents.empty());
  Finish finish;
  finish.large = {{"/s/nothing", ElementType::i32, {0, 3000000000}, {"none", "long"}, "", ""}};
  finish.tiles = {{{1, 1}, {}}};
  finish_result(folder / "r.h5", finish);
  CHECK(std::filesystem::file_size(folder / "r.h5") < 100000);
}

TEST_CASE("after any interruption the metadata is put back and the finish succeeds") {
  const test::TempFolder folder;
  const auto result = folder / "result.h5", copy = folder / "metadata";
  const CreatedResult created = make_sample(result);
  save_metadata(result, extents_of(created), copy);
  CHECK(std::filesystem::file_size(copy) < 64 * 1024);

  const auto start = std::chrono::steady_clock::now();
  finish_result(result, sample_finish());
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  std::mt19937 random(7);
  int killed = 0;
  // The longest delay follows the machine's pace: about half of the rounds are killed, under any other load.
  std::int64_t longest = whole.count() * 3 / 2;
  for (int round = 0; round < 60; ++round) {
    restore_metadata(result, copy);
    REQUIRE(std::filesystem::file_size(result) == static_cast<std::uintmax_t>(created.length));
    const std::chrono::microseconds delay(random() % static_cast<std::uint64_t>(longest));
    const bool ended = run_and_kill(delay, [&] { finish_result(result, sample_finish()); });
    killed += !ended;
    longest = ended ? longest * 2 / 3 + 1 : longest * 3 / 2;
    if (round % 3 == 0)
      run_and_kill(std::chrono::microseconds(random() % 500), [&] { restore_metadata(result, copy); });
    restore_metadata(result, copy);
    finish_result(result, sample_finish());
    check_sample(result);
  }
  CHECK(killed > 10);
}

TEST_CASE("large datasets may end sooner than was reserved, until the metadata is put back") {
  const test::TempFolder folder;
  const std::filesystem::path result = folder / "result.h5", copy = folder / "copy";
  const auto blocks_of = [&] {
    struct stat status {};
    REQUIRE(stat(result.c_str(), &status) == 0);
    return status.st_blocks;
  };
  const CreatedResult created = make_sample(result);
  save_metadata(result, extents_of(created), copy);
  const std::pair<std::int64_t, std::int64_t> lengths[] = {{300, 64}, {150, 7}, {150, 1}, {1, 1}};
  for (const auto& [table_rows, rows] : lengths) {
    Finish finish = sample_finish();
    finish.large[0].shape = {table_rows, 1000};
    finish.tiles[0] = tiles_of_counting<std::int32_t>({table_rows, 1000}, {100, 300});
    finish.large[1].shape = {rows, 33, 7};
    finish.tiles[1] = tiles_of_counting<double>({rows, 33, 7}, {20, 33, 4});
    const auto before = blocks_of();
    finish_result(result, finish);
    if (rows == 7) CHECK(blocks_of() < before - 1000);  // 600 of 1200 kB of the table, in units of 512 B
    {
      const Hdf5Handle file = open_result(result);
      CHECK(read_dataset<std::int32_t>(file, "/align/table", H5T_NATIVE_INT32) ==
            counting<std::int32_t>({table_rows, 1000}));
      CHECK(read_dataset<double>(file, "/heat/grid", H5T_NATIVE_DOUBLE) == counting<double>({rows, 33, 7}));
      const Hdf5Handle grid(H5Dopen2(file.get(), "/heat/grid", H5P_DEFAULT), "/heat/grid", "cannot be opened");
      CHECK(H5DSget_num_scales(grid.get(), 0) == 1);
      CHECK(H5Dget_storage_size(grid.get()) == static_cast<hsize_t>(rows * 33 * 7 * 8));
    }
    CHECK(verify_checksums(result).findings.empty());
    restore_metadata(result, copy);
  }
  Finish longer = sample_finish();
  longer.large[1].shape = {65, 33, 7};
  longer.tiles[1] = tiles_of_counting<double>({65, 33, 7}, {20, 33, 4});
  CHECK_THROWS_WITH(finish_result(result, longer),
                    Catch::Contains("/heat/grid: is 64 x 33 x 7 and cannot be made 65"));
}

TEST_CASE("every torn state of the metadata is put back") {
  const test::TempFolder folder;
  const auto result = folder / "result.h5", copy = folder / "metadata";
  const CreatedResult created = make_sample(result);
  const auto before = read_file(result);
  save_metadata(result, extents_of(created), copy);
  finish_result(result, sample_finish());
  const auto after = read_file(result);
  REQUIRE(after.size() > before.size());
  std::mt19937 random(11);
  for (int round = 0; round < 20; ++round) {
    // Any mixture of old and new bytes, of any length between.
    auto torn = after;
    for (std::size_t at = 0; at < before.size(); at += 512) {
      const std::size_t count = std::min<std::size_t>(512, before.size() - at);
      if (random() % 2) std::memcpy(torn.data() + at, before.data() + at, count);
    }
    torn.resize(before.size() + random() % (after.size() - before.size()));
    write_file_durably(result, torn);
    restore_metadata(result, copy);
    REQUIRE(read_file(result) == before);
  }
}

TEST_CASE("a damaged copy and a file that became shorter are refused") {
  const test::TempFolder folder;
  const auto result = folder / "result.h5", copy = folder / "metadata";
  const CreatedResult created = make_sample(result);
  save_metadata(result, extents_of(created), copy);
  const auto good = read_file(copy);
  CHECK_NOTHROW(check_metadata(copy));
  for (const std::size_t at : {std::size_t{0}, std::size_t{9}, good.size() / 2, good.size() - 1}) {
    auto bad = good;
    bad[at] ^= std::byte{1};
    write_file_durably(copy, bad);
    CHECK(io_error_of([&] { check_metadata(copy); }).find("damaged") != std::string::npos);
    CHECK(io_error_of([&] { restore_metadata(result, copy); }).find("damaged") != std::string::npos);
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{7}, good.size() - 8}) {
    write_file_durably(copy, std::span(good).first(length));
    CHECK(io_error_of([&] { check_metadata(copy); }).find("damaged") != std::string::npos);
    CHECK(io_error_of([&] { restore_metadata(result, copy); }).find("damaged") != std::string::npos);
  }
  write_file_durably(copy, good);
  std::filesystem::resize_file(result, 5000);
  CHECK(io_error_of([&] { restore_metadata(result, copy); }).find("5000 bytes long") != std::string::npos);
  CHECK_THROWS_AS(restore_metadata(folder / "none", copy), IoError);
  CHECK(io_error_of([&] { check_metadata(folder / "none"); }).find("is gone") != std::string::npos);
  CHECK_THROWS_AS(save_metadata(result, {{0, 6000}}, copy), IoError);
  CHECK_THROWS_AS(save_metadata(result, {{0, 100}, {50, 100}}, copy), IoError);
}

TEST_CASE("layouts that cannot be are refused with the dataset's name") {
  const test::TempFolder folder;
  const auto message_of = [&](std::vector<DatasetSpec> datasets) {
    try {
      create_result(folder / "r.h5", datasets);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const DatasetSpec good{"/s/a", ElementType::f32, {4, 5}, {"y", "x"}, "", ""};
  CHECK(message_of({good}).empty());
  CHECK(message_of({good, good}).find("twice") != std::string::npos);
  CHECK(message_of({good, {"/s/b", ElementType::f32, {6}, {"x"}, "", ""}}).find("dimension x is 6 long") !=
        std::string::npos);
  CHECK(message_of({{"/s/a", ElementType::f32, {4, 5}, {"y"}, "", ""}}).find("1 names for 2") != std::string::npos);
  CHECK(message_of({{"s/a", ElementType::f32, {4}, {"y"}, "", ""}}).find("absolute path") != std::string::npos);
  CHECK(message_of({{"/s//a", ElementType::f32, {4}, {"y"}, "", ""}}).find("absolute path") != std::string::npos);
  CHECK(message_of({{"/s/a", ElementType::f32, {-4}, {"y"}, "", ""}}).find("negative") != std::string::npos);
  CHECK(message_of({{"/s/y", ElementType::f32, {4, 5}, {"y", "x"}, "", ""}}).find("coordinate") != std::string::npos);
  CHECK(message_of({{"/s/a", ElementType::f32, {4}, {"y/z"}, "", ""}}).find("fit name") != std::string::npos);
  CHECK(message_of({{"/s", ElementType::f32, {4}, {"y"}, "", ""}, good}).find("/s") != std::string::npos);
  constexpr std::int64_t half = std::int64_t{1} << 57;
  for (const Extents& shape : {Extents{half, 3}, Extents{half, 32}, Extents{half, 64}}) {
    CHECK(message_of({good, {"/s/b", ElementType::f64, shape, {"u", "v"}, "", ""}}) ==
          "result dataset /s/b: of " + to_string(shape) + " is larger than any file can be");
  }
  CHECK(message_of({{"/s/a", ElementType::f64, {half}, {"u"}, "", ""},
                    {"/s/b", ElementType::f64, {half, 2}, {"u", "v"}, "", ""}})
            .find("/s/b") != std::string::npos);
}

TEST_CASE("values that do not fill their dataset, and objects that are not there, are refused") {
  const test::TempFolder folder;
  const auto finish_with = [&](const Finish& finish) {
    create_result(folder / "r.h5", {});
    finish_result(folder / "r.h5", finish);
  };
  Finish values;
  values.small = {{{"/a", ElementType::i32, {3}, {"x"}, "", ""}, std::vector<std::byte>(8)}};
  CHECK_THROWS_WITH(finish_with(values), Catch::Contains("/a") && Catch::Contains("fill"));
  Finish attribute;
  attribute.attributes = {{"/nowhere", "x", std::int64_t{1}}};
  CHECK_THROWS_AS(finish_with(attribute), IoError);
  Finish tiles;
  tiles.large = {{"/a", ElementType::i32, {3}, {"x"}, "", ""}};
  CHECK_THROWS_WITH(finish_with(tiles), Catch::Contains("checksums of tiles"));
  tiles.tiles = {{{2}, {1}}};
  CHECK_THROWS_WITH(finish_with(tiles), Catch::Contains("/a has 2 tiles, and 1 checksums"));
  Finish text;
  text.small = {small_text("/t", std::string("a\0b", 3))};
  CHECK_THROWS_AS(finish_with(text), Error);
  CHECK_THROWS_AS(finish_result(folder / "none.h5", {}), IoError);
  write_file_durably(folder / "text.h5", "no HDF5 at all");
  CHECK_THROWS_AS(finish_result(folder / "text.h5", {}), IoError);
  CHECK_THROWS_AS(create_result(folder / "no" / "r.h5", {}), IoError);
}

TEST_CASE("texts may be long") {
  const test::TempFolder folder;
  create_result(folder / "r.h5", {});
  Finish finish;
  const std::string cigar(5'000'000, '=');
  finish.small = {small_text("/cigar", cigar)};
  finish.attributes = {{"/", "job", std::string(300'000, 'x')}};
  finish_result(folder / "r.h5", finish);
  CHECK(read_texts(open_result(folder / "r.h5"), "/cigar") == std::vector<std::string>{cigar});
}
