// NumPy files as inputs: types, byte orders, Fortran order, damaged headers.
#include <catch2/catch.hpp>

#include "io/node_names.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

/// A .npy file as NumPy writes it.
std::string npy(const std::string& type, bool fortran, const std::string& shape, const std::string& data,
                int version = 1) {
  std::string header =
      "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  const std::size_t prefix = version == 1 ? 10 : 12;
  while ((prefix + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string length = bytes_of(std::vector<std::uint32_t>{static_cast<std::uint32_t>(header.size())});
  if (version == 1) length.resize(2);
  return "\x93NUMPY" + std::string{static_cast<char>(version), '\0'} + length + header + data;
}

template <class T>
void check_round_trip(const std::string& code) {
  TempFolder folder;
  const auto values = counting<T>(24);
  for (int version : {1, 2, 3}) {
    folder.write("a.npy", npy("<" + code, false, "(2, 3, 4)", bytes_of(values), version));
    CHECK(read_all<T>(*open_input(folder, {{"npy", "a.npy"}})) == values);
  }
  folder.write("a.npy", npy(">" + code, false, "(24,)", bytes_of(values, true)));
  CHECK(read_all<T>(*open_input(folder, {{"npy", "a.npy"}})) == values);
}

}  // namespace

TEST_CASE("NumPy files of every type and byte order read back") {
  check_round_trip<std::uint8_t>("u1");
  check_round_trip<std::int8_t>("i1");
  check_round_trip<std::uint16_t>("u2");
  check_round_trip<std::int16_t>("i2");
  check_round_trip<std::uint32_t>("u4");
  check_round_trip<std::int32_t>("i4");
  check_round_trip<std::uint64_t>("u8");
  check_round_trip<std::int64_t>("i8");
  check_round_trip<float>("f4");
  check_round_trip<double>("f8");
}

TEST_CASE("Every number of 16 bits is read as f32") {
  TempFolder folder;
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  for (const bool big_endian : {false, true}) {
    folder.write("a.npy", npy(big_endian ? ">f2" : "<f2", false, "(65536,)", bytes_of(bits, big_endian)));
    const auto read = read_all<float>(*open_input(folder, {{"npy", "a.npy"}}));
    for (const std::uint16_t at : bits) {
      const int exponent = at >> 10 & 31, fraction = at & 1023;
      const float magnitude = exponent == 31  ? (fraction == 0 ? INFINITY : NAN)
                              : exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                                              : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
      const float expected = at >> 15 != 0 ? -magnitude : magnitude;
      if (std::isnan(expected)) REQUIRE(std::isnan(read[at]));
      else REQUIRE(read[at] == expected);
      REQUIRE(std::signbit(read[at]) == (at >> 15 != 0));
    }
  }
}

TEST_CASE("A box of a NumPy file is read alone") {
  TempFolder folder;
  folder.write("a.npy", npy("<i4", false, "(3, 4, 5)", bytes_of(counting<std::int32_t>(60))));
  auto source = open_input(folder, {{"npy", "a.npy"}});
  CHECK(source->shape() == Extents{3, 4, 5});
  CHECK(source->files() == std::vector{folder.path() / "a.npy"});
  CHECK(read_box<std::int32_t>(*source, {{1, 1, 3}, {3, 3, 5}}) ==
        std::vector<std::int32_t>{28, 29, 33, 34, 48, 49, 53, 54});
  CHECK(read_box<std::int32_t>(*source, {{0, 3, 0}, {2, 4, 5}}) ==
        std::vector<std::int32_t>{15, 16, 17, 18, 19, 35, 36, 37, 38, 39});
  CHECK(read_box<std::int32_t>(*source, {{1, 1, 1}, {1, 3, 2}}).empty());
}

TEST_CASE("Texts of NumPy are names") {
  TempFolder folder;
  const auto wide = [](std::u32string letters, bool big) {
    return bytes_of(std::vector<std::uint32_t>(letters.begin(), letters.end()), big);
  };
  const auto check_names = [&](const std::string& bytes, const Texts& names, const Values& numbers) {
    folder.write("a.npy", bytes);
    const auto source = open_input(folder, {{"npy", "a.npy"}});
    CHECK(source->shape() == Extents{2, 2});
    REQUIRE(source->element_names());
    CHECK(std::get<NodeNames::Texts>(source->element_names()->names()) == names);
    CHECK(read_all<std::int64_t>(*source) == numbers);
  };
  using namespace std::string_literals;
  const Texts names{"abc", "de", "f"};
  check_names(npy("|S3", false, "(2, 2)", "abcde\0abcf\0\0"s), names, {0, 1, 0, 2});
  check_names(npy("|S3", true, "(2, 2)", "abcde\0abcf\0\0"s), names, {0, 0, 1, 2});
  for (const bool big : {false, true}) {
    check_names(npy(big ? ">U2" : "<U2", false, "(2, 2)", wide(U"a\0\u00e4b\U0001F600\0\u20ac\0"s, big)),
                {"a", "\u00e4b", "\U0001F600", "\u20ac"}, {0, 1, 2, 3});
  }
  folder.write("a.npy", npy("<U2", false, "(0, 2)", ""));
  CHECK(open_input(folder, {{"npy", "a.npy"}})->element_names());
  folder.write("a.npy", npy("|S3", false, "(2, 2)", "abcde\0abcf\0\0"s));
  const auto part = open_input(folder, {{"npy", "a.npy"}, {"select", Ranges{{0, 2}, {1}}}});
  REQUIRE(part->element_names());
  CHECK(read_all<std::int64_t>(*part) == Values{1, 2});
}

TEST_CASE("A Fortran-order NumPy file reads as the same array") {
  TempFolder folder;
  // a[i][j][k] = 12 i + 4 j + k, stored first index fastest.
  std::vector<double> stored;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) stored.push_back(12 * i + 4 * j + k);
    }
  }
  folder.write("a.npy", npy(">f8", true, "(2, 3, 4)", bytes_of(stored, true)));
  auto source = open_input(folder, {{"npy", "a.npy"}});
  CHECK(source->shape() == Extents{2, 3, 4});
  CHECK(read_all<double>(*source) == counting<double>(24));
  CHECK(read_box<double>(*source, {{1, 0, 2}, {2, 3, 4}}) == std::vector<double>{14, 15, 18, 19, 22, 23});
}

TEST_CASE("Scalars, booleans and empty arrays are NumPy files, too") {
  TempFolder folder;
  folder.write("scalar.npy", npy("<f8", false, "()", bytes_of(std::vector<double>{2.5})));
  CHECK(read_all<double>(*open_input(folder, {{"npy", "scalar.npy"}})) == std::vector<double>{2.5});
  folder.write("flags.npy", npy("|b1", false, "(3,)", std::string("\x01\x00\x01", 3)));
  CHECK(read_all<std::uint8_t>(*open_input(folder, {{"npy", "flags.npy"}})) == std::vector<std::uint8_t>{1, 0, 1});
  for (bool fortran : {false, true}) {
    folder.write("empty.npy", npy("<f4", fortran, "(0, 5)", ""));
    CHECK(read_all<float>(*open_input(folder, {{"npy", "empty.npy"}})).empty());
  }
}

TEST_CASE("What is no sound NumPy file is an error that says why") {
  TempFolder folder;
  const auto error = [&](const std::string& bytes) {
    folder.write("a.npy", bytes);
    return open_error(folder, {{"npy", "a.npy"}});
  };
  const std::string data = bytes_of(counting<double>(6));
  CHECK(error("") == "io: a.npy: is no .npy file: it does not begin with NumPy's magic bytes");
  CHECK(error("PK\x03\x04 this is an npz") ==
        "io: a.npy: is no .npy file: it does not begin with NumPy's magic bytes");
  CHECK(error("\x93NUMPY\x01") == "io: a.npy: was cut short in the .npy header");
  CHECK(error("\x93NUMPY\x09" + std::string(30, '\0')) ==
        "io: a.npy: is of .npy version 9; versions 1 to 3 can be read");
  CHECK(error(npy("<f8", false, "(6,)", data).substr(0, 100)) == "io: a.npy: was cut short in the .npy header");
  CHECK(error(npy("<f8", false, "(6,)", data.substr(0, 40))) ==
        "io: a.npy: has 168 bytes, but 6 elements of f64 from byte 128 on need more; the file was cut short, or "
        "shape, type or offset are wrong");
  CHECK(error(npy("<f3", false, "(6,)", data)) ==
        "io: a.npy: the .npy header has the element type '<f3'; booleans, texts, f16 and u8, i8, u16, i16, u32, i32, "
        "u64, "
        "i64, "
        "f32, f64 can be read: convert with astype() and save again");
  CHECK(error(npy("<c16", false, "(6,)", data)).find("'<c16'") != std::string::npos);
  CHECK(error(npy("|O", false, "(6,)", data)).find("describes Python's objects") != std::string::npos);
  CHECK(error(npy("<Ux", false, "(6,)", data)).find("'<Ux'") != std::string::npos);
  CHECK(error(npy("<U999999999999", false, "(6,)", data)).find("'<U999999999999'") != std::string::npos);
  CHECK(error(npy("<U2000000000", false, "(9000000000000000000, 9000000000000000000)", data)).find("io: a.npy: ") ==
        0);
  CHECK(error(npy("<U2000000000", false, "(900000000000,)", data)).find("io: a.npy: has 176 bytes, but") == 0);
  CHECK(error(npy("<U1", false, "(2,)", bytes_of(std::vector<std::uint32_t>{65, 0xd800}))) ==
        "io: a.npy: text 1 has a number that is no letter: the file is damaged");
  CHECK(error(npy("<f8", false, "(-6,)", data)) == "io: a.npy: the .npy header has a shape that is none");
  CHECK(error(npy("<f8", false, "(6, x)", data)) == "io: a.npy: the .npy header has a shape that is none");
  CHECK(error(npy("<f8", false, "(4611686018427387904, 4)", data)).find("io: a.npy: has 176 bytes, but") == 0);
  CHECK(error(npy("<f8", false, "(9223372036854775807,)", data)).find("io: a.npy: has 176 bytes, but") == 0);
  std::string keys = npy("<f8", false, "(6,)", data);
  keys.replace(keys.find("shape"), 5, "shade");
  CHECK(error(keys) == "io: a.npy: the .npy header has the unknown key 'shade'");
}

TEST_CASE("No flipped byte in a NumPy header crashes or hangs") {
  TempFolder folder;
  const std::string good = npy("<f8", false, "(2, 3)", bytes_of(counting<double>(6)));
  for (std::size_t at = 0; at < 128; ++at) {
    for (int flip : {1, 8, 64, 255}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ flip);
      folder.write("a.npy", bytes);
      const std::string error = open_error(folder, {{"npy", "a.npy"}});
      CHECK((error == "none" || error.find("io: a.npy: ") == 0));
    }
  }
}

TEST_CASE("A missing file, a folder and a pipe are errors before anything is read") {
  TempFolder folder;
  folder.write("genome.npy", "x");
  std::filesystem::create_directory(folder.path() / "folder");
  REQUIRE(std::system(("mkfifo " + (folder.path() / "pipe").string()).c_str()) == 0);
  for (const char* kind : {"npy", "hdf5", "external", "csv", "text", "fasta", "image"}) {
    CHECK(open_error(folder, {{kind, "genom.npy"}}) ==
          "io: genom.npy: there is no such file; did you mean 'genome.npy'?");
    CHECK(open_error(folder, {{kind, "x/y"}}) == "io: x/y: there is no such file; the folder does not exist either");
    CHECK(open_error(folder, {{kind, "folder"}}) == "io: folder: is a folder; name a file in it");
    CHECK(open_error(folder, {{kind, "pipe"}}) == "io: pipe: is no regular file; copy its contents into one");
    CHECK(open_error(folder, {{kind, ""}}) ==
          std::string("job: job.yaml:7: ") + kind + ": " + kind + ": a file's name is missing");
  }
}
