// HDF5 datasets whose elements lie elsewhere: behind links, in sources of virtual datasets, in external storage; and
// datasets that need missing files or filters.
#include <hdf5.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "io/hdf5/handle.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

using Names = std::vector<std::string>;
using Whole = std::vector<std::int32_t>;

/// A file that is open for writing.
class Writer {
 public:
  explicit Writer(const std::filesystem::path& path) : where_(path.string()) {
    silence_hdf5();
    file_ = Hdf5Handle(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), where_, "create");
  }

  hid_t file() const { return file_.get(); }

  /// A dataset of i32 of one dimension; without values nothing is written.
  Hdf5Handle dataset(const char* name, std::vector<hsize_t> shape, const Whole& values,
                     hid_t creation = H5P_DEFAULT) const {
    Hdf5Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr), where_, "space");
    Hdf5Handle set(H5Dcreate2(file(), name, H5T_STD_I32LE, space.get(), H5P_DEFAULT, creation, H5P_DEFAULT), where_,
                   name);
    if (!values.empty()) {
      check_hdf5(H5Dwrite(set.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), where_, name);
    }
    return set;
  }

 private:
  std::string where_;
  Hdf5Handle file_;
};

Hdf5Handle line(hsize_t count, hsize_t first = 0, hsize_t selected = 0) {
  Hdf5Handle space(H5Screate_simple(1, &count, nullptr), "test", "space");
  if (selected > 0) H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &selected, nullptr);
  return space;
}

/// A file with numbers from 1000 on in /d, and one that leads there by links, with numbers of its own.
void write_linked(const TempFolder& folder) {
  std::filesystem::create_directories(folder.path() / "deep");
  Writer real(folder.path() / "deep/real.h5");
  Whole values(20);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1000 + static_cast<std::int32_t>(i);
  real.dataset("d", {20}, values);
  Writer link(folder.path() / "link.h5");
  H5Lcreate_external("deep/real.h5", "/d", link.file(), "e", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_external("deep/none.h5", "/d", link.file(), "lost", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/e", link.file(), "soft", H5P_DEFAULT, H5P_DEFAULT);
  H5Lcreate_soft("/nowhere", link.file(), "dangling", H5P_DEFAULT, H5P_DEFAULT);
  link.dataset("own", {5000}, Whole(5000, 7));
}

/// A virtual dataset of twelve numbers: /d of three files named in turn, four numbers of each.
void write_virtual(const TempFolder& folder, const char* name, const Names& sources, hsize_t of_each = 4) {
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const Hdf5Handle to = line(12, 4 * i, 4), from = of_each == 4 ? line(4) : line(of_each, 0, 4);
    check_hdf5(H5Pset_virtual(creation.get(), to.get(), sources[i].c_str(), "d", from.get()), name, "virtual");
  }
  Writer(folder.path() / name).dataset("v", {12}, {}, creation.get());
}

void write_source(const TempFolder& folder, const char* name, std::int32_t first, hsize_t count = 4) {
  Whole values(count);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<std::int32_t>(i);
  Writer(folder.path() / name).dataset("d", {count}, values);
}

/// The sources s0.h5, s1.h5 and s2.h5 (where `prefix` is "s"), which begin at 0, 100 and 200.
void write_three(const TempFolder& folder, const char* prefix, hsize_t count = 4) {
  for (int i = 0; i < 3; ++i) {
    std::string name = prefix;
    name.append(std::to_string(i)).append(".h5");
    write_source(folder, name.c_str(), 100 * i, count);
  }
}

Names files_of(const TempFolder& folder, const Source& source) {
  Names names;
  for (const auto& file : source.files()) {
    names.push_back(std::filesystem::relative(std::filesystem::canonical(file), folder.path()).string());
  }
  return names;
}

}  // namespace

TEST_CASE("A dataset behind an external link is read from the file in which it lies") {
  TempFolder folder;
  write_linked(folder);
  for (const char* name : {"e", "soft"}) {
    INFO(name);
    auto source = open_input(folder, {{"hdf5", "link.h5"}, {"dataset", name}});
    CHECK(read_box<std::int32_t>(*source, {{0}, {3}}) == Whole{1000, 1001, 1002});
    CHECK(files_of(folder, *source) == Names{"link.h5", "deep/real.h5"});
    // The same file by its own name, while the library has it open through the link.
    auto direct = open_input(folder, {{"hdf5", "deep/real.h5"}, {"dataset", "d"}});
    CHECK(read_all<std::int32_t>(*direct) == read_all<std::int32_t>(*source));
    CHECK(files_of(folder, *direct) == Names{"deep/real.h5"});
  }
}

TEST_CASE("A link that leads nowhere says where it leads") {
  TempFolder folder;
  write_linked(folder);
  const auto error = [&](const char* name) { return open_error(folder, {{"hdf5", "link.h5"}, {"dataset", name}}); };
  CHECK(error("lost").find("io: link.h5, dataset lost: is a link to /d of the file deep/none.h5, which cannot be "
                           "followed") == 0);
  CHECK(error("dangling").find("io: link.h5, dataset dangling: is a link to /nowhere, which cannot be followed") ==
        0);
}

TEST_CASE("A virtual dataset is read from its sources, and they are among its files") {
  TempFolder folder;
  write_three(folder, "s");
  write_virtual(folder, "v.h5", {"s0.h5", "s1.h5", "s2.h5"});
  auto source = open_input(folder, {{"hdf5", "v.h5"}});
  CHECK(read_all<std::int32_t>(*source) == Whole{0, 1, 2, 3, 100, 101, 102, 103, 200, 201, 202, 203});
  CHECK(files_of(folder, *source) == Names{"v.h5", "s0.h5", "s1.h5", "s2.h5"});
}

TEST_CASE("A file is read by its own name and through others, in any order, while it is open") {
  TempFolder folder;
  write_three(folder, "s");
  write_virtual(folder, "v.h5", {"s0.h5", "s1.h5", "s2.h5"});
  // Packed, so that the library keeps it open.
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  const hsize_t chunk = 4;
  H5Pset_chunk(creation.get(), 1, &chunk);
  H5Pset_deflate(creation.get(), 1);
  Writer(folder.path() / "s1.h5").dataset("d", {4}, {100, 101, 102, 103}, creation.get());
  {
    Writer link(folder.path() / "link.h5");
    H5Lcreate_external("s1.h5", "/d", link.file(), "e", H5P_DEFAULT, H5P_DEFAULT);
  }
  std::vector<std::string> order{"link.h5", "s1.h5", "v.h5"};
  do {
    std::vector<std::shared_ptr<Source>> open;
    for (const std::string& name : order) {
      std::vector<Setting> settings{{"hdf5", name}};
      if (name == "link.h5") settings.push_back({"dataset", "e"});
      open.push_back(open_input(folder, settings));
      const auto values = read_all<std::int32_t>(*open.back());
      INFO(order[0] << " " << order[1] << " " << order[2] << ": " << name);
      CHECK(values[name == "v.h5" ? 5 : 1] == 101);
    }
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST_CASE("A virtual dataset may take from its own file, and from virtual datasets of others") {
  TempFolder folder;
  write_source(folder, "s0.h5", 0, 12);
  write_virtual(folder, "inner.h5", {"s0.h5", "s0.h5", "s0.h5"}, 12);
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  check_hdf5(H5Pset_virtual(creation.get(), line(14, 0, 12).get(), "inner.h5", "v", line(12).get()), "a", "virtual");
  check_hdf5(H5Pset_virtual(creation.get(), line(14, 12, 2).get(), ".", "own", line(2).get()), "a", "virtual");
  {
    Writer outer(folder.path() / "outer.h5");
    outer.dataset("own", {2}, {8, 9});
    outer.dataset("v", {14}, {}, creation.get());
  }
  auto source = open_input(folder, {{"hdf5", "outer.h5"}, {"dataset", "v"}});
  CHECK(read_all<std::int32_t>(*source) == Whole{0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 8, 9});
  CHECK(files_of(folder, *source) == Names{"outer.h5", "inner.h5", "s0.h5"});
  std::filesystem::remove(folder.path() / "s0.h5");
  const std::string error = open_error(folder, {{"hdf5", "outer.h5"}, {"dataset", "v"}});
  INFO(error);
  CHECK(error.find("io: inner.h5, dataset v: is virtual, and its source s0.h5 (dataset d) is not there") == 0);
}

TEST_CASE("A virtual dataset with a source that is missing or too small is an error, never zeros") {
  TempFolder folder;
  write_three(folder, "s");
  write_virtual(folder, "v.h5", {"s0.h5", "s1.h5", "s2.h5"});
  const auto error = [&] { return open_error(folder, {{"hdf5", "v.h5"}}); };
  CHECK(error() == "none");
  std::filesystem::remove(folder.path() / "s1.h5");
  CHECK(error().find("io: v.h5, dataset /v: is virtual, and its source s1.h5 (dataset d) is not there or is no HDF5 "
                     "file; relative names begin at ") == 0);
  folder.write("s1.h5", "no HDF5");
  CHECK(error().find("io: v.h5, dataset /v: is virtual, and its source s1.h5 (dataset d) is not there") == 0);
  Writer(folder.path() / "s1.h5").dataset("other", {4}, {1, 2, 3, 4});
  CHECK(error() == "io: v.h5, dataset /v: is virtual, and its source s1.h5, dataset d is not there");
  write_source(folder, "s1.h5", 0, 3);
  const std::string other_shape =
      "io: v.h5, dataset /v: is virtual, and its source s1.h5, dataset d is not of the shape that is taken from it";
  CHECK(error() == other_shape);
  write_virtual(folder, "v.h5", {"s0.h5", "s1.h5", "s2.h5"}, 6);
  write_three(folder, "s", 6);
  CHECK(error() == "none");
  write_source(folder, "s1.h5", 0, 3);
  CHECK(error() == other_shape);
}

TEST_CASE("A virtual series of files is as long as there are files") {
  TempFolder folder;
  write_three(folder, "part-");
  const hsize_t extent = 4, first = 0, endless = H5S_UNLIMITED, block = 4;
  Hdf5Handle to(H5Screate_simple(1, &extent, &endless), "test", "space");
  check_hdf5(H5Sselect_hyperslab(to.get(), H5S_SELECT_SET, &first, &block, &endless, &block), "test", "select");
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  check_hdf5(H5Pset_virtual(creation.get(), to.get(), "part-%b.h5", "d", line(4).get()), "test", "virtual");
  {
    Writer file(folder.path() / "v.h5");
    Hdf5Handle space(H5Screate_simple(1, &extent, &endless), "test", "space");
    Hdf5Handle set(H5Dcreate2(file.file(), "v", H5T_STD_I32LE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                   "test", "v");
  }
  auto source = open_input(folder, {{"hdf5", "v.h5"}});
  CHECK(read_all<std::int32_t>(*source) == Whole{0, 1, 2, 3, 100, 101, 102, 103, 200, 201, 202, 203});
  CHECK(files_of(folder, *source) == Names{"v.h5", "part-0.h5", "part-1.h5", "part-2.h5"});
}

TEST_CASE("A virtual dataset without end is as long as its source") {
  TempFolder folder;
  const hsize_t extent = 5, first = 0, one = 1, endless = H5S_UNLIMITED, chunk = 4;
  Hdf5Handle packed = hdf5_properties(H5P_DATASET_CREATE), creation = hdf5_properties(H5P_DATASET_CREATE);
  H5Pset_chunk(packed.get(), 1, &chunk);
  Hdf5Handle space(H5Screate_simple(1, &extent, &endless), "test", "space");
  const Whole values{5, 6, 7, 8, 9};
  {
    Writer file(folder.path() / "s.h5");
    Hdf5Handle set(H5Dcreate2(file.file(), "d", H5T_STD_I32LE, space.get(), H5P_DEFAULT, packed.get(), H5P_DEFAULT),
                   "test", "d");
    check_hdf5(H5Dwrite(set.get(), H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "test", "write");
  }
  Hdf5Handle all(H5Scopy(space.get()), "test", "copy");
  check_hdf5(H5Sselect_hyperslab(all.get(), H5S_SELECT_SET, &first, &one, &one, &endless), "test", "select");
  check_hdf5(H5Pset_virtual(creation.get(), all.get(), "s.h5", "d", all.get()), "test", "virtual");
  {
    Writer file(folder.path() / "v.h5");
    Hdf5Handle set(H5Dcreate2(file.file(), "v", H5T_STD_I32LE, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                   "test", "v");
  }
  CHECK(read_all<std::int32_t>(*open_input(folder, {{"hdf5", "v.h5"}})) == values);
}

TEST_CASE("External storage is read by the library, from files that are there and long enough") {
  TempFolder folder;
  const std::string raw = (folder.path() / "raw.bin").string();
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  H5Pset_external(creation.get(), raw.c_str(), 8, 16);
  Writer(folder.path() / "a.h5").dataset("d", {4}, {1, 2, 3, 4}, creation.get());
  auto source = open_input(folder, {{"hdf5", "a.h5"}});
  CHECK(read_all<std::int32_t>(*source) == Whole{1, 2, 3, 4});
  CHECK(files_of(folder, *source) == Names{"a.h5", "raw.bin"});
  folder.write("raw.bin", folder.read("raw.bin").substr(0, 20));
  CHECK(open_error(folder, {{"hdf5", "a.h5"}}) ==
        "io: a.h5, dataset /d: its elements are in the file raw.bin, which ends at byte 20 of 24");
  std::filesystem::remove(raw);
  CHECK(open_error(folder, {{"hdf5", "a.h5"}})
            .find("io: a.h5, dataset /d: its elements are in the file raw.bin, which cannot be read: No such file") ==
        0);
}

TEST_CASE("A filter that is not there is named, with what to do") {
  TempFolder folder;
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  const hsize_t chunk = 4, first = 0;
  H5Pset_chunk(creation.get(), 1, &chunk);
  H5Pset_filter(creation.get(), 32015, H5Z_FLAG_OPTIONAL, 0, nullptr);
  {
    Writer file(folder.path() / "a.h5");
    const auto set = file.dataset("packed", {8}, {}, creation.get());
    check_hdf5(H5Dwrite_chunk(set.get(), H5P_DEFAULT, 0, &first, 9, "compressed"), "a.h5", "chunk");
    // Written without the filter: the chunk records that it was left out.
    file.dataset("plain", {4}, {1, 2, 3, 4}, creation.get());
  }
  CHECK(open_error(folder, {{"hdf5", "a.h5"}, {"dataset", "packed"}}) ==
        "io: a.h5, dataset packed: needs the HDF5 filter 32015 (Zstandard), which is not installed here; make a copy "
        "without it where it is, 'h5repack -f GZIP=4 IN OUT' or 'h5repack -f NONE IN OUT', or install its plugin and "
        "name the plugin's folder in HDF5_PLUGIN_PATH");
  CHECK(read_all<std::int32_t>(*open_input(folder, {{"hdf5", "a.h5"}, {"dataset", "plain"}})) == Whole{1, 2, 3, 4});
}

TEST_CASE("A dataset of more elements than any machine holds is an error that gives its shape") {
  TempFolder folder;
  Hdf5Handle creation = hdf5_properties(H5P_DATASET_CREATE);
  const std::vector<hsize_t> chunk{64, 64};
  H5Pset_chunk(creation.get(), 2, chunk.data());
  {
    Writer file(folder.path() / "a.h5");
    file.dataset("beyond", {hsize_t{1} << 40, hsize_t{1} << 40}, {}, creation.get());
    file.dataset("bytes", {hsize_t{1} << 31, hsize_t{1} << 31}, {}, creation.get());
  }
  CHECK(open_error(folder, {{"hdf5", "a.h5"}, {"dataset", "beyond"}}) ==
        "io: a.h5, dataset beyond: is of shape 1099511627776 x 1099511627776: more elements than any machine holds; "
        "name "
        "a smaller dataset, or make it anew if this is not its shape");
  CHECK(open_error(folder, {{"hdf5", "a.h5"}, {"dataset", "bytes"}})
            .find("is of shape 2147483648 x 2147483648: more elements than any machine holds") != std::string::npos);
}
