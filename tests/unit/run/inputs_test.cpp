// Records of a run's reads of its inputs: a later read that differs names the file.
#include "pipeline/run/inputs.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "io/memory_source.hpp"
#include "tests/support/stage_runner.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/toy_programs.hpp"

using namespace terrace;
using test::u64;
using Json = nlohmann::json;

namespace {

constexpr std::int64_t tile = 512, tiles = 8;  // a tile is a page

/// Numbers "from a file", one of which changes when it is read for the nth time.
class ChangingSource : public test::CountingSource {
 public:
  ChangingSource(Extents shape, int changes_at) : CountingSource(std::move(shape)), changes_at_(changes_at) {}
  std::vector<std::filesystem::path> files() const override { return files_; }
  void read(const Box& box, void* buffer) override {
    CountingSource::read(box, buffer);
    if (box.begin[0] == tile && ++reads >= changes_at_) static_cast<u64*>(buffer)[3] ^= 1;
  }
  void forget_files() { files_.clear(); }
  std::atomic<int> reads = 0;  // of the second tile

 private:
  std::vector<std::filesystem::path> files_{"/data/numbers.npy"};
  int changes_at_;
};

/// Sums of an input, tile by tile, twice.
class ReadTwice : public test::ToyProgram {
 public:
  std::shared_ptr<ChangingSource> source;
  std::atomic<int>* stop = nullptr;  // set in the first pass, once the second tile has been read

  explicit ReadTwice(int changes_at) : source(std::make_shared<ChangingSource>(Extents{tile * tiles}, changes_at)) {
    arrays_.resize(2);
    arrays_[0] = {"numbers", run::Role::input, ElementType::u64, {tile * tiles}, {tile}, source};
    arrays_[1] = {"sums", run::Role::result, ElementType::u64, {tile * tiles}, {tile}, nullptr, 2};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    return number > 1 ? std::nullopt : std::optional(run::Phase{number, tiles});
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    const Box part{{index * tile}, {(index + 1) * tile}};
    return {{{test::At::first, 0, 0, part, run::Mode::read},
             {test::At::second, 1, phase.number + 1, part, run::Mode::write}},
            1};
  }

 protected:
  bool compute(const run::Phase& phase, const Descriptor& d, u64* result, int) override {
    const u64* in = d.at(test::At::first);
    std::copy_n(in, tile, d.at(test::At::second));
    *result = std::accumulate(in, in + tile, u64{0});
    if (stop != nullptr && phase.number == 0 && d.index == 4) *stop = 1;
    return true;
  }
};

test::RunnerOptions small_memory() {
  test::RunnerOptions options;
  options.host_bytes = 4 * 4096;
  return options;
}

/// An array of numbers 0, 1, ... in a file, of which parts may be changed.
class FileNumbers : public io::Source {
 public:
  explicit FileNumbers(Extents shape) : shape_(shape), numbers(static_cast<std::size_t>(volume(shape))) {
    std::iota(numbers.begin(), numbers.end(), 0);
  }
  ElementType type() const override { return ElementType::i32; }
  const Extents& shape() const override { return shape_; }
  std::vector<std::filesystem::path> files() const override { return {"/data/numbers.npy"}; }
  void read(const Box& box, void* buffer) override {
    copy_box(numbers.data(), Box::whole(shape_), buffer, box, box, sizeof(std::int32_t));
  }

 private:
  Extents shape_;

 public:
  std::vector<std::int32_t> numbers;
};

void read(io::Source& source, const Box& box) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(box.volume()));
  source.read(box, values.data());
}

std::shared_ptr<io::Source> held(std::int32_t value, std::vector<std::filesystem::path> files) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return std::make_shared<io::MemorySource>(ElementType::i32, Extents{1}, std::move(bytes), std::move(files));
}

}  // namespace

TEST_CASE("A tile of an input that is read again and is another ends the run with the file's name") {
  for (const bool shares : {true, false}) {
    auto options = small_memory();
    options.shares_host_memory = shares;
    options.device_bytes = 4 * 4096;
    test::TempFolder folder, other;
    ReadTwice same(1000);
    CHECK_NOTHROW(test::StageRunner(folder.path(), same, options).run());
    REQUIRE(same.source->reads > 1);  // the memory did not keep it
    ReadTwice changed(2);
    test::StageRunner runner(other.path(), changed, options);
    CHECK_THROWS_AS(runner.run(), run::InputChanged);
  }
}

TEST_CASE("A tile of an input that another attempt reads again is compared with what the first one read") {
  for (const int changes_at : {1, 1000}) {
    test::TempFolder folder;
    auto options = small_memory();
    std::atomic<int> stop = 0;
    options.stop = &stop;
    ReadTwice first(1000);
    first.stop = &stop;
    CHECK_THROWS_AS(test::StageRunner(folder.path(), first, options).run(), Stopped);
    options.stop = nullptr;
    ReadTwice second(changes_at);
    test::StageRunner runner(folder.path(), second, options);
    if (changes_at == 1)
      CHECK_THROWS_WITH(runner.run(), Catch::Contains("/data/numbers.npy") && Catch::Contains("'numbers'"));
    else CHECK_NOTHROW(runner.run());
  }
}

TEST_CASE("What has no file and is read differently is damage") {
  test::TempFolder folder;
  ReadTwice changed(2);
  changed.source->forget_files();
  test::StageRunner runner(folder.path(), changed, small_memory());
  CHECK_THROWS_WITH(runner.run(), Catch::Contains("'numbers', tile 1") && Catch::Contains("damaged"));
}

TEST_CASE("The error of a changed input names the job's inputs that come from its file") {
  const auto input = [](const char* path) -> Json { return {{"files", {{{"path", path}}}}}; };
  const Json inputs{{"left", input("/data/a.npy")}, {"right", input("/data/b.npy")}};
  const run::InputChanged error("terms", {"/data/b.npy"});
  CHECK_THAT(
      error.in_stage("product", inputs).what(),
      Catch::Contains("input 'right' has changed") && Catch::Contains("stage 'product' reads it from /data/b.npy"));
}

TEST_CASE("Reads one after another are recorded as one, and a change anywhere in them is found") {
  const auto source = std::make_shared<FileNumbers>(Extents{20, 3});
  run::InputReads reads;
  const auto watched = reads.watch("matrix", source);
  for (std::int64_t row = 0; row < 12; row += 4) read(*watched, {{row, 0}, {row + 4, 3}});
  read(*watched, {{0, 1}, {4, 2}});
  read(*watched, {{0, 1}, {4, 2}});
  const Json record = reads.close();
  REQUIRE(record["matrix"]["parts"].size() == 2);
  CHECK(record["matrix"]["parts"][0][1] == Json{12, 3});
  read(*watched, {{12, 0}, {16, 3}});  // a run's reads are not the plan's
  CHECK(reads.close() == record);

  const run::Inputs inputs{{"matrix", source}};
  CHECK_NOTHROW(run::compare_reads(record, inputs, nullptr));
  source->numbers[36] = -1;  // the first element that was not read
  CHECK_NOTHROW(run::compare_reads(record, inputs, nullptr));
  source->numbers[35] = -1;
  CHECK_THROWS_WITH(run::compare_reads(record, inputs, nullptr),
                    Catch::Contains("input 'matrix' has changed since the run was begun") &&
                        Catch::Contains("/data/numbers.npy") && Catch::Contains("--fresh"));
}

TEST_CASE("An array that is read in pieces twice is recorded once, and a change in between is found") {
  const auto source = std::make_shared<FileNumbers>(Extents{20});
  const auto read_all = [](io::Source& watched) {
    for (std::int64_t at = 0; at < 20; at += 5) read(watched, {{at}, {at + 5}});
  };
  run::InputReads same;
  const auto watched = same.watch("numbers", source);
  read_all(*watched);
  read_all(*watched);
  CHECK(same.close()["numbers"]["parts"].size() == 1);
  run::InputReads changed;
  const auto again = changed.watch("numbers", source);
  read_all(*again);
  source->numbers[3] = -1;
  CHECK_THROWS_AS(read_all(*again), JobError);
}

TEST_CASE("Inputs are compared in pieces that a watch sees, and may be stopped between") {
  const auto source = std::make_shared<FileNumbers>(Extents{3 << 20});
  run::InputReads reads;
  read(*reads.watch("numbers", source), {{0}, {3 << 20}});
  const Json record = reads.close();
  const run::Inputs inputs{{"numbers", source}};
  std::int64_t calls = 0, last = 0, total = 0;
  run::compare_reads(record, inputs,
                     [&](const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
                       CHECK(part == "comparing input 'numbers' with what was read");
                       CHECK(unit == "byte");
                       ++calls, last = done, total = all;
                     });
  CHECK(calls > 1);
  CHECK(last == total);
  CHECK_THROWS_AS(run::compare_reads(record, inputs, [](const auto&...) { throw Stopped("enough"); }), Stopped);
}

TEST_CASE("What is read twice while a run is planned, or by two attempts, must be the same") {
  const auto source = std::make_shared<FileNumbers>(Extents{20});
  const run::Inputs inputs{{"numbers", source}};
  const Box first{{0}, {10}}, second{{5}, {15}};
  run::InputReads one, two;
  const auto watched = one.watch("numbers", source);
  read(*watched, first);
  const Json before = one.close();
  read(*two.watch("numbers", source), first);
  read(*two.watch("numbers", source), second);
  CHECK(run::joined_reads(before, two.close(), inputs)["numbers"]["parts"].size() == 2);
  source->numbers[7] = -1;
  run::InputReads three;
  read(*three.watch("numbers", source), first);
  CHECK_THROWS_AS(run::joined_reads(before, three.close(), inputs), JobError);
  run::InputReads four;
  read(*four.watch("numbers", source), first);
  source->numbers[8] = -1;
  CHECK_THROWS_AS(read(*four.watch("numbers", source), first), JobError);
}

TEST_CASE("An input that is held in memory is known by all of its elements, and one without a file by none") {
  run::InputReads reads;
  const std::vector<std::filesystem::path> files{"/data/a.txt"};
  reads.watch("a", held(5, files));
  reads.watch("values", held(5, {}));
  const Json record = reads.close();
  CHECK(record.size() == 1);
  CHECK_NOTHROW(run::compare_reads(record, {{"a", held(5, files)}}, nullptr));
  CHECK_THROWS_WITH(run::compare_reads(record, {{"a", held(6, files)}}, nullptr),
                    Catch::Contains("input 'a' has changed"));
}
