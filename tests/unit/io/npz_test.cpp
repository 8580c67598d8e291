// Archives of NumPy as inputs: arrays that are stored and arrays that are compressed, parts of them, damaged ones.
#include <zip.h>

#include <catch2/catch.hpp>

#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

/// A .npy file of i32.
std::string npy(const std::string& shape, const std::vector<std::int32_t>& values, bool fortran = false) {
  std::string header =
      "{'descr': '<i4', 'fortran_order': " + std::string(fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(header.size());
  file += '\0';
  return file + header + bytes_of(values);
}

struct Part {
  std::string name, content;
  bool compressed = false;
};

void write_zip(const TempFolder& folder, const std::string& name, const std::vector<Part>& parts) {
  int code = 0;
  const std::string path = (folder.path() / name).string();
  zip_t* zip = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  REQUIRE(zip != nullptr);
  for (const Part& part : parts) {
    zip_source_t* source = zip_source_buffer(zip, part.content.data(), part.content.size(), 0);
    const zip_int64_t index = zip_file_add(zip, part.name.c_str(), source, 0);
    REQUIRE(index >= 0);
    zip_set_file_compression(zip, static_cast<zip_uint64_t>(index), part.compressed ? ZIP_CM_DEFLATE : ZIP_CM_STORE,
                             0);
  }
  REQUIRE(zip_close(zip) == 0);
}

}  // namespace

TEST_CASE("Arrays of an archive are read, stored or compressed, by name where there are several") {
  TempFolder folder;
  const auto values = counting<std::int32_t>(24);
  write_zip(folder, "a.npz", {{"stored.npy", npy("(4, 6)", values)}, {"packed.npy", npy("(4, 6)", values), true}});
  for (const char* name : {"stored", "packed"}) {
    INFO(name);
    const auto array = open_input(folder, {{"npz", "a.npz"}, {"array", name}});
    CHECK(array->shape() == Extents{4, 6});
    CHECK(read_all<std::int32_t>(*array) == values);
    CHECK(read_box<std::int32_t>(*array, {{1, 2}, {3, 4}}) == std::vector<std::int32_t>{8, 9, 14, 15});
    CHECK(read_box<std::int32_t>(*array, {{0, 0}, {1, 1}}) == std::vector<std::int32_t>{0});
    const auto row = open_input(folder, {{"npz", "a.npz"}, {"array", name}, {"select", Ranges{{3}, {1, 3}}}});
    CHECK(read_all<std::int32_t>(*row) == std::vector<std::int32_t>{19, 20});
    const auto part = open_input(folder, {{"npz", "a.npz"}, {"array", name}, {"range", Values{1, 2}}});
    CHECK(part->shape() == Extents{1, 6});
    CHECK(read_all<std::int32_t>(*part)[0] == 6);
  }
  CHECK(open_error(folder, {{"npz", "a.npz"}}) ==
        "job: job.yaml:7: npz: npz: a.npz has the arrays 'stored', 'packed'; say which one by `array`");
  CHECK(open_input(folder, {{"npz", "a.npz"}, {"array", "stored.npy"}})->shape() == Extents{4, 6});
  CHECK(open_error(folder, {{"npz", "a.npz"}, {"array", "storde"}}).find("did you mean 'stored'?") !=
        std::string::npos);
  CHECK(open_error(folder, {{"npz", "a.npz"}, {"array", "packed"}, {"range", Values{0, 5}}})
            .find("range: [0, 5) does not lie in a.npz, array packed, which is of shape 4 x 6") != std::string::npos);
}

TEST_CASE("Arrays in Fortran order are transposed, in archives too") {
  TempFolder folder;
  for (const bool compressed : {false, true}) {
    write_zip(folder, "a.npz", {{"x.npy", npy("(2, 3)", {0, 10, 1, 11, 2, 12}, true), compressed}});
    CHECK(read_all<std::int32_t>(*open_input(folder, {{"npz", "a.npz"}})) ==
          std::vector<std::int32_t>{0, 1, 2, 10, 11, 12});
  }
}

TEST_CASE("Archives that are none, were cut short or changed are errors that name file and array") {
  TempFolder folder;
  for (const char* text : {"", "PK", "no archive at all"}) {
    folder.write("a.npz", text);
    CHECK(open_error(folder, {{"npz", "a.npz"}}).find("io: a.npz: is no .npz file") == 0);
  }
  write_zip(folder, "a.npz", {{"x.npy", "no numpy", true}});
  CHECK(open_error(folder, {{"npz", "a.npz"}}).find("io: a.npz, array x: is no .npy file") == 0);
  write_zip(folder, "a.npz", {{"x.npy", npy("(4, 7)", counting<std::int32_t>(24)), true}});
  CHECK(open_error(folder, {{"npz", "a.npz"}}).find("io: a.npz, array x: has 96 bytes of elements, and 4 x 7") == 0);
  std::vector<std::int32_t> values = counting<std::int32_t>(4000);
  for (auto& value : values) value = value * 7919 % 10007;
  write_zip(folder, "a.npz", {{"x.npy", npy("(4000,)", values), true}});
  const std::string good = folder.read("a.npz");
  for (const std::size_t length : {good.size() - 1, good.size() / 2, std::size_t{30}}) {
    folder.write("a.npz", good.substr(0, length));
    CHECK(open_error(folder, {{"npz", "a.npz"}}).find("io: a.npz") == 0);
  }
  for (std::size_t at = 40; at < good.size(); at += 977) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    folder.write("a.npz", changed);
    INFO(at);
    const std::string error = open_error(folder, {{"npz", "a.npz"}});
    CHECK((error.find("io: a.npz") == 0 || error == "none"));
  }
}
