// Published files with answers that others computed.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

/// The folder with test data; empty, after a line that says so, if there is none.
std::filesystem::path data_folder() {
  const char* named = std::getenv("TERRACE_TEST_DATA");
  const std::filesystem::path folder = named ? named : TERRACE_SOURCE_DIR "/../shared/data";
  if (std::filesystem::is_directory(folder)) return folder;
  std::cout << "SKIPPED: no test data; name their folder in TERRACE_TEST_DATA\n";
  return {};
}

std::shared_ptr<Source> open_data(const std::filesystem::path& folder, const std::string& kind,
                                  const std::string& name, const std::vector<Setting>& more = {}) {
  TempFolder unused;
  std::vector<Setting> list{{kind, (folder / name).string()}};
  list.insert(list.end(), more.begin(), more.end());
  return open_input(unused, list);
}

std::int64_t sum_of(Source& source, const Box& box) {
  std::int64_t sum = 0;
  for (std::uint8_t value : read_box<std::uint8_t>(source, box)) sum += value;
  return sum;
}

}  // namespace

TEST_CASE("Genomes have their published lengths and letters") {
  const auto folder = data_folder();
  if (folder.empty()) return;
  const struct {
    const char* file;
    std::int64_t length;
  } genomes[] = {{"masa/CP000051.1.fasta", 1044459},
                 {"masa/AE002160.2.fasta", 1072950},
                 {"mitochondria/MT-human.fa", 16569},
                 {"mitochondria/MT-orang.fa", 16499},
                 {"human_p59/hg38.fa", 51025},
                 {"human_p59/chm13.fa", 51024},
                 {"mummer_slices/H_pylori26695_Bslice.fasta", 69860}};
  for (const auto& genome : genomes) {
    INFO(genome.file);
    CHECK(open_data(folder, "fasta", std::string("dna/") + genome.file)->shape() == Extents{genome.length});
  }
  const std::string letters = read_letters(*open_data(folder, "fasta", "dna/masa/AE002160.2.fasta"));
  // Counted with grep and tr: K 1, M 5, N 2, R 3, S 1, W 2, Y 5.
  std::map<char, int> counts;
  for (char letter : letters) ++counts[letter];
  for (char letter : std::string("ACGT")) counts.erase(letter);
  CHECK(counts == std::map<char, int>{{'K', 1}, {'M', 5}, {'N', 2}, {'R', 3}, {'S', 1}, {'W', 2}, {'Y', 5}});
  const std::string human = read_letters(*open_data(folder, "fasta", "dna/mitochondria/MT-human.fa"));
  CHECK(human.substr(0, 15) == "GATCACAGGTCTATC");
}

TEST_CASE("Sums over images are NumPy's") {
  const auto folder = data_folder();
  if (folder.empty()) return;
  const auto expected = nlohmann::json::parse(std::ifstream(folder / "images" / "EXPECTED_sat_hist.json"));
  int checked = 0;
  for (const auto& [key, image] : expected.items()) {
    INFO(key);
    // "file#ch0" is the file's red channel.
    const std::string name = key.substr(0, key.find('#'));
    const char* channels[] = {"red", "green", "blue"};
    const char* channel = name == key ? "gray" : channels[key.back() - '0'];
    auto source = open_data(folder, "image", "images/" + name, {{"channel", channel}});
    const std::int64_t h = image["shape_hw"][0], w = image["shape_hw"][1];
    REQUIRE(source->shape() == Extents{h, w});
    CHECK(sum_of(*source, {{0, 0}, {h, w}}) == image["SAT_last"].get<std::int64_t>());
    CHECK(sum_of(*source, {{0, 0}, {h / 2, w / 2}}) == image["SAT_mid[h/2-1][w/2-1]"].get<std::int64_t>());
    const auto& sums = image["rect_sums"];
    CHECK(sum_of(*source, {{h / 4, w / 4}, {3 * h / 4, 3 * w / 4}}) ==
          sums["centre [h/4,w/4,3h/4,3w/4)"].get<std::int64_t>());
    CHECK(sum_of(*source, {{h - 1, 0}, {h, w}}) == sums["last row"].get<std::int64_t>());
    ++checked;
  }
  CHECK(checked == 5);
}

TEST_CASE("Series of the UCR archive and of dtw-python have their lengths and values") {
  const auto folder = data_folder();
  if (folder.empty()) return;
  const std::vector<Setting> first{{"row", 0}, {"skip", 1}};
  const auto beef = read_all<double>(*open_data(folder, "text", "timeseries/Beef_TEST.txt", first));
  CHECK(beef.size() == 470);
  CHECK(beef[0] == -0.11453835);
  CHECK(open_data(folder, "text", "timeseries/Coffee_TRAIN.txt", first)->shape() == Extents{286});
  const auto classes = read_all<double>(*open_data(folder, "text", "timeseries/Plane_TEST.txt", {{"column", "0"}}));
  CHECK(classes.size() == 105);
  CHECK(std::all_of(classes.begin(), classes.end(), [](double c) { return c >= 1 && c <= 7 && c == std::floor(c); }));
  CHECK(read_all<double>(*open_data(folder, "csv", "timeseries/dtwpy_query.csv"))[0] == 2.097144222158323773e-02);
}

TEST_CASE("Processing times come after the machines and the jobs") {
  const auto folder = data_folder();
  if (folder.empty()) return;
  const auto all = read_all<std::int64_t>(*open_data(folder, "text", "scheduling/PCMAX_NU_1_0500_25_6.txt"));
  CHECK(all[0] == 25);
  CHECK(all[1] == 500);
  const auto times =
      read_all<std::int64_t>(*open_data(folder, "text", "scheduling/PCMAX_NU_1_0500_25_6.txt", {{"skip", 2}}));
  REQUIRE(times.size() == 500);
  CHECK(times[0] == 93);
  std::int64_t sum = 0;
  for (std::int64_t time : times) sum += time;
  // The optimum, 1881 on 25 machines, cannot be less than the mean load.
  CHECK((sum + 24) / 25 <= 1881);
}
