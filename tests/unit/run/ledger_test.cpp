// The ledger: records and attempts read back, torn and damaged files.
#include "pipeline/run/ledger.hpp"

#include <catch2/catch.hpp>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>

#include "io/files/checksum.hpp"
#include "pipeline/base/error.hpp"
#include "tests/support/temp_folder.hpp"

using namespace terrace;
namespace fs = std::filesystem;

namespace {

struct TwoWords {
  std::int64_t first, second;
};

/// A tile at home of which only parts are done.
run::StoredVersion parts_of(std::int64_t number) {
  return {run::home_slot, 0, 6, 0, {{{{8, 0}, {9, 3}}, 1u}, {{{9, number}, {10, 3}}, 0xfedcba9876543210ull}}};
}

run::Checkpoint checkpoint_of(std::int64_t number) {
  run::Checkpoint checkpoint;
  checkpoint.stage = 0;
  checkpoint.frontier = number;
  checkpoint.done.add(number + 2, number + 4);
  checkpoint.results[number + 2] = std::string("\0\1\xff", 3);
  checkpoint.phases.push_back(
      {5, {1, 100, run::Order::in_turn, TwoWords{-1, std::numeric_limits<std::int64_t>::max()}, 7}});
  checkpoint.folded = "state " + std::to_string(number);
  checkpoint.tiles[{0, number, 1}] = {number, 0xfedcba9876543210ull, 512, 3};
  if (number > 0) checkpoint.gone.push_back({0, number - 1, 1});
  checkpoint.tiles[{2, 5, 1}] = parts_of(number);
  checkpoint.inputs[{1, number, 0}] = 77;
  return checkpoint;
}

/// Checks the state after checkpoint `number`.
void check_state(const run::Progress& progress, std::int64_t number) {
  REQUIRE(progress.current);
  const run::Checkpoint& checkpoint = *progress.current;
  CHECK(checkpoint.frontier == number);
  CHECK(checkpoint.folded == "state " + std::to_string(number));
  CHECK(checkpoint.done.ranges() == checkpoint_of(number).done.ranges());
  CHECK(checkpoint.results == checkpoint_of(number).results);
  CHECK(checkpoint.phases.at(0).first_sequence == 5);
  CHECK(checkpoint.phases.at(0).phase.number == 1);
  CHECK(checkpoint.phases.at(0).phase.count == 100);
  CHECK(checkpoint.phases.at(0).phase.order == run::Order::in_turn);
  CHECK(checkpoint.phases.at(0).phase.further == 7);
  CHECK(checkpoint.phases.at(0).phase.value.as<TwoWords>().first == -1);
  CHECK(checkpoint.phases.at(0).phase.value.as<TwoWords>().second == std::numeric_limits<std::int64_t>::max());
  CHECK(checkpoint.tiles == run::StoredVersions{{{0, number, 1}, {number, 0xfedcba9876543210ull, 512, 3}},
                                                {{2, 5, 1}, parts_of(number)}});
  CHECK(checkpoint.inputs.size() == static_cast<std::size_t>(number) + 1);
}

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// A folder with one attempt of three checkpoints; where each record ends.
struct ThreeCheckpoints {
  test::TempFolder folder;
  fs::path ledger = folder / "ledger", log = ledger / "1.log";
  std::vector<std::size_t> ends;

  ThreeCheckpoints() {
    run::Ledger written(ledger, {});
    ends.push_back(fs::file_size(log));
    for (std::int64_t number = 0; number < 3; ++number) {
      written.append(checkpoint_of(number));
      ends.push_back(fs::file_size(log));
    }
  }
};

}  // namespace

TEST_CASE("A folder without a ledger says that nothing was done") {
  test::TempFolder folder;
  const run::Progress progress = run::Ledger::read(folder / "ledger");
  CHECK(progress.completed.empty());
  CHECK_FALSE(progress.current);
  CHECK(progress.attempt == 0);
}

TEST_CASE("What was appended is read again, whole, with what checkpoints add and take away") {
  ThreeCheckpoints checkpoints;
  const run::Progress progress = run::Ledger::read(checkpoints.ledger);
  CHECK(progress.attempt == 1);
  check_state(progress, 2);
}

TEST_CASE("A ledger that ends anywhere counts up to its last whole record") {
  ThreeCheckpoints checkpoints;
  const std::string all = bytes_of(checkpoints.log);
  for (std::size_t length = 0; length < all.size(); ++length) {
    write(checkpoints.log, all.substr(0, length));
    const run::Progress progress = run::Ledger::read(checkpoints.ledger);
    CHECK(progress.attempt == 1);
    if (length < checkpoints.ends[1]) CHECK_FALSE(progress.current);
    else check_state(progress, length < checkpoints.ends[2] ? 0 : 1);
  }
}

TEST_CASE("A last record of which sectors are missing or zero does not count") {
  ThreeCheckpoints checkpoints;
  const std::string all = bytes_of(checkpoints.log);
  for (std::size_t at = checkpoints.ends[2]; at < checkpoints.ends[3]; at += 16) {
    std::string torn = all;
    for (std::size_t i = at; i < std::min(at + 16, torn.size()); ++i) torn[i] = '\0';
    write(checkpoints.log, torn);
    check_state(run::Ledger::read(checkpoints.ledger), 1);
  }
  write(checkpoints.log, all + std::string(3000, '\0'));
  check_state(run::Ledger::read(checkpoints.ledger), 2);
}

TEST_CASE("A damaged record before whole ones is an error that names the file, not an earlier state") {
  // The slots that an earlier state names may have been written over since.
  ThreeCheckpoints checkpoints;
  const std::string all = bytes_of(checkpoints.log);
  for (std::size_t at = 0; at < checkpoints.ends[2]; at += 7) {
    std::string damaged = all;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    write(checkpoints.log, damaged);
    CHECK_THROWS_WITH(run::Ledger::read(checkpoints.ledger), Catch::Contains(checkpoints.log.string()));
  }
}

TEST_CASE("Numbers of a checkpoint that are not finite are read as they were written") {
  test::TempFolder folder;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  {
    run::Ledger ledger(folder.path(), {});
    run::Checkpoint checkpoint = checkpoint_of(0);
    checkpoint.work = {infinity, -infinity};
    ledger.append(checkpoint);
  }
  const run::Progress progress = run::Ledger::read(folder.path());
  REQUIRE(progress.current);
  CHECK(progress.current->work.operations == infinity);
  CHECK(progress.current->work.skipped == -infinity);
  CHECK(progress.file == folder / "1.log");
}

TEST_CASE("A whole record that is not what this program writes is an error with its file and number") {
  for (const char* text : {"{}", "[1, 2", R"({"stage": "one", "complete": false})", R"({"completed": 5})", "null"}) {
    for (const bool first : {true, false}) {
      ThreeCheckpoints checkpoints;
      const std::string all = bytes_of(checkpoints.log), record = text;
      char header[64];
      std::snprintf(header, sizeof header, "%020zu %016llx\n", record.size(),
                    static_cast<unsigned long long>(io::checksum(std::as_bytes(std::span(record)))));
      write(checkpoints.log, (first ? "" : all) + header + record);
      const std::string place = checkpoints.log.string() + ", record " + (first ? "1" : "5") + ": ";
      INFO(text);
      CHECK_THROWS_AS(run::Ledger::read(checkpoints.ledger), IoError);
      CHECK_THROWS_WITH(run::Ledger::read(checkpoints.ledger),
                        Catch::StartsWith(place) && Catch::Contains("--fresh"));
    }
  }
}

TEST_CASE("Each attempt begins with the state it took over, and one that never began does not count") {
  ThreeCheckpoints checkpoints;
  { run::Ledger second(checkpoints.ledger, run::Ledger::read(checkpoints.ledger)); }
  CHECK(run::Ledger::read(checkpoints.ledger).attempt == 2);
  check_state(run::Ledger::read(checkpoints.ledger), 2);
  fs::remove(checkpoints.log);  // the second file needs no other
  check_state(run::Ledger::read(checkpoints.ledger), 2);

  const std::string second = bytes_of(checkpoints.ledger / "2.log");
  for (const std::string& begun : {std::string(), second.substr(0, 10), second.substr(0, second.size() - 1)}) {
    write(checkpoints.ledger / "3.log", begun);
    check_state(run::Ledger::read(checkpoints.ledger), 2);
    CHECK(run::Ledger::read(checkpoints.ledger).attempt == 3);
  }
  {
    run::Ledger fourth(checkpoints.ledger, run::Ledger::read(checkpoints.ledger));
    run::Checkpoint complete;
    complete.complete = true;
    complete.folded = "all";
    complete.inputs[{1, 7, 0}] = 99;
    fourth.append(complete);
    run::Checkpoint next = checkpoint_of(0);
    next.stage = 1;
    fourth.append(next);
  }
  const run::Progress progress = run::Ledger::read(checkpoints.ledger);
  CHECK(progress.attempt == 4);
  REQUIRE(progress.completed.size() == 1);
  CHECK(progress.completed.at(0).folded == "all");
  CHECK(progress.completed.at(0).inputs.size() == 4);  // the reads of the three checkpoints before it, and its own
  CHECK(progress.completed.at(0).inputs.at({1, 7, 0}) == 99);
  REQUIRE(progress.current);
  CHECK(progress.current->stage == 1);
  CHECK(progress.current->tiles.size() == 2);
}

TEST_CASE("Of a complete stage the checksums of its tiles at home are kept, over attempts") {
  test::TempFolder folder;
  {
    run::Ledger ledger(folder / "ledger", {});
    run::Checkpoint checkpoint;
    checkpoint.tiles[{0, 0, 1}] = {3, 5, 1, 0};
    checkpoint.tiles[{1, 2, 4}] = {run::home_slot, 22, 1, 0};
    checkpoint.tiles[{1, 0, 4}] = parts_of(1);
    ledger.append(checkpoint);
    run::Checkpoint complete;
    complete.complete = true;
    complete.gone = {{0, 0, 1}};
    complete.tiles[{1, 0, 4}] = {run::home_slot, 20, 1, 0};
    complete.tiles[{1, 1, 4}] = {run::home_slot, 0xffffffffffffffffull, 1, 0};
    complete.tiles[{3, 0, 1}] = {run::home_slot, 7, 1, 0};
    ledger.append(complete);
  }
  const run::HomeChecksums expected{{1, {20, 0xffffffffffffffffull, 22}}, {3, {7}}};
  CHECK(run::Ledger::read(folder / "ledger").completed.at(0).tiles == expected);
  { run::Ledger second(folder / "ledger", run::Ledger::read(folder / "ledger")); }
  CHECK(run::Ledger::read(folder / "ledger").completed.at(0).tiles == expected);
}

TEST_CASE("Files that are no attempts are passed over") {
  ThreeCheckpoints checkpoints;
  write(checkpoints.ledger / "notes.txt", "x");
  write(checkpoints.ledger / "x.log", "x");
  check_state(run::Ledger::read(checkpoints.ledger), 2);
}

TEST_CASE("The same attempt cannot be begun twice") {
  test::TempFolder folder;
  run::Ledger first(folder / "ledger", {});
  CHECK_THROWS_WITH(run::Ledger(folder / "ledger", {}), Catch::Contains("1.log"));
}
