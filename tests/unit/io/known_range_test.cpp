// Statements of inputs about their values, against the values that are read.
#include "io/known_range.hpp"

#include <hdf5.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "io/hdf5/handle.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

/// An attribute of a dataset: numbers, or a text.
struct Attribute {
  const char* name;
  std::vector<double> numbers;
  const char* text = nullptr;
};

/// Writes a.h5 with the dataset /data of `values`, rows x columns, and those attributes.
template <class T>
void write_hdf5(const TempFolder& folder, const std::vector<T>& values, const std::vector<hsize_t>& shape,
                const std::vector<Attribute>& attributes, const std::vector<hsize_t>& chunk = {}) {
  const std::string where = (folder.path() / "a.h5").string();
  const hid_t type = hdf5_memory_type(element_type_of<T>());
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  if (!chunk.empty()) H5Pset_chunk(creation.get(), static_cast<int>(chunk.size()), chunk.data());
  Hdf5Handle file(H5Fcreate(where.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, hdf5_file_access().get()), where, "create");
  Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), where, "space");
  Hdf5Handle set(H5Dcreate2(file.get(), "data", type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), where,
                 "set");
  check_hdf5(H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), where, "write");
  for (const Attribute& attribute : attributes) {
    const hsize_t count = attribute.numbers.size();
    Hdf5Handle text(H5Tcopy(H5T_C_S1), where, "type");
    if (attribute.text != nullptr) H5Tset_size(text.get(), std::strlen(attribute.text) + 1);
    const hid_t kind = attribute.text != nullptr ? text.get() : H5T_NATIVE_DOUBLE;
    Hdf5Handle extent(
        attribute.text != nullptr || count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr), where,
        "space");
    Hdf5Handle made(H5Acreate2(set.get(), attribute.name, kind, extent.get(), H5P_DEFAULT, H5P_DEFAULT), where,
                    "attribute");
    const void* content =
        attribute.text != nullptr ? static_cast<const void*>(attribute.text) : attribute.numbers.data();
    check_hdf5(H5Awrite(made.get(), kind, content), where, "write");
  }
}

/// The statement of a dataset of i32, 0 to 11, with those attributes.
std::optional<KnownRange> stated(const std::vector<Attribute>& attributes) {
  TempFolder folder;
  write_hdf5(folder, counting<std::int32_t>(12), {3, 4}, attributes);
  return open_input(folder, {{"hdf5", "a.h5"}})->known_range();
}

std::shared_ptr<Source> generated(const TempFolder& folder, std::vector<Setting> settings) {
  settings.insert(settings.begin(), Setting("shape", Values{7, 9}));
  std::rotate(settings.begin(), settings.begin() + 1, settings.begin() + 2);
  return open_input(folder, settings);
}

/// Compares a statement with all elements.
template <class T>
void check_statement(Source& source, bool exact) {
  const auto range = source.known_range();
  REQUIRE(range);
  CHECK(range->exact == exact);
  CHECK_FALSE(range->has_nan);
  const KnownRange found = range_of(std::span<const T>(read_all<T>(source)), range->origin);
  if (exact) CHECK(*range == found);
  CHECK(range->least <= found.least);
  CHECK(range->most >= found.most);
}

}  // namespace

TEST_CASE("a range is of numbers alone, and exact for 64 bits") {
  const std::vector<std::int64_t> whole{std::numeric_limits<std::int64_t>::max() - 1, -7, 3};
  CHECK(range_of(std::span(whole), "") ==
        KnownRange{-7, static_cast<long double>(std::numeric_limits<std::int64_t>::max()) - 1, {}, false, true, ""});
  const std::vector<float> reals{NAN, 2.5f, -1};
  CHECK(range_of(std::span(reals), "here") == KnownRange{-1, 2.5, {}, true, true, "here"});
  const KnownRange none = range_of(std::span<const double>(), "");
  CHECK(none.least > none.most);
}

TEST_CASE("generated arrays state the range that their settings give them") {
  TempFolder folder;
  check_statement<std::int32_t>(
      *generated(folder, {{"generate", "uniform"}, {"type", "i32"}, {"minimum", -5.0}, {"maximum", 1000.0}}), false);
  const auto bound =
      generated(folder, {{"generate", "uniform"}, {"type", "i32"}, {"minimum", -5.0}, {"maximum", 1000.0}});
  CHECK(*bound->known_range() == KnownRange{-5, 1000, {}, false, false, "`generate`"});
  check_statement<float>(*generated(folder, {{"generate", "uniform"}, {"type", "f32"}}), false);
  check_statement<double>(*generated(folder, {{"generate", "uniform"}, {"minimum", -1.0}}), false);
  check_statement<std::uint8_t>(*generated(folder, {{"generate", "constant"}, {"type", "u8"}, {"value", 3.0}}), true);
  check_statement<std::int64_t>(
      *generated(folder, {{"generate", "ramp"}, {"type", "i64"}, {"start", 9.0}, {"step", -2.0}}), true);
  check_statement<float>(*generated(folder, {{"generate", "ramp"}, {"type", "f32"}, {"start", 0.1}, {"step", 0.3}}),
                         true);
  CHECK_FALSE(open_input(folder, {{"generate", "dna"}, {"length", 10}})->known_range());
}

TEST_CASE("arrays in memory state what they hold") {
  TempFolder folder;
  check_statement<std::int64_t>(*open_input(folder, {{"values", Texts{"3", "-4", "70"}}}), true);
  check_statement<double>(*open_input(folder, {{"values", Texts{"3", "-4.5"}}}), true);
  folder.write("a.csv", "1,2\n-3,900\n");
  check_statement<std::int64_t>(*open_input(folder, {{"csv", "a.csv"}}), true);
  folder.write("a.pgm", "P2 2 2 255\n9 4 200 7\n");
  check_statement<std::uint8_t>(*open_input(folder, {{"image", "a.pgm"}}), true);
}

TEST_CASE("graphs state the weights of their edges, and what stands where there is none") {
  TempFolder folder;
  folder.write("a.txt", "0 1 5\n1 2 -7\n4 0 12\n4 0 90\n");
  const auto graph = open_input(folder, {{"graph", "a.txt"}, {"format", "edges"}});
  // The heavier of two edges between the same nodes is none.
  CHECK(*graph->known_range() ==
        KnownRange{-7, 12, {std::numeric_limits<std::int64_t>::max() / 2}, false, true, "the list of edges"});
  folder.write("b.txt", "0 1 0.5\n1 0 2\n");
  const auto real = open_input(folder, {{"graph", "b.txt"}, {"format", "edges"}})->known_range();
  CHECK(real->least == 0.5);
  CHECK(real->most == 2);
  CHECK(real->fillers == std::vector<long double>{INFINITY});
}

TEST_CASE("inputs that would have to read their files state nothing") {
  TempFolder folder;
  folder.write("a.raw", std::string(16, '\1'));
  CHECK_FALSE(open_input(folder, {{"external", "a.raw"}, {"type", "i32"}, {"shape", Values{4}}})->known_range());
  CHECK_FALSE(stated({}));
}

TEST_CASE("HDF5 datasets state what their attributes say") {
  using Range = KnownRange;
  CHECK(*stated({{"valid_range", {-1, 100}}}) == Range{-1, 100, {}, false, false, "its attribute `valid_range`"});
  CHECK(*stated({{"actual_range", {0, 11}}}) == Range{0, 11, {}, false, true, "its attribute `actual_range`"});
  // The narrower of the two.
  CHECK(stated({{"valid_range", {-1, 100}}, {"actual_range", {0, 11}}})->exact);
  const auto ends = stated({{"valid_min", {0}}, {"valid_max", {50}}});
  CHECK(*ends == Range{0, 50, {}, false, false, "its attributes `valid_min` and `valid_max`"});
  const auto upper = stated({{"valid_max", {50}}});
  CHECK(upper->least == std::numeric_limits<std::int32_t>::min());
  CHECK(upper->origin == "its attribute `valid_max`");
  CHECK(stated({{"valid_min", {0}}})->most == std::numeric_limits<std::int32_t>::max());
  const auto filled = stated({{"valid_range", {0, 9}}, {"_FillValue", {11}}, {"missing_value", {-1}}});
  CHECK(filled->fillers == std::vector<long double>{11, -1});
  CHECK(stated({{"valid_range", {0, 9}}, {"_FillValue", {NAN}}})->has_nan);
  TempFolder folder;
  write_hdf5(folder, counting<std::int32_t>(12), {3, 4}, {{"valid_range", {-1, 100}}});
  CHECK_FALSE(open_input(folder, {{"hdf5", "a.h5"}, {"unpack", false}})->known_range());
}

TEST_CASE("attributes of another form state nothing") {
  CHECK_FALSE(stated({{"valid_range", {100, -1}}}));
  CHECK_FALSE(stated({{"valid_range", {NAN, 1}}}));
  CHECK_FALSE(stated({{"valid_range", {1}}}));
  CHECK_FALSE(stated({{"valid_range", {1, 2, 3}}}));
  CHECK_FALSE(stated({{"valid_range", {}, "0, 100"}}));
  CHECK_FALSE(stated({{"valid_min", {5}}, {"valid_max", {4}}}));
  TempFolder folder;
  for (const char* packed : {"scale_factor", "add_offset"}) {
    write_hdf5(folder, counting<std::int32_t>(12), {3, 4}, {{"actual_range", {0, 11}}, {packed, {2}}});
    CHECK_FALSE(open_input(folder, {{"hdf5", "a.h5"}, {"unpack", true}})->known_range());
  }
  CHECK_FALSE(stated({{"valid_range", {0, 11}}, {"_Unsigned", {}, "true"}}));
}

TEST_CASE("the statement of a dataset holds of its parts, as the type of the elements has it") {
  TempFolder folder;
  for (const std::vector<hsize_t>& chunk : {std::vector<hsize_t>{}, std::vector<hsize_t>{2, 2}}) {
    write_hdf5<float>(folder, {0.1f, 0.2f, 0.3f, 0.4f}, {2, 2}, {{"actual_range", {0.1, 0.4}}}, chunk);
    check_statement<float>(*open_input(folder, {{"hdf5", "a.h5"}}), true);
    check_statement<float>(*open_input(folder, {{"hdf5", "a.h5"}, {"select", Ranges{{0, 1}, {0, 2}}}}), false);
  }
}
