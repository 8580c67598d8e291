// Results against their record of checksums: every kind of damage is found and named.
#include "io/results/verify_checksums.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "io/results/checksums.hpp"
#include "io/results/reader.hpp"
#include "tests/support/flip.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/unit/io_write/read_result.hpp"

using namespace terrace;
using namespace terrace::io;
using test::flip;

namespace fs = std::filesystem;

namespace {

/// A finished sample, and its extents.
CreatedResult make_finished(const fs::path& path) {
  CreatedResult created = make_sample(path);
  finish_result(path, sample_finish());
  return created;
}

/// Offset in the file of the bytes of a text, or of a number.
std::int64_t place_of(const fs::path& path, std::span<const std::byte> bytes) {
  const auto all = read_file(path);
  const auto at = std::search(all.begin(), all.end(), bytes.begin(), bytes.end());
  REQUIRE(at != all.end());
  return at - all.begin();
}
std::int64_t place_of(const fs::path& path, const std::string& text) {
  return place_of(path, std::as_bytes(std::span(text)));
}

std::int64_t offset_of_dataset(const fs::path& path, const std::string& name) {
  const Hdf5Handle file = open_result(path);
  const Hdf5Handle dataset(H5Dopen2(file.get(), name.c_str(), H5P_DEFAULT), name, "cannot be opened");
  return static_cast<std::int64_t>(H5Dget_offset(dataset.get()));
}

Hdf5Handle open_to_change(const fs::path& path) {
  const Hdf5Handle access = hdf5_file_access();
  return {H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), path, "cannot be opened"};
}

std::optional<std::string> record_text(const fs::path& path) { return root_text(path, "checksums"); }

void check_one(const fs::path& path, const std::string& name, const std::string& what, const Box& box = {}) {
  INFO(name);
  const ChecksumReport report = verify_checksums(path);
  CHECK(report.recorded);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].name == name);
  CHECK(report.findings[0].box == box);
  CHECK_THAT(report.findings[0].what, Catch::Contains(what));
}

}  // namespace

TEST_CASE("a result as it was written has no findings, and all of it is read once") {
  const test::TempFolder folder;
  make_finished(folder / "r.h5");
  std::int64_t done = -1, all = 0;
  const auto progress = [&](std::int64_t now, std::int64_t total) {
    CHECK(now >= done);
    done = now, all = total;
  };
  const ChecksumReport report = verify_checksums(folder / "r.h5", progress);
  CHECK(report.findings.empty());
  CHECK(report.recorded);
  CHECK_FALSE(report.stopped);
  CHECK(report.datasets == 9);
  CHECK(report.bytes == 300 * 1000 * 4 + 64 * 33 * 7 * 8 + 8 + 16 + 56);
  CHECK(done == all);
  CHECK(all == report.bytes);
}

TEST_CASE("a flipped bit of a large dataset is found to its tile, in the first byte and the last") {
  const test::TempFolder folder;
  const fs::path path = folder / "r.h5";
  const CreatedResult created = make_finished(path);
  const std::int64_t table = created.extents[0]->offset, grid = created.extents[1]->offset;
  const std::pair<std::int64_t, Box> tables[] = {{0, {{0, 0}, {100, 300}}},
                                                 {(199 * 1000 + 899) * 4 + 3, {{100, 600}, {200, 900}}},
                                                 {300 * 1000 * 4 - 1, {{200, 900}, {300, 1000}}}};
  for (const auto& [byte, box] : tables) {
    flip(path, table + byte);
    check_one(path, "/align/table", "differs from what was written", box);
    flip(path, table + byte);
  }
  flip(path, grid + (63 * 33 * 7 + 4) * 8 + 7);
  check_one(path, "/heat/grid", "differs", {{60, 0, 4}, {64, 33, 7}});
}

TEST_CASE("flips in small datasets, texts, attributes and the record are found by name") {
  const test::TempFolder folder;
  const fs::path path = folder / "r.h5";
  make_finished(path);
  const auto check_flip = [&](std::int64_t at, const std::string& name, const std::string& what = "differs") {
    flip(path, at);
    check_one(path, name, what);
    flip(path, at);
    CHECK(verify_checksums(path).findings.empty());
  };
  check_flip(offset_of_dataset(path, "/align/score"), "/align/score");
  check_flip(offset_of_dataset(path, "/heat/x") + 20, "/heat/x");
  check_flip(place_of(path, "12=1X3D"), "/align/cigar");
  check_flip(place_of(path, "wärme"), "/profile/stages/name");
  check_flip(place_of(path, "temperature"), "/heat/grid@long_name");
  check_flip(place_of(path, "gpu 0"), "/@devices");
  const double diffusivity = 0.25;
  check_flip(place_of(path, std::as_bytes(std::span(&diffusivity, 1))), "/heat@diffusivity");
  check_flip(offset_of_dataset(path, "/checksums/align/table") + 8, "/checksums/align/table", "its dataset does not");
  const std::string text = *record_text(path);
  // A digit of the checksum in the record: the dataset's tiles and their table agree.
  check_flip(place_of(path, text), "/checksums/align/table", "differs from the record");
  check_flip(place_of(path, "i32 300x1000") + 2, "/@checksums", "is damaged: line 1 of the record");
}

TEST_CASE("what is missing, was added or is of another kind is found") {
  const test::TempFolder folder;
  const fs::path path = folder / "r.h5";
  const auto change = [&](auto&& work) {
    make_finished(path);
    const Hdf5Handle file = open_to_change(path);
    work(file);
  };
  const auto names = [&] {
    std::vector<std::string> found;
    for (const ChecksumFinding& finding : verify_checksums(path).findings) {
      found.push_back(finding.name + " " + finding.what);
    }
    return found;
  };
  using Texts = std::vector<std::string>;
  change([](const Hdf5Handle& file) { H5Ldelete(file.get(), "/align/start", H5P_DEFAULT); });
  CHECK(names() == Texts{"/align/start is missing"});
  change([](const Hdf5Handle& file) { H5Ldelete(file.get(), "/checksums/align/table", H5P_DEFAULT); });
  CHECK(names() == Texts{"/checksums/align/table is missing"});
  change([](const Hdf5Handle& file) { H5Adelete(file.get(), "version"); });
  CHECK(names() == Texts{"/@version is missing"});
  const auto add = [](const Hdf5Handle& file, const char* name, hid_t type) {
    const hsize_t two = 2;
    const Hdf5Handle space(H5Screate_simple(1, &two, nullptr), name, "no space");
    const Hdf5Handle made(H5Dcreate2(file.get(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                          name, "not made");
  };
  change([&](const Hdf5Handle& file) { add(file, "/align/more", H5T_STD_I64LE); });
  CHECK(names() == Texts{"/align/more was added: the record of checksums does not name it"});
  change([&](const Hdf5Handle& file) {
    H5Ldelete(file.get(), "/align/start", H5P_DEFAULT);
    add(file, "/align/start", H5T_STD_I64BE);
  });
  CHECK(names() == Texts{"/align/start is other of 2 and was written as i64 of 2"});
}

TEST_CASE("a file without record, cut short, or no HDF5 file, is told from damage") {
  const test::TempFolder folder;
  const fs::path path = folder / "r.h5";
  make_finished(path);
  H5Adelete(open_to_change(path).get(), "checksums");
  ChecksumReport report = verify_checksums(path);
  CHECK_FALSE(report.recorded);
  CHECK(report.findings.empty());
  make_finished(path);
  fs::resize_file(path, fs::file_size(path) - 1);
  report = verify_checksums(path);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].name == "/");
  CHECK_THAT(report.findings[0].what, Catch::Contains("cut short"));
  write_file_durably(path, "no HDF5 at all");
  CHECK_THAT(verify_checksums(path).findings.at(0).what, Catch::Contains("no HDF5 file"));
  CHECK_THROWS_WITH(verify_checksums(folder / "none.h5"), Catch::Contains("is not there"));
  CHECK_THROWS_WITH(verify_checksums(folder.path()), Catch::Contains("is no file"));
}

TEST_CASE("a verification stops when it is told to") {
  const test::TempFolder folder;
  make_finished(folder / "r.h5");
  const std::atomic<int> stop = 1;
  const ChecksumReport report = verify_checksums(folder / "r.h5", {}, &stop);
  CHECK(report.stopped);
  CHECK(report.findings.empty());
}

TEST_CASE("no damage to the file ends the process, and none to its data goes unnoticed") {
  const test::TempFolder folder;
  const fs::path whole = folder / "whole.h5", path = folder / "r.h5";
  const CreatedResult created = make_finished(whole);
  std::mt19937_64 random(7);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  const auto size = static_cast<std::int64_t>(fs::file_size(whole));
  const std::int64_t data_end = created.extents[0]->offset + created.extents[0]->bytes;
  for (int round = 0; round < 150; ++round) {
    fs::copy_file(whole, path, fs::copy_options::overwrite_existing);
    const bool in_data = round % 5 == 0;
    for (int flips = 1 + static_cast<int>(below(4)); flips > 0; --flips) {
      // Most of the file is data; the rest is at its beginning and its end.
      const std::int64_t first = created.extents[0]->offset;
      const std::int64_t outside = first + size - data_end;
      const std::int64_t at = below(outside);
      flip(path,
           in_data      ? first + below(data_end - first)
           : at < first ? at
                        : data_end + at - first,
           static_cast<int>(below(8)));
    }
    if (round % 17 == 3) fs::resize_file(path, static_cast<std::uintmax_t>(below(size)));
    const ChecksumReport report = verify_checksums(path);
    if (in_data || round % 17 == 3) CHECK_FALSE((report.recorded && report.findings.empty()));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  CHECK(usage.ru_maxrss < (1 << 20));  // KiB
}

TEST_CASE("the record is what its description says") {
  const test::TempFolder folder;
  make_finished(folder / "r.h5");
  const auto record = record_from(*record_text(folder / "r.h5"));
  CHECK(to_text(record) == *record_text(folder / "r.h5"));
  const auto line = [&](const std::string& name) {
    const auto at = std::find_if(record.begin(), record.end(), [&](const auto& entry) { return entry.name == name; });
    REQUIRE(at != record.end());
    return *at;
  };
  const auto sum = [](const std::string& fields, std::span<const std::byte> content) {
    std::vector<std::byte> bytes(fields.size());
    std::memcpy(bytes.data(), fields.data(), fields.size());
    bytes.insert(bytes.end(), content.begin(), content.end());
    return checksum(bytes);
  };
  const auto tiles =
      read_dataset<std::uint64_t>(open_result(folder / "r.h5"), "/checksums/align/table", H5T_NATIVE_UINT64);
  CHECK(line("/align/table").checksum == sum("i32 300x1000 100x300\n", std::as_bytes(std::span(tiles))));
  const std::int64_t score = 88353;
  CHECK(line("/align/score").checksum == sum("i64 - -\n", std::as_bytes(std::span(&score, 1))));
  const char names[] = "align\0\0wärme";  // and a byte 0
  CHECK(line("/profile/stages/name").checksum == sum("text 3 -\n", std::as_bytes(std::span(names))));
  CHECK(line("/heat/nothing").checksum == sum("f32 0x7 1x4\n", {}));
  const char unit[] = "K";
  CHECK(line("/heat/grid@units").checksum == sum("text - -\n", std::as_bytes(std::span(unit))));
}

TEST_CASE("lines that cannot be are refused") {
  for (const std::string text :
       {"12 i32 3 - /a", "0123456789abcdef i33 3 - /a", "0123456789abcdef i32 -3 - /a",
        "0123456789abcdef i32 3x - /a", "0123456789abcdef i32 3 -", "0123456789abcdef i32 3 0 /a",
        "0123456789abcdef i32 3 1x1 /a", "xyz", "0123456789abcdef text 3 1 /a", "0123456789abcdeg i32 3 - /a",
        "0123456789abcdef i32 4611686018427387904x4 - /a"}) {
    INFO(text);
    CHECK_THROWS_WITH(record_from(text), Catch::Contains("line 1 of the record"));
  }
  CHECK(record_from("").empty());
}
