// Raw files as inputs: boxes, types, byte orders, files that do not fit their description.
#include <catch2/catch.hpp>
#include <thread>

#include "io/inputs/raw_array.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

/// A file of `pad` bytes and then 0, 1, 2, ... as i32.
void write_raw(const TempFolder& folder, std::size_t pad, std::int64_t count) {
  folder.write("a.raw", std::string(pad, '#') + bytes_of(counting<std::int32_t>(count)));
}

std::shared_ptr<Source> open_raw(const TempFolder& folder, const Values& shape, int offset) {
  return open_input(folder, {{"external", "a.raw"}, {"type", "i32"}, {"shape", shape}, {"offset", offset}});
}

/// True if a box of an array of counting numbers has the right contents.
bool right(Source& source, const Box& box) {
  const auto elements = read_box<std::int32_t>(source, box);
  const Extents strides = row_major_strides(source.shape());
  const Extents shape = box.shape();
  for (std::int64_t i = 0; i < box.volume(); ++i) {
    std::int64_t left = i, expected = 0;
    for (int d = box.rank() - 1; d >= 0; --d) {
      expected += (box.begin[d] + left % shape[d]) * strides[d];
      left /= shape[d];
    }
    if (elements[static_cast<std::size_t>(i)] != expected) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("Boxes of a raw file are read whatever their place and its offset") {
  TempFolder folder;
  for (int pad : {0, 4, 4096, 5000}) {
    write_raw(folder, static_cast<std::size_t>(pad), 700 * 1100);
    auto source = open_raw(folder, {700, 1100}, pad);
    CHECK(right(*source, {{0, 0}, {700, 1100}}));
    CHECK(right(*source, {{0, 0}, {600, 1100}}));
    CHECK(right(*source, {{13, 0}, {14, 1}}));
    CHECK(right(*source, {{3, 500}, {690, 510}}));
    CHECK(right(*source, {{699, 1000}, {700, 1100}}));
    CHECK(right(*source, {{100, 0}, {300, 1024}}));
    CHECK(read_box<std::int32_t>(*source, {{5, 5}, {5, 9}}).empty());
    auto cube = open_raw(folder, {7, 100, 11, 100}, pad);
    CHECK(right(*cube, {{2, 10, 3, 7}, {6, 60, 9, 90}}));
    CHECK(right(*cube, {{0, 99, 0, 0}, {7, 100, 11, 100}}));
  }
}

TEST_CASE("Raw files in either byte order are read, whatever the type of their elements") {
  TempFolder folder;
  for (const char* name : {"u8", "i8", "u16", "i16", "u32", "i32", "u64", "i64", "f32", "f64"}) {
    INFO(name);
    dispatch(*element_type_from(name), [&](auto zero) {
      using T = decltype(zero);
      // Beyond a page, so that some of it is read past the page cache.
      auto values = counting<T>(3000);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<T>(values[i] * T(3) + T(1));
      auto turned = values;
      swap_bytes(turned.data(), static_cast<std::int64_t>(turned.size()), sizeof(T));
      folder.write("little.raw", "#" + bytes_of(values));
      folder.write("big.raw", "#" + bytes_of(turned));
      const auto read = [&](const char* file, const char* endian) {
        auto source = open_input(
            folder,
            {{"external", file}, {"type", name}, {"shape", Values{30, 100}}, {"offset", 1}, {"endian", endian}});
        auto all = read_all<T>(*source);
        const auto part = read_box<T>(*source, {{2, 7}, {29, 90}});
        REQUIRE(part.front() == all[207]);
        REQUIRE(part.back() == all[2889]);
        return all;
      };
      CHECK(read("little.raw", "little") == values);
      CHECK(read("big.raw", "big") == values);
      CHECK((read("big.raw", "little") == values) == (sizeof(T) == 1));
    });
  }
}

TEST_CASE("A raw file reads into an aligned buffer without a copy, and right") {
  TempFolder folder;
  write_raw(folder, 0, 1 << 20);
  auto source = open_raw(folder, {1024, 1024}, 0);
  std::unique_ptr<void, void (*)(void*)> buffer(std::aligned_alloc(4096, 4 << 20), std::free);
  source->read({{0, 0}, {1024, 1024}}, buffer.get());
  const auto expected = counting<std::int32_t>(1 << 20);
  CHECK(std::memcmp(buffer.get(), expected.data(), 4 << 20) == 0);
}

TEST_CASE("Several threads read one raw file") {
  TempFolder folder;
  write_raw(folder, 100, 2000 * 1000);
  auto source = open_raw(folder, {2000, 1000}, 100);
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i)
        good += right(*source, {{t * 100 + i * 37, i * 50}, {t * 100 + i * 37 + 300, 999 - t}});
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(good == 40);
}

TEST_CASE("No log of STXXL appears in the current folder") {
  TempFolder folder;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  write_raw(folder, 0, 5000);
  CHECK(right(*open_raw(folder, {5000}, 0), {{0}, {5000}}));
  std::filesystem::current_path(before);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path()))
    names.push_back(entry.path().filename());
  CHECK(names == std::vector<std::string>{"a.raw"});
}

TEST_CASE("A raw file that does not fit its description is an error") {
  TempFolder folder;
  write_raw(folder, 0, 1000);
  const auto error = [&](const std::vector<Setting>& more) {
    std::vector<Setting> list{{"external", "a.raw"}};
    list.insert(list.end(), more.begin(), more.end());
    return open_error(folder, list);
  };
  CHECK(error({{"type", "i32"}, {"shape", Values{1001}}}) ==
        "io: a.raw: has 4000 bytes, but 1001 elements of i32 from byte 0 on need more; the file was cut short, or "
        "shape, type or offset are wrong");
  CHECK(error({{"type", "i32"}, {"shape", Values{1000}}, {"offset", 1}}).find("from byte 1 on need more") !=
        std::string::npos);
  CHECK(error({{"type", "i32"}, {"shape", Values{0}}, {"offset", 5000}}).find("from byte 5000 on need more") !=
        std::string::npos);
  CHECK(error({{"type", "i32"}, {"shape", Values{0, 9}}}) == "none");
  CHECK(error({{"type", "q7"}, {"shape", Values{10}}}).find("'q7' is no element type") != std::string::npos);
  CHECK(error({{"shape", Values{10}}}).find("type: is missing") != std::string::npos);
  CHECK(error({{"type", "i32"}}).find("shape: is missing") != std::string::npos);
  CHECK(error({{"type", "i32"}, {"shape", Values{3037000500, 3037000500}}}).find("more than any machine holds") !=
        std::string::npos);
}

TEST_CASE("A raw file that shrinks after it was opened is an error, not zeros") {
  TempFolder folder;
  write_raw(folder, 0, 1 << 20);
  auto source = open_raw(folder, {1 << 20}, 0);
  std::filesystem::resize_file(folder.path() / "a.raw", 1 << 20);
  CHECK(error_of(folder, [&] { read_all<std::int32_t>(*source); }).find("io: a.raw: ") == 0);
}
