// HDF5 datasets as inputs: types, layouts, selections, damaged files.
#include <hdf5.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <thread>

#include "io/child_check.hpp"
#include "io/hdf5/dataset.hpp"
#include "io/input_file.hpp"
#include "io/node_names.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

struct Layout {
  std::vector<hsize_t> chunk = {};
  bool deflate = false, shuffle = false, checksum = false, compact = false;
  hsize_t user_block = 0;
  bool late = false;  // space is allocated when it is written, and nothing is
};

/// A file with one dataset /data of the type; `memory` is the type of the values.
void write_hdf5(const std::filesystem::path& path, hid_t stored, hid_t memory, const std::vector<hsize_t>& shape,
                const void* values, const Layout& layout = {}, const char* name = "data") {
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  const int rank = static_cast<int>(shape.size());
  if (!layout.chunk.empty()) H5Pset_chunk(creation.get(), rank, layout.chunk.data());
  if (layout.shuffle) H5Pset_shuffle(creation.get());
  if (layout.deflate) H5Pset_deflate(creation.get(), 6);
  if (layout.checksum) H5Pset_fletcher32(creation.get());
  if (layout.compact) H5Pset_layout(creation.get(), H5D_COMPACT);
  Hdf5Handle file_creation = hdf5_properties(H5P_FILE_CREATE);
  if (layout.user_block > 0) H5Pset_userblock(file_creation.get(), layout.user_block);
  const std::string where = path.string();
  Hdf5Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, file_creation.get(), hdf5_file_access().get()), where,
                  "create");
  Hdf5Handle links = hdf5_properties(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links.get(), 1);
  Hdf5Handle space(H5Screate_simple(rank, shape.data(), nullptr), where, "space");
  Hdf5Handle set(H5Dcreate2(file.get(), name, stored, space.get(), links.get(), creation.get(), H5P_DEFAULT), where,
                 "set");
  if (!layout.late) check_hdf5(H5Dwrite(set.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), where, "write");
}

template <class T>
void check_type(hid_t little, hid_t big, hid_t memory) {
  TempFolder folder;
  const auto values = counting<T>(60);
  Layout packed{{4, 3}, true, true, true};
  for (hid_t stored : {little, big}) {
    for (const Layout& layout : {Layout{}, Layout{{4, 3}}, packed, Layout{{}, false, false, false, true}}) {
      write_hdf5(folder.path() / "a.h5", stored, memory, {6, 10}, values.data(), layout);
      auto source = open_input(folder, {{"hdf5", "a.h5"}, {"dataset", "data"}});
      CHECK(source->shape() == Extents{6, 10});
      CHECK(read_all<T>(*source) == values);
      CHECK(read_box<T>(*source, {{2, 3}, {4, 5}}) == std::vector<T>{T(23), T(24), T(33), T(34)});
      auto part = open_input(folder, {{"hdf5", "a.h5"}, {"dataset", "/data"}, {"select", Ranges{{1, 6}, {2, 9}}}});
      CHECK(part->shape() == Extents{5, 7});
      CHECK(read_box<T>(*part, {{1, 1}, {3, 3}}) == std::vector<T>{T(23), T(24), T(33), T(34)});
    }
  }
}

std::string small_file(const TempFolder& folder, const Layout& layout) {
  const auto values = counting<std::int32_t>(60);
  write_hdf5(folder.path() / "a.h5", H5T_STD_I32LE, H5T_NATIVE_INT32, {6, 10}, values.data(), layout);
  return folder.read("a.h5");
}

}  // namespace

TEST_CASE("HDF5 datasets of every type, byte order and layout read back") {
  check_type<std::uint8_t>(H5T_STD_U8LE, H5T_STD_U8BE, H5T_NATIVE_UINT8);
  check_type<std::int8_t>(H5T_STD_I8LE, H5T_STD_I8BE, H5T_NATIVE_INT8);
  check_type<std::uint16_t>(H5T_STD_U16LE, H5T_STD_U16BE, H5T_NATIVE_UINT16);
  check_type<std::int16_t>(H5T_STD_I16LE, H5T_STD_I16BE, H5T_NATIVE_INT16);
  check_type<std::uint32_t>(H5T_STD_U32LE, H5T_STD_U32BE, H5T_NATIVE_UINT32);
  check_type<std::int32_t>(H5T_STD_I32LE, H5T_STD_I32BE, H5T_NATIVE_INT32);
  check_type<std::uint64_t>(H5T_STD_U64LE, H5T_STD_U64BE, H5T_NATIVE_UINT64);
  check_type<std::int64_t>(H5T_STD_I64LE, H5T_STD_I64BE, H5T_NATIVE_INT64);
  check_type<float>(H5T_IEEE_F32LE, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT);
  check_type<double>(H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_NATIVE_DOUBLE);
}

TEST_CASE("Contiguous datasets are found behind a user block, and those never written are zero") {
  TempFolder folder;
  const auto values = counting<double>(12);
  Layout layout;
  layout.user_block = 1024;
  write_hdf5(folder.path() / "a.h5", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {12}, values.data(), layout);
  CHECK(Hdf5Dataset((folder.path() / "a.h5").string(), "data", 1 << 20).raw_place()->offset >= 1024);
  CHECK(read_all<double>(*open_input(folder, {{"hdf5", "a.h5"}})) == values);
  layout.late = true;
  write_hdf5(folder.path() / "a.h5", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {12}, nullptr, layout);
  CHECK(read_all<double>(*open_input(folder, {{"hdf5", "a.h5"}})) == std::vector<double>(12, 0.0));
}

TEST_CASE("Types without an exact counterpart are widened") {
  TempFolder folder;
  Hdf5Handle three(H5Tcopy(H5T_STD_I32LE), "test", "copy");
  H5Tset_precision(three.get(), 24);
  H5Tset_size(three.get(), 3);
  const std::vector<std::int32_t> values{-8388608, -1, 0, 8388607};
  write_hdf5(folder.path() / "a.h5", three.get(), H5T_NATIVE_INT32, {4}, values.data());
  CHECK(read_all<std::int32_t>(*open_input(folder, {{"hdf5", "a.h5"}})) == values);
  Hdf5Handle half(H5Tcopy(H5T_IEEE_F32LE), "test", "copy");
  H5Tset_fields(half.get(), 15, 10, 5, 0, 10);
  H5Tset_size(half.get(), 2);
  H5Tset_ebias(half.get(), 15);
  const std::vector<float> reals{-2, 0.5, 0, 65504};
  write_hdf5(folder.path() / "a.h5", half.get(), H5T_NATIVE_FLOAT, {4}, reals.data());
  CHECK(read_all<float>(*open_input(folder, {{"hdf5", "a.h5"}})) == reals);
  Hdf5Handle flags(H5Tenum_create(H5T_STD_I8LE), "test", "enum");
  const std::vector<std::int8_t> truth{0, 1, 1};
  H5Tenum_insert(flags.get(), "FALSE", &truth[0]);
  H5Tenum_insert(flags.get(), "TRUE", &truth[1]);
  write_hdf5(folder.path() / "a.h5", flags.get(), flags.get(), {3}, truth.data());
  CHECK(read_all<std::int8_t>(*open_input(folder, {{"hdf5", "a.h5"}})) == truth);
}

TEST_CASE("Empty datasets and empty selections have no elements") {
  TempFolder folder;
  write_hdf5(folder.path() / "a.h5", H5T_STD_I32LE, H5T_NATIVE_INT32, {0, 5}, nullptr,
             {{}, false, false, false, false, 0, true});
  CHECK(open_input(folder, {{"hdf5", "a.h5"}})->shape() == Extents{0, 5});
  CHECK(read_all<std::int32_t>(*open_input(folder, {{"hdf5", "a.h5"}})).empty());
  small_file(folder, {{4, 3}, true});
  CHECK(read_all<std::int32_t>(*open_input(folder, {{"hdf5", "a.h5"}, {"select", Ranges{{3, 3}, {0, 10}}}})).empty());
}

TEST_CASE("A wrong dataset name lists those there are and the near one") {
  TempFolder folder;
  const auto values = counting<std::int32_t>(4);
  write_hdf5(folder.path() / "a.h5", H5T_STD_I32LE, H5T_NATIVE_INT32, {4}, values.data(), {}, "ocean/levels");
  CHECK(read_all<std::int32_t>(*open_input(folder, {{"hdf5", "a.h5"}, {"dataset", "ocean/levels"}})) == values);
  CHECK(open_error(folder, {{"hdf5", "a.h5"}, {"dataset", "ocean/level"}}) ==
        "job: job.yaml:7: dataset: dataset: a.h5 has no 'ocean/level'; it has '/ocean/levels'; did you mean "
        "'/ocean/levels'?");
  CHECK(open_error(folder, {{"hdf5", "a.h5"}, {"dataset", "ocean"}})
            .find("job: job.yaml:7: dataset: dataset: 'ocean' of a.h5 is a group, not a dataset; it has "
                  "'/ocean/levels'") == 0);
  Hdf5Handle file(H5Fopen((folder.path() / "a.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "a.h5", "open");
  Hdf5Handle space(H5Screate(H5S_SCALAR), "a.h5", "space");
  Hdf5Handle second(H5Dcreate2(file.get(), "b", H5T_STD_I32LE, space.get(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    "a.h5", "b");
  second.close("b"), file.close("a");
  CHECK(open_error(folder, {{"hdf5", "a.h5"}}) ==
        "job: job.yaml:7: hdf5: dataset: a.h5 has '/b', '/ocean/levels'; name one");
  CHECK(open_input(folder, {{"hdf5", "a.h5"}, {"dataset", "b"}})->shape() == Extents{});
}

TEST_CASE("A selection outside of the dataset is an error") {
  TempFolder folder;
  small_file(folder, {});
  const auto error = [&](const Ranges& ranges) { return open_error(folder, {{"hdf5", "a.h5"}, {"select", ranges}}); };
  CHECK(error({{0, 6}}) ==
        "job: job.yaml:7: select: select: a.h5, dataset /data is of shape 6 x 10: give 2 ranges or indices, not 1");
  CHECK(
      error({{0, 6}, {0, 11}}) ==
      "job: job.yaml:7: select: select: a.h5, dataset /data is of shape 6 x 10: [0, 11) does not lie in dimension 1");
  CHECK(error({{4, 3}, {0, 10}}).find("[4, 3) does not lie in dimension 0") != std::string::npos);
  CHECK(error({{-1, 3}, {0, 10}}).find("[-1, 3) does not lie in dimension 0") != std::string::npos);
  const std::string both = error({{0, 7}, {0, 11}});
  CHECK(both.find("[0, 7) does not lie in dimension 0") != std::string::npos);
  CHECK(both.find("[0, 11) does not lie in dimension 1") != std::string::npos);
}

TEST_CASE("An index in a selection drops its dimension") {
  TempFolder folder;
  small_file(folder, {});
  const auto select = [&](const Ranges& ranges) {
    return open_input(folder, {{"hdf5", "a.h5"}, {"select", ranges}});
  };
  const auto whole = read_all<std::int32_t>(*open_input(folder, {{"hdf5", "a.h5"}}));
  const auto row = select({{2}, {3, 7}});
  CHECK(row->shape() == Extents{4});
  CHECK(read_all<std::int32_t>(*row) == std::vector<std::int32_t>(whole.begin() + 23, whole.begin() + 27));
  const auto column = select({{1, 4}, {9}});
  CHECK(column->shape() == Extents{3});
  CHECK(read_all<std::int32_t>(*column) == std::vector<std::int32_t>{whole[19], whole[29], whole[39]});
  CHECK(read_box<std::int32_t>(*column, {{1}, {2}}) == std::vector<std::int32_t>{whole[29]});
  const auto error = [&](const Ranges& ranges) { return open_error(folder, {{"hdf5", "a.h5"}, {"select", ranges}}); };
  CHECK(error({{6}, {0, 10}}).find("6 does not lie in dimension 0") != std::string::npos);
  CHECK(error({{-1}, {0, 10}}).find("-1 does not lie in dimension 0") != std::string::npos);
  CHECK(error({{1}, {2}}).find("a single element is no array") != std::string::npos);
}

TEST_CASE("Texts of HDF5 are names") {
  TempFolder folder;
  const Hdf5Handle fixed(H5Tcopy(H5T_C_S1), "test", "copy"), varying(H5Tcopy(H5T_C_S1), "test", "copy");
  H5Tset_size(fixed.get(), 4);
  H5Tset_size(varying.get(), H5T_VARIABLE);
  const char* texts[] = {"abc", "de", "abc", "f"};
  const auto check_names = [&] {
    const auto source = open_input(folder, {{"hdf5", "a.h5"}});
    CHECK(source->shape() == Extents{2, 2});
    REQUIRE(source->element_names());
    CHECK(std::get<NodeNames::Texts>(source->element_names()->names()) == Texts{"abc", "de", "f"});
    CHECK(read_all<std::int64_t>(*source) == Values{0, 1, 0, 2});
    CHECK(source->place_of({1, 1}).ends_with("a.h5, dataset /data"));
    const auto part = open_input(folder, {{"hdf5", "a.h5"}, {"select", Ranges{{1}, {0, 2}}}});
    REQUIRE(part->element_names());
    CHECK(read_all<std::int64_t>(*part) == Values{0, 2});
  };
  for (const Layout& layout : {Layout{}, Layout{{1, 2}, true}}) {
    write_hdf5(folder.path() / "a.h5", fixed.get(), fixed.get(), {2, 2}, "abc\0de\0\0abc\0f\0\0", layout);
    check_names();
    write_hdf5(folder.path() / "a.h5", varying.get(), varying.get(), {2, 2}, texts, layout);
    check_names();
  }
  CHECK(open_error(folder, {{"hdf5", "a.h5"}, {"each", "row"}}).find("the array is of texts") != std::string::npos);
}

TEST_CASE("Elements that are no numbers are refused with what can be read") {
  TempFolder folder;
  const Hdf5Handle opaque(H5Tcreate(H5T_OPAQUE, 4), "test", "create");
  write_hdf5(folder.path() / "a.h5", opaque.get(), opaque.get(), {2}, "abcdefg");
  CHECK(open_error(folder, {{"hdf5", "a.h5"}}) ==
        "io: a.h5, dataset /data: holds opaque bytes of 4 bytes; texts, integers, enumerations and floating point of "
        "up to 8 bytes can be read, as u8, i8, u16, i16, u32, i32, u64, i64, f32, f64");
  const std::vector<long double> wide{1, 2};
  write_hdf5(folder.path() / "a.h5", H5T_NATIVE_LDOUBLE, H5T_NATIVE_LDOUBLE, {2}, wide.data());
  CHECK(open_error(folder, {{"hdf5", "a.h5"}}).find("holds floating point of 16 bytes") != std::string::npos);
}

TEST_CASE("A file that is no HDF5, or was cut short anywhere, is an error") {
  TempFolder folder;
  folder.write("b.h5", "no hdf5");
  CHECK(open_error(folder, {{"hdf5", "b.h5"}}) == "io: b.h5: is no HDF5 file, or its first bytes are damaged");
  folder.write("b.h5", "");
  CHECK(open_error(folder, {{"hdf5", "b.h5"}}) == "io: b.h5: is no HDF5 file, or its first bytes are damaged");
  for (const Layout& layout : {Layout{}, Layout{{4, 3}, true}}) {
    const std::string good = small_file(folder, layout);
    for (std::size_t length = 8; length < good.size(); length += good.size() / 23) {
      folder.write("b.h5", good.substr(0, length));
      CHECK(open_error(folder, {{"hdf5", "b.h5"}}).find("io: b.h5") == 0);
    }
  }
}

TEST_CASE("A flipped byte in an HDF5 file is an error or harmless, never a crash or a hang") {
  TempFolder folder;
  Layout packed{{4, 3}, true, false, true};
  for (const Layout& layout : {Layout{}, packed}) {
    const std::string good = small_file(folder, layout);
    int errors = 0;
    for (std::size_t at = 8; at < good.size(); at += 11) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ 0xff);
      folder.write("b.h5", bytes);
      const std::string error = open_error(folder, {{"hdf5", "b.h5"}});
      INFO("byte " << at << ": " << error);
      CHECK((error == "none" || error.find("io: b.h5") == 0 || error.find("job: job.yaml:7: hdf5: dataset: ") == 0));
      errors += error != "none";
    }
    CHECK(errors > 10);
  }
}

TEST_CASE("A flipped byte in a chunk with a checksum is found when it is read") {
  TempFolder folder;
  Layout layout{{6, 10}, false, false, true};
  std::string bytes = small_file(folder, layout);
  const auto values = bytes_of(counting<std::int32_t>(60));
  bytes[bytes.find(values) + 100] ^= 1;
  folder.write("a.h5", bytes);
  CHECK(open_error(folder, {{"hdf5", "a.h5"}})
            .find("io: a.h5, dataset /data: the box [0, 6) x [0, 10) cannot be read") == 0);
}

TEST_CASE("An attempt that crashes or does not come back ends with an error") {
  const ChildLimits limits = limits_for("a.h5");
  CHECK_NOTHROW(try_in_child("a.h5", "the library", limits, [] {}));
  TempFolder folder;
  CHECK(error_of(folder,
                 [&] {
                   try_in_child("a.h5", "the library", {0.2, limits.memory}, [] {
                     for (;;) pause();
                   });
                 }) ==
        "io: a.h5: the library did not come back from this file within 200 ms; the file is damaged, or its disk does "
        "not answer");
  CHECK(error_of(folder, [&] { try_in_child("a.h5", "the library", limits, [] { std::abort(); }); }) ==
        "io: a.h5: the library crashes on this file (Aborted); it is damaged");
}

TEST_CASE("An attempt hands back what it returns, and throws what it throws") {
  const ChildLimits limits = limits_for("a.h5");
  for (const std::size_t length : {0, 1, 70'000, 3'000'000}) {
    std::string bytes(length, '\0');
    for (std::size_t at = 0; at < length; ++at) bytes[at] = static_cast<char>(at * at);
    CHECK(call_in_child("a.h5", "the library", limits, [&] { return bytes; }) == bytes);
  }
  const auto thrown = [&](const auto& error) { try_in_child("a.h5", "the library", limits, [&] { throw error; }); };
  CHECK_THROWS_AS(thrown(DiskError("a.h5", "no answer")), DiskError);
  CHECK_THROWS_WITH(thrown(DiskError("a.h5", "no answer")), "a.h5: no answer");
  CHECK_THROWS_AS(thrown(IoError("a.h5, /x: y", "is: damaged")), IoError);
  CHECK_THROWS_WITH(thrown(IoError("a.h5, /x: y", "is: damaged")), "a.h5, /x: y: is: damaged");
  CHECK_THROWS_WITH(thrown(Error("no place")), "no place");
  // The text of a library is for the log.
  CHECK_THROWS_WITH(thrown(std::out_of_range("index")), Catch::StartsWith("a.h5: an error inside the program"));
  try {
    thrown(JobError(std::vector<std::string>{"one", "", "two"}));
    FAIL("nothing was thrown");
  } catch (const JobError& error) {
    CHECK(error.messages() == std::vector<std::string>{"one", "", "two"});
  }
}

TEST_CASE("An attempt gets no more memory than its file gives reason for") {
  TempFolder folder;
  folder.write("a.h5", std::string(1 << 20, 'x'));
  const ChildLimits limits = limits_for(folder.path() / "a.h5");
  CHECK(limits.memory == (256 << 20) + (8 << 20));
  const auto take = [&](std::size_t bytes) {
    try_in_child("a.h5", "the library", limits, [&] { std::vector<char>(bytes, 'x').back() = 'y'; });
  };
  CHECK_NOTHROW(take(200 << 20));
  // The sanitizers' allocators end the child in place of failing.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const std::string said = "a.h5: the library ends on this file without a word";
#else
  const std::string said = "a.h5: the library takes more than 264 MiB of memory";
#endif
  CHECK_THROWS_WITH(take(300 << 20), Catch::Contains(said) && Catch::Contains("it is damaged"));
  CHECK_NOTHROW(std::vector<char>(300 << 20, 'x'));  // the parent is as it was
}

TEST_CASE("Several threads read one HDF5 file while others open it") {
  TempFolder folder;
  for (const Layout& layout : {Layout{}, Layout{{16, 16}, true, true}}) {
    const auto values = counting<std::int32_t>(100 * 100);
    write_hdf5(folder.path() / "a.h5", H5T_STD_I32LE, H5T_NATIVE_INT32, {100, 100}, values.data(), layout);
    auto source = open_input(folder, {{"hdf5", "a.h5"}});
    std::atomic<int> right{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 20; ++i) {
          auto mine = t == 3 ? open_input(folder, {{"hdf5", "a.h5"}}) : source;
          const std::int64_t row = (t * 20 + i) % 99;
          const auto part = read_box<std::int32_t>(*mine, {{row, 5}, {row + 1, 9}});
          right += part[0] == row * 100 + 5 && part[3] == row * 100 + 8;
        }
      });
    }
    for (auto& thread : threads) thread.join();
    CHECK(right == 80);
  }
}
