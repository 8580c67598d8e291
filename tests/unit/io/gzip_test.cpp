// Text inputs that are gzip files: what every reader of text makes of them, and damaged ones.
#include <catch2/catch.hpp>

#include "io/inputs/gzip_reader.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

struct TextInput {
  const char* kind;
  std::string name, text;
};

/// One text of every format, under names by which `graph` knows formats.
const std::vector<TextInput> inputs = {
    {"csv", "a.csv", "1,2\r\n3,4\r\n"},
    {"text", "a.txt",
     "\xef\xbb\xbf"
     "1 2\n3 4\n"},
    {"fasta", "a.fa", ">x\nACGT\nAC\n"},
    {"graph", "a.edges", "# two edges\n0 1 4\n1 2 5\n"},
    {"graph", "a.gr", "p sp 3 2\na 1 2 4\na 2 3 5\n"},
    {"graph", "a.gml", "\xef\xbb\xbfgraph [ node [ id 0 ] node [ id 1 ] edge [ source 0 target 1 weight 4 ] ]"},
    {"graph", "a.mtx", "%%MatrixMarket matrix coordinate integer general\n3 3 2\n1 2 4\n2 3 5\n"},
};

std::vector<std::byte> bytes_of_input(const TempFolder& folder, const TextInput& input, const std::string& name) {
  const auto source = open_input(folder, {{input.kind, name.c_str()}, {"format", "auto"}});
  std::vector<std::byte> bytes(static_cast<std::size_t>(volume(source->shape())) * size_of(source->type()));
  source->read(Box::whole(source->shape()), bytes.data());
  return bytes;
}

}  // namespace

TEST_CASE("Every text format may be compressed with gzip, in any number of members") {
  TempFolder folder;
  for (const TextInput& input : inputs) {
    INFO(input.name);
    folder.write(input.name, input.text);
    const auto plain = bytes_of_input(folder, input, input.name);
    CHECK(!plain.empty());
    write_gzip(folder.path() / (input.name + ".gz"), input.text);
    CHECK(bytes_of_input(folder, input, input.name + ".gz") == plain);
    const std::size_t half = input.text.size() / 2;
    write_gzip(folder.path() / (input.name + ".gz"), input.text.substr(0, half));
    write_gzip(folder.path() / (input.name + ".gz"), input.text.substr(half), "ab");
    CHECK(bytes_of_input(folder, input, input.name + ".gz") == plain);
  }
}

TEST_CASE("Gzip files that were cut short or changed are errors that name the byte, in every format") {
  TempFolder folder;
  for (const TextInput& input : inputs) {
    const std::string name = input.name + ".gz";
    write_gzip(folder.path() / name, input.text);
    const std::string good = folder.read(name);
    INFO(name);
    for (const std::size_t length : {good.size() - 1, good.size() - 8, std::size_t{12}, std::size_t{3}}) {
      folder.write(name, good.substr(0, length));
      CHECK(open_error(folder, {{input.kind, name.c_str()}, {"format", "auto"}}) ==
            "io: " + name + ": byte " + std::to_string(length) +
                ": the gzip data end too soon; the file was cut short, fetch or make it again");
    }
    std::string changed = good;
    changed[good.size() - 6] ^= 1;  // of the checksum
    folder.write(name, changed);
    CHECK(open_error(folder, {{input.kind, name.c_str()}, {"format", "auto"}}).find("io: " + name + ": byte ") == 0);
  }
}

TEST_CASE("Errors in a gzip file name lines and columns of its text") {
  TempFolder folder;
  write_gzip(folder.path() / "a.csv.gz", "1,2\n3,x\n");
  CHECK(open_error(folder, {{"csv", "a.csv.gz"}}) == "io: a.csv.gz:2:3: 'x' is no number");
  write_gzip(folder.path() / "a.gr.gz", "p sp 3 1\na 1 9 4\n");
  CHECK(open_error(folder, {{"graph", "a.gr.gz"}, {"format", "auto"}})
            .find("io: a.gr.gz:2:5: node 9 is none of the 3 nodes") == 0);
}

TEST_CASE("Text compressed by another program is an error that names one which unpacks it") {
  TempFolder folder;
  for (const TextInput& input : inputs) {
    folder.write("a", "BZh91AY&SY");
    CHECK(open_error(folder, {{input.kind, "a"}, {"format", "auto"}}) ==
          "io: a: is compressed with bzip2, and text is read plain or compressed with gzip: unpack it first (bunzip2 "
          "-k)");
  }
  folder.write("a", std::string("\xfd") + "7zXZ");
  CHECK(open_error(folder, {{"csv", "a"}}).find("(unxz -k)") != std::string::npos);
}

TEST_CASE("The beginning and the whole of a text are the same in a gzip file") {
  TempFolder folder;
  std::string text;
  for (std::int64_t i = 0; i < 300000; ++i) text += std::to_string(i * 7919) + "\n";
  folder.write("a.txt", text);
  write_gzip(folder.path() / "a.gz", text);
  for (const char* name : {"a.txt", "a.gz"}) {
    const InputFile file(folder.path() / name);
    CHECK(first_text(file, 64) == text.substr(0, 64));
    CHECK(first_text(file, 10000000) == text);
    CHECK(whole_text(file, nullptr) == text);
    CHECK_THROWS_AS(whole_text(file,
                               [](std::int64_t bytes) {
                                 if (bytes > 1000000) throw Error("too much");
                               }),
                    Error);
  }
  folder.write("empty", "");
  CHECK(whole_text(InputFile(folder.path() / "empty"), nullptr).empty());
}
