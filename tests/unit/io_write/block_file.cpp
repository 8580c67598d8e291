// Blocks of files: any offset and box, direct and through the page cache, reservation, sync.
#include "io/files/block_file.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "io/files/stxxl_lanes.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/io_write/requests.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

constexpr std::int64_t mib = 1 << 20;

std::byte value_at(std::int64_t position, unsigned seed) {
  return static_cast<std::byte>((static_cast<std::uint64_t>(position) * 2654435761u + seed * 40503u) >> 13);
}

void fill(std::byte* bytes, std::int64_t position, std::int64_t count, unsigned seed) {
  for (std::int64_t i = 0; i < count; ++i) bytes[i] = value_at(position + i, seed);
}

std::int64_t first_difference(const std::byte* a, const std::byte* b, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (a[i] != b[i]) return i;
  }
  return -1;
}

}  // namespace

TEST_CASE("bytes written at any offset, length and address are read back") {
  const test::TempFolder folder;
  BlockFile file(folder / "a", BlockFile::Mode::create);
  constexpr std::int64_t length = 3 * mib + 777;
  std::vector<std::byte> expected(length);
  fill(expected.data(), 0, length, 1);
  write_now(file, 0, expected.data(), length);

  const std::int64_t offsets[] = {0, 1, 4095, 4096, 8192, 12345, 65536, mib - 1};
  const std::int64_t lengths[] = {0, 1, 4095, 4096, 4097, 65536, 65537, mib, 2 * mib + 1};
  const std::int64_t skews[] = {0, 1, 4095};
  const PageBuffer buffer(3 * mib + 8192);
  unsigned seed = 2;
  for (const std::int64_t offset : offsets) {
    for (const std::int64_t bytes : lengths) {
      for (const std::int64_t skew : {skews[0], skews[1], skews[2], offset % 4096}) {
        INFO("offset " << offset << ", " << bytes << " bytes, address skewed by " << skew);
        std::byte* data = buffer.data() + skew;
        fill(data, offset, bytes, ++seed);
        fill(expected.data() + offset, offset, bytes, seed);
        write_now(file, offset, data, bytes);
        std::memset(data, 0, static_cast<std::size_t>(bytes));
        read_now(file, offset, data, bytes);
        REQUIRE(first_difference(data, expected.data() + offset, bytes) == -1);
      }
    }
  }
  std::vector<std::byte> whole(length);
  read_now(file, 0, whole.data(), length);
  CHECK(first_difference(whole.data(), expected.data(), length) == -1);
  CHECK(file.size() == length);
}

TEST_CASE("whole pages go past the page cache and the ends through it") {
  const test::TempFolder folder;
  BlockFile file(folder / "a", BlockFile::Mode::create);
  const PageBuffer buffer(mib + 8192);
  fill(buffer.data(), 0, mib + 8192, 3);
  write_now(file, 100, buffer.data() + 100, mib);
  CHECK(file.bytes_written() == mib);
  const std::int64_t whole_pages = StxxlLanes::supported(file.path()) ? mib - 4096 : 0;
  CHECK(file.bytes_direct() == whole_pages);
  write_now(file, 101, buffer.data() + 100, mib);  // offset and address do not agree
  CHECK(file.bytes_direct() == whole_pages);
  CHECK(file.bytes_written() == 2 * mib);
}

TEST_CASE("boxes of any shape land where they belong and nowhere else") {
  const test::TempFolder folder;
  BlockFile file(folder / "a", BlockFile::Mode::create);
  const FileArray array{4096 + 52, {7, 211, 3001}, 4};
  const std::int64_t bytes = volume(array.shape) * 4;
  std::vector<std::byte> expected(static_cast<std::size_t>(array.offset + bytes + 5000));
  fill(expected.data(), 0, static_cast<std::int64_t>(expected.size()), 4);
  write_now(file, 0, expected.data(), static_cast<std::int64_t>(expected.size()));

  const Box boxes[] = {Box::whole(array.shape),          {{2, 0, 0}, {5, 211, 3001}},  // full width: one request
                       {{3, 17, 0}, {4, 100, 3001}},                                   // full width within one plane
                       {{0, 3, 5}, {7, 200, 6}},                                       // single elements
                       {{1, 0, 100}, {6, 211, 2999}},                                  // thin rows
                       {{6, 210, 3000}, {7, 211, 3001}},                               // the last element
                       {{2, 5, 7}, {2, 100, 100}}};                                    // nothing
  unsigned seed = 5;
  for (const Box& box : boxes) {
    INFO(to_string(box));
    const std::int64_t box_bytes = box.volume() * 4;
    std::vector<std::byte> packed(static_cast<std::size_t>(box_bytes));
    fill(packed.data(), 0, box_bytes, ++seed);
    if (!box.empty()) {
      copy_box(packed.data(), box, expected.data() + array.offset, Box::whole(array.shape), box, 4);
    }
    wait_for([&](auto done) { file.write_box(array, box, packed.data(), done); });
    std::vector<std::byte> back(packed.size());
    wait_for([&](auto done) { file.read_box(array, box, back.data(), done); });
    CHECK(back == packed);
    std::vector<std::byte> whole(expected.size());
    read_now(file, 0, whole.data(), static_cast<std::int64_t>(whole.size()));
    REQUIRE(first_difference(whole.data(), expected.data(), static_cast<std::int64_t>(whole.size())) == -1);
  }
}

TEST_CASE("thin rows are read to their places, however far apart they are") {
  const test::TempFolder folder;
  BlockFile file(folder / "a", BlockFile::Mode::create);
  for (const std::int64_t columns : {3, 100, 1000, 1024, 1100, 9000, 20'000}) {  // a pitch of 12 bytes to 80 kB
    const FileArray array{512, {1500, columns}, 4};
    std::vector<std::byte> values(static_cast<std::size_t>(volume(array.shape) * 4));
    fill(values.data(), 0, static_cast<std::int64_t>(values.size()), 6);
    write_now(file, array.offset, values.data(), static_cast<std::int64_t>(values.size()));
    for (const std::int64_t width : {std::int64_t{1}, columns / 3, columns - 1}) {
      INFO(columns << " columns, " << width << " of them");
      const Box box{{2, 1}, {1499, 1 + width}};
      std::vector<std::byte> expected(static_cast<std::size_t>(box.volume() * 4)), back(expected.size());
      copy_box(values.data(), Box::whole(array.shape), expected.data(), box, box, 4);
      wait_for([&](auto done) { file.read_box(array, box, back.data(), done); });
      CHECK(back == expected);
    }
  }
  std::vector<std::byte> back(mib);
  CHECK_THROWS_WITH(wait_for([&](auto done) {
                      file.read_box({512, {100'000, 20'000}, 4}, {{1400, 0}, {1600, 1}}, back.data(), done);
                    }),
                    Catch::Contains("the file ends here"));
}

TEST_CASE("a box is read through the page cache on demand") {
  const test::TempFolder folder;
  BlockFile file(folder / "a", BlockFile::Mode::create);
  const FileArray array{4096, {64, 16384}, 4};
  const std::int64_t bytes = volume(array.shape) * 4;
  PageBuffer buffer(bytes);
  fill(buffer.data(), 0, bytes, 7);
  write_now(file, array.offset, buffer.data(), bytes);
  const std::int64_t direct = file.bytes_direct();
  for (const Box& box : {Box{{0, 0}, {64, 16384}}, Box{{8, 0}, {40, 16384}}, Box{{3, 1024}, {60, 9216}}}) {
    PageBuffer back(box.volume() * 4);
    std::vector<std::byte> expected(static_cast<std::size_t>(box.volume() * 4));
    copy_box(buffer.data(), Box::whole(array.shape), expected.data(), box, box, 4);
    wait_for([&](auto done) { file.read_box(array, box, back.data(), done, Route::page_cache); });
    CHECK(first_difference(back.data(), expected.data(), box.volume() * 4) == -1);
    CHECK(file.bytes_direct() == direct);
  }
}

TEST_CASE("boxes side by side are written row by row together, past the page cache where rows are whole pages") {
  struct Case {
    FileArray array;
    std::int64_t begin, end;            // rows
    std::vector<std::int64_t> columns;  // begins of the parts, and the end of the last one
    bool pages;
  };
  const Case cases[] = {{{8192, {100, 16384}, 4}, 3, 70, {1024, 2048, 6144, 12288}, true},
                        {{8192, {100, 16384}, 4}, 0, 100, {0, 8192, 16384}, true},     // all of it
                        {{8192, {100, 16384}, 4}, 5, 6, {0, 1024, 2048}, false},       // a short row
                        {{8192, {100, 16384}, 4}, 3, 70, {1023, 2048, 12288}, false},  // parts that are no pages
                        {{8192, {100, 16383}, 4}, 3, 70, {0, 1024, 12288}, false},     // rows that are no pages
                        {{8191, {100, 16384}, 4}, 3, 70, {0, 1024, 12288}, false},     // not at a page
                        {{8192, {9, 11, 30000}, 1}, 0, 0, {100, 9000, 30000}, false}};
  unsigned seed = 5;
  for (const Case& c : cases) {
    const test::TempFolder folder;
    BlockFile file(folder / "a", BlockFile::Mode::create);
    const std::int64_t length = c.array.offset + volume(c.array.shape) * c.array.element_size;
    std::vector<std::byte> expected(static_cast<std::size_t>(length));
    write_now(file, 0, expected.data(), length);
    const std::int64_t before = file.bytes_direct();
    std::vector<BoxPart> parts;
    std::vector<PageBuffer> buffers;
    std::int64_t bytes = 0;
    for (std::size_t part = 0; part + 1 < c.columns.size(); ++part) {
      Box box{{c.begin, c.columns[part]}, {c.end, c.columns[part + 1]}};
      if (c.array.shape.rank() == 3) box = {{2, 3, c.columns[part]}, {7, 9, c.columns[part + 1]}};
      const std::int64_t size = box.volume() * c.array.element_size;
      buffers.emplace_back(size);
      fill(buffers.back().data(), 0, size, ++seed);
      copy_box(buffers.back().data(), box, expected.data() + c.array.offset, Box::whole(c.array.shape), box,
               static_cast<std::size_t>(c.array.element_size));
      parts.push_back({box, buffers.back().data()});
      bytes += size;
    }
    wait_for([&](auto done) { file.write_boxes(c.array, parts, done); });
    INFO("rows of array " << to_string(c.array.shape) << " from column " << c.columns[0]);
    CHECK(file.bytes_written() == length + bytes);
    CHECK(file.bytes_direct() - before == (c.pages && StxxlLanes::supported(file.path()) ? bytes : 0));
    std::vector<std::byte> whole(expected.size());
    read_now(file, 0, whole.data(), length);
    CHECK(first_difference(whole.data(), expected.data(), length) == -1);
    std::swap(parts.front(), parts.back());
    CHECK_THROWS_AS(file.write_boxes(c.array, parts, nullptr), Error);
  }
}

TEST_CASE("an array of rank 0 and a box that leaves its array") {
  const test::TempFolder folder;
  BlockFile file(folder / "a", BlockFile::Mode::create);
  const double pi = 3.25;
  double back = 0;
  wait_for([&](auto done) { file.write_box({8, {}, 8}, {{}, {}}, &pi, done); });
  wait_for([&](auto done) { file.read_box({8, {}, 8}, {{}, {}}, &back, done); });
  CHECK(back == pi);
  CHECK_THROWS_AS(file.read_box({0, {4, 4}, 8}, {{0, 0}, {4, 5}}, &back, nullptr), Error);
  CHECK_THROWS_AS(file.read_box({0, {4, 4}, 8}, {{0}, {4}}, &back, nullptr), Error);
  CHECK_THROWS_AS(file.write(-1, &pi, 8, nullptr), Error);
}

TEST_CASE("many threads write neighbouring boxes of one file, direct and through the cache, and none is lost") {
  const test::TempFolder folder;
  BlockFile file(folder / "a", BlockFile::Mode::create, std::make_shared<IoThreads>(4));
  constexpr std::int64_t length = 48 * mib;
  file.reserve(length);
  constexpr int rounds = 3, threads = 6;
  std::vector<std::byte> expected(length);
  for (unsigned round = 0; round < rounds; ++round) {
    // Cut again in each round, so that pages change from one path to the other.
    std::mt19937_64 random(round + 1);
    std::vector<std::int64_t> cuts{0};
    while (cuts.back() < length) {
      const std::int64_t kinds[] = {4096 * (16 + static_cast<std::int64_t>(random() % 200)),
                                    1 + static_cast<std::int64_t>(random() % 300000), 4096 - cuts.back() % 4096};
      cuts.push_back(std::min(length, cuts.back() + kinds[random() % 3]));
    }
    fill(expected.data(), 0, length, round + 10);
    const PageBuffer source(length);
    fill(source.data(), 0, length, round + 10);
    std::atomic<std::size_t> next{0};
    std::atomic<int> failures{0};
    std::vector<std::thread> writers;
    for (int t = 0; t < threads; ++t) {
      writers.emplace_back([&] {
        for (std::size_t i; (i = next++) + 1 < cuts.size();) {
          file.write(cuts[i], source.data() + cuts[i], cuts[i + 1] - cuts[i],
                     [&failures](std::exception_ptr error) { failures += error != nullptr; });
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    file.drain();
    CHECK(failures == 0);
    file.sync();
    std::vector<std::byte> whole(length);
    read_now(file, 0, whole.data(), length);
    REQUIRE(first_difference(whole.data(), expected.data(), length) == -1);
  }
  CHECK(file.bytes_written() == rounds * length);
}

TEST_CASE("a read past the end of the file says where the file ends") {
  const test::TempFolder folder;
  BlockFile file(folder / "short", BlockFile::Mode::create);
  const PageBuffer buffer(mib);
  fill(buffer.data(), 0, mib, 1);
  write_now(file, 0, buffer.data(), 1000);
  const std::string message = io_error_of([&] { read_now(file, 0, buffer.data(), mib); });
  CHECK(message.find("short") != std::string::npos);
  CHECK(message.find("byte 1000") != std::string::npos);
  read_now(file, 0, buffer.data(), 1000);  // still works
}

TEST_CASE("a file that is missing, and writes to a file opened for reading, are refused") {
  const test::TempFolder folder;
  CHECK_THROWS_AS(BlockFile(folder / "none", BlockFile::Mode::read), IoError);
  { BlockFile made(folder / "made", BlockFile::Mode::create); }
  BlockFile file(folder / "made", BlockFile::Mode::read);
  CHECK_THROWS_AS(file.write(0, "x", 1, nullptr), Error);
  CHECK_THROWS_AS(file.reserve(10), Error);
}

TEST_CASE("reserving makes the file long enough and keeps what it holds") {
  const test::TempFolder folder;
  BlockFile file(folder / "a", BlockFile::Mode::create);
  write_now(file, 0, "abc", 3);
  file.reserve(5 * mib + 3);
  CHECK(file.size() == 5 * mib + 3);
  char back[4] = {};
  read_now(file, 0, back, 3);
  CHECK(std::string(back) == "abc");
  file.reserve(10);
  CHECK(file.size() == 5 * mib + 3);
  const std::string message = io_error_of([&] { file.reserve(std::int64_t{1} << 60); });
  CHECK(message.find("1152921504") != std::string::npos);
  CHECK(message.find("free") != std::string::npos);
}

TEST_CASE("a sync that failed is never tried again") {
  BlockFile file("/dev/null", BlockFile::Mode::read_write);
  CHECK(io_error_of([&] { file.sync(); }).find("durable") != std::string::npos);
  CHECK(io_error_of([&] { file.sync(); }).find("earlier sync") != std::string::npos);
}

TEST_CASE("the file layer leaves nothing in the current folder") {
  const test::TempFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  {
    BlockFile file("a", BlockFile::Mode::create);
    const PageBuffer buffer(mib);
    fill(buffer.data(), 0, mib, 1);
    write_now(file, 0, buffer.data(), mib);
  }
  int names = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) ++names;
  std::filesystem::current_path(before);
  CHECK(names == 1);
}
