// The program that libFuzzer drives: what reads files of users, one reader a target. TERRACE_FUZZ_TARGET names it.
//
// An input is a byte that chooses settings, then the file's bytes. A reader may answer with a terrace::Error whose
// text is fit for users; anything else that leaves it is a fault.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string_view>

#include "pipeline/run/ledger.hpp"
#include "tests/unit/io/fixture.hpp"
#include "tests/unit/job/fixture.hpp"

using namespace terrace;
using io::Setting;

namespace {

using Settings = std::vector<Setting>;  // beside the file's own
using Target = std::function<void(std::uint8_t choice, const std::string& bytes)>;

/// A folder in memory for the one file that is read.
const test::TempFolder& folder() {
  static const test::TempFolder made;
  return made;
}

/// Opens an input of `kind` from a file called `name`, and reads up to a million of its elements.
Target reader(std::string kind, std::string name, std::vector<Settings> choices) {
  return [=](std::uint8_t choice, const std::string& bytes) {
    folder().write(name, bytes);
    std::vector<Setting> all = {{kind, (folder() / name).string()}};
    if (kind == "graph") all.push_back({"format", "auto"});
    const Settings& others = choices[choice % choices.size()];
    all.insert(all.end(), others.begin(), others.end());
    const auto source = io::open_input(folder(), all);
    Box box = Box::whole(source->shape());
    for (int d = 0; d < box.rank() && box.volume() > 1000000; ++d) box.end[d] = 1;
    std::vector<char> elements(static_cast<std::size_t>(box.volume()) * size_of(source->type()) + 1);
    source->read(box, elements.data());
    source->known_range();
  };
}

void read_job(std::uint8_t, const std::string& bytes) {
  const auto file = folder().write("job.yaml", bytes);
  job::load(file, {}, job::test_table(), job::test_kinds);
}

void read_ledger(std::uint8_t, const std::string& bytes) {
  std::filesystem::create_directory(folder() / "ledger");
  folder().write("ledger/1.log", bytes);
  run::Ledger::read(io::Entry(folder() / "ledger"));
}

const std::map<std::string, Target>& targets() {
  static const std::map<std::string, Target> all = {
      {"fasta", reader("fasta", "a.fa",
                       {{},
                        {{"record", "0"}},
                        {{"record", "one"}, {"range", io::Values{1, 5}}},
                        {{"record", "1"}, {"reverse_complement", true}}})},
      {"fastq", reader("fastq", "a.fq", {{}, {{"record", "0"}}, {{"record", "one"}, {"range", io::Values{1, 5}}}})},
      {"edges", reader("graph", "edges.txt",
                       {{},
                        {{"header", true}},
                        {{"header", false}},
                        {{"directed", false}},
                        {{"weight", "3"}},
                        {{"weight", "w"}},
                        {{"nodes", "all"}},
                        {{"unweighted", true}}})},
      {"matrix_market", reader("graph", "graph.mtx", {{}, {{"unweighted", true}}})},
      {"dimacs", reader("graph", "graph.gr", {{}, {{"nodes", "used"}}})},
      {"gml", reader("graph", "graph.gml", {{}, {{"weight", "value"}}, {{"directed", false}}})},
      {"graphml", reader("graph", "graph.graphml", {{}, {{"weight", "w"}}})},
      {"csv", reader("csv", "table.csv",
                     {{},
                      {{"header", true}},
                      {{"header", true}, {"column", "x"}},
                      {{"column", "1"}},
                      {{"row", 1}},
                      {{"skip", 2}},
                      {{"separator", ";"}},
                      {{"type", "u8"}},
                      {{"shape", io::Values{2, 2}}}})},
      {"text", reader("text", "numbers.txt", {{}, {{"skip", 2}}, {{"row", 0}}, {{"range", io::Values{0, 2}}}})},
      {"npy", reader("npy", "a.npy", {{}, {{"range", io::Values{0, 1}}}})},
      {"npz", reader("npz", "a.npz", {{}, {{"array", "square"}}})},
      {"pnm", reader("image", "a.ppm", {{}, {{"channel", "green"}}})},
      {"png", reader("image", "a.png", {{}, {{"channel", "red"}}})},
      {"substitution", reader("substitution", "scores.mat", {{}})},
      {"job", read_job},
      {"ledger", read_ledger},
  };
  return all;
}

const Target* chosen = nullptr;

/// A message with a '?' for each byte that quote() has escaped: "\xba" and "d_alloc" make no word.
std::string without_escapes(std::string text) {
  constexpr std::size_t length = 4;
  for (std::size_t at = text.find("\\x"); at != std::string::npos; at = text.find("\\x", at)) {
    text.replace(at, length, "?");
  }
  return text;
}

/// Ends the program where a message is not fit for users: it has bytes that are no text, or a library's own words,
/// which the file does not have itself.
void check_message(const std::string& text, std::string_view file) {
  bool fit = !text.empty();
  for (const unsigned char letter : text)
    fit = fit && (letter >= 32 || letter == '\n' || letter == '\t') && letter != 127;
  const std::string plain = without_escapes(text);
  for (const char* words : {"json.exception", "std::", "basic_string", "vector::", "yaml-cpp", "bad_alloc"}) {
    fit = fit && (plain.find(words) == std::string::npos || file.find(words) != std::string_view::npos);
  }
  if (fit) return;
  std::fprintf(stderr, "the message is not fit for users: %s\n", text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("TERRACE_FUZZ_TARGET");
  const auto found = name == nullptr ? targets().end() : targets().find(name);
  if (found == targets().end()) {
    std::fprintf(stderr, "TERRACE_FUZZ_TARGET names none of the targets:");
    for (const auto& [target, _] : targets()) std::fprintf(stderr, " %s", target.c_str());
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  chosen = &found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  try {
    (*chosen)(data[0], std::string(reinterpret_cast<const char*>(data + 1), size - 1));
  } catch (const Error& error) {
    check_message(error.what(), {reinterpret_cast<const char*>(data), size});
  }
  return 0;
}
