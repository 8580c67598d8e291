// Reads on threads of their own, and conversions of letters and numbers as they are read.
#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>

#include "io/read_queue.hpp"
#include "io/reals.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

/// Counts reads; can hold them back until it is opened.
class GatedSource : public Source {
 public:
  ElementType type() const override { return ElementType::i32; }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    if (box.begin[0] == 13) throw IoError("a.raw", "the disk fails");
    *static_cast<std::int32_t*>(buffer) = static_cast<std::int32_t>(box.begin[0]);
  }
  void wait_for(int begun) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= begun; });
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  int begun() {
    const std::lock_guard lock(mutex_);
    return begun_;
  }

 private:
  Extents shape_{1000};
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
  int begun_ = 0;
};

}  // namespace

TEST_CASE("Every submitted read is done once, with its elements or its error") {
  auto source = std::make_shared<GatedSource>();
  source->open();
  std::vector<std::int32_t> values(100, -1);
  std::vector<std::atomic<int>> done(100);
  std::atomic<int> failed{-1};
  {
    ReadQueue queue(3);
    std::atomic<int> left{100};
    for (int i = 0; i < 100; ++i) {
      queue.submit(source, {{i}, {i + 1}}, &values[static_cast<std::size_t>(i)], [&, i](std::exception_ptr error) {
        ++done[static_cast<std::size_t>(i)];
        if (error) failed = i;
        --left;
      });
    }
    while (left > 0) std::this_thread::yield();
  }
  CHECK(failed == 13);
  for (int i = 0; i < 100; ++i) {
    CHECK(done[static_cast<std::size_t>(i)] == 1);
    CHECK(values[static_cast<std::size_t>(i)] == (i == 13 ? -1 : i));
  }
}

TEST_CASE("Reads run side by side on as many threads as asked for") {
  auto source = std::make_shared<GatedSource>();
  std::int32_t values[4];
  ReadQueue queue(4);
  for (int i = 0; i < 4; ++i) queue.submit(source, {{i}, {i + 1}}, &values[i], [](std::exception_ptr) {});
  source->wait_for(4);
  source->open();
}

TEST_CASE("Several threads make a large box of a computed array, and its error is given once") {
  /// Waits in each read until as many have begun as it is told to wait for.
  class Computed : public Source {
   public:
    ElementType type() const override { return ElementType::i32; }
    const Extents& shape() const override { return shape_; }
    void read(const Box& box, void* buffer) override {
      {
        std::unique_lock lock(mutex_);
        ++begun_;
        changed_.notify_all();
        changed_.wait(lock, [this] { return begun_ >= 3; });
      }
      if (box.begin[1] <= bad && bad < box.end[1]) throw IoError("a", "cannot be made");
      auto* out = static_cast<std::int32_t*>(buffer);
      for (std::int64_t i = box.begin[1]; i < box.end[1]; ++i) {
        for (std::int64_t j = box.begin[2]; j < box.end[2]; ++j) *out++ = static_cast<std::int32_t>(i * 1000 + j);
      }
    }
    std::int64_t bad = -1;

   private:
    Extents shape_{2, 5000, 1000};
    std::mutex mutex_;
    std::condition_variable changed_;
    int begun_ = 0;
  };
  const Box box{{1, 7, 3}, {2, 4999, 1000}};
  std::vector<std::int32_t> values(static_cast<std::size_t>(box.volume()), -1);
  const auto source = std::make_shared<Computed>();
  std::atomic<int> good{0}, failed{0};
  const auto read = [&] {
    ReadQueue queue(3);
    std::atomic<bool> done{false};
    queue.submit(source, box, values.data(), [&](std::exception_ptr error) {
      ++(error ? failed : good);
      done = true;
    });
    while (!done) std::this_thread::yield();
  };
  read();
  CHECK(good == 1);
  std::size_t at = 0;
  bool same = true;
  for (int i = 7; i < 4999; ++i) {
    for (int j = 3; j < 1000; ++j) same = same && values[at++] == i * 1000 + j;
  }
  CHECK(same);
  source->bad = 3000;
  read();
  CHECK(good == 1);
  CHECK(failed == 1);
}

TEST_CASE("A queue that ends cancels what has not begun and waits for what has") {
  auto source = std::make_shared<GatedSource>();
  std::int32_t values[10] = {};
  std::atomic<int> good{0}, stopped{0};
  std::thread opener;
  {
    ReadQueue queue(2);
    for (int i = 0; i < 10; ++i) {
      queue.submit(source, {{i}, {i + 1}}, &values[i], [&](std::exception_ptr error) {
        if (!error) ++good;
        try {
          if (error) std::rethrow_exception(error);
        } catch (const Stopped&) {
          ++stopped;
        }
      });
    }
    source->wait_for(2);
    queue.cancel();
    opener = std::thread([&] { source->open(); });
  }
  opener.join();
  CHECK(good == 2);
  CHECK(stopped == 8);
  CHECK(source->begun() == 2);
}

TEST_CASE("A finished read may submit the next") {
  auto source = std::make_shared<GatedSource>();
  source->open();
  std::int32_t first = -1, second = -1;
  std::atomic<bool> all{false};
  ReadQueue queue(1);
  queue.submit(source, {{5}, {6}}, &first, [&](std::exception_ptr) {
    queue.submit(source, {{6}, {7}}, &second, [&](std::exception_ptr) { all = true; });
  });
  while (!all) std::this_thread::yield();
  CHECK(first == 5);
  CHECK(second == 6);
}

TEST_CASE("Letters are translated, and one that has no code is named with its place") {
  TempFolder folder;
  folder.write("a.fa", ">x\nACGTacgtNACG\n");
  std::array<std::int16_t, 256> table;
  table.fill(-1);
  for (int i = 0; i < 4; ++i)
    table[static_cast<unsigned char>("ACGT"[i])] = table[static_cast<unsigned char>("acgt"[i])] =
        static_cast<std::int16_t>(i);
  auto source = translate(open_input(folder, {{"fasta", "a.fa"}}), table, {"input a"},
                          [](unsigned char) { return "is no DNA letter (A, C, G, T)"; });
  CHECK(source->shape() == Extents{12});
  CHECK(source->files().size() == 1);
  CHECK(read_box<std::uint8_t>(*source, {{2}, {6}}) == std::vector<std::uint8_t>{2, 3, 0, 1});
  CHECK(error_of(folder, [&] {
          read_box<std::uint8_t>(*source, {{6}, {12}});
        }) == "io: input a[8] (a.fa:2:9): 'N' is no DNA letter (A, C, G, T)");
  auto grid = open_input(folder, {{"values", Texts{"65", "66", "67", "0"}}, {"type", "u8"}, {"shape", Values{2, 2}}});
  auto coded = translate(grid, table, {"g"}, [](unsigned char) { return "is none"; });
  CHECK(error_of(folder, [&] {
          read_box<std::uint8_t>(*coded, {{0, 0}, {2, 2}});
        }) == "io: 'g', row 0, column 1: 'B' is none");
  CHECK(error_of(folder, [&] {
          read_box<std::uint8_t>(*coded, {{1, 1}, {2, 2}});
        }) == "io: 'g', row 1, column 1: byte 0x00 is none");
  CHECK(error_of(folder, [&] {
          translate(open_input(folder, {{"values", Texts{"1"}}}), table, {"v"}, nullptr);
        }) == "job: v: letters are wanted (u8), but its elements are i64");
}

TEST_CASE("Numbers of every type are read as reals, and one that is none, or too large, is named with its index") {
  TempFolder folder;
  const auto numbers = [&](Texts values, const char* type) {
    return open_input(folder, {{"values", std::move(values)}, {"type", type}});
  };
  auto whole = as_reals(numbers({"1", "-2", "200", "7"}, "i16"), ElementType::f32, 1e30, {"a"}, "is too large");
  CHECK(whole->type() == ElementType::f32);
  CHECK(whole->shape() == Extents{4});
  CHECK(read_box<float>(*whole, {{1}, {3}}) == std::vector<float>{-2, 200});
  const std::int64_t many = 150000;
  auto ramp = open_input(folder, {{"generate", "ramp"}, {"shape", Values{many}}, {"type", "i64"}});
  const auto all = read_box<double>(*as_reals(ramp, ElementType::f64, 1e9, {"r"}, ""), {{5}, {many}});
  REQUIRE(all.size() == static_cast<std::size_t>(many - 5));
  for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(all[i] == static_cast<double>(i + 5));
  auto odd = as_reals(numbers({"0.1", "nan", "-inf", "-1e31", "0"}, "f64"), ElementType::f32, 1e30, {"input b"},
                      "is too large for f32");
  CHECK(read_box<float>(*odd, {{0}, {1}}) == std::vector<float>{0.1f});
  const auto said = [&](std::int64_t index) {
    return error_of(folder, [&] { read_box<float>(*odd, {{index}, {5}}); });
  };
  CHECK(said(1) == "io: input b[1]: nan is no finite number");
  CHECK(said(2) == "io: input b[2]: -inf is no finite number");
  CHECK(said(3) == "io: input b[3]: -1e+31 is too large for f32");
  CHECK_THROWS_AS(as_reals(numbers({"1"}, "f64"), ElementType::i32, 1, {"c"}, ""), JobError);
}
