// Damaged jobs: for any bytes, reading ends soon, with a job or with errors.
#include <catch2/catch.hpp>
#include <ctime>
#include <random>

#include "tests/unit/job/fixture.hpp"

namespace terrace::job {
namespace {

const std::string job_text = R"(job: "chlam\x79dia" # a comment
memory: {host: 4GiB, device: 2GiB}
checkpoint: {every: 30s}
devices: [0, 2]
inputs: &inputs
  a: &one {fasta: muridarum.fa, range: [1, 64Ki]}
  b: *one
  c: {generate: dna, mutate: {of: a, rate: 0.1}}
stages:
  - name: align
    wavefront: {problem: smith_waterman, rows: a, columns: b, match: 2.5, keep: table}
  - name: smooth
    temporary: true
    stencil:
      operator: heat
      grid: align/table
      steps: 1e3
      coefficients: {center: 0.5, neighbours: 0.125}
      until: {residual: 1e-6}
      reduce: [sum]
  - name: move
    stencil:
      operator: flow
      grid: align/table
      steps: 3
      speed: smooth/grid
      weights: [0.5, a, -1e-3]
      directions: [[0, 1], [-1, 0], [1, 1]]
      boundary: [[fixed, {value: 0.5}], periodic]
output: >-
  chlamydia.h5
)";

/// Reads a text; anything but a job or a JobError fails the test. Slow is a failure as well.
bool is_job(const TempFolder& folder, const std::string& text, const std::vector<std::string>& overrides = {}) {
  // The processor's time: the machine may have other things to do.
  const std::clock_t start = std::clock();
  const auto messages = messages_of(folder, text, overrides);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  INFO(text.substr(0, 1000));
  if (seconds > 20) FAIL("reading took " << seconds << " s");
  for (const std::string& message : messages) {
    const bool placed =
        message.starts_with("job.yaml:") || message.starts_with("--set ") || message.starts_with("and ");
    if (!placed) FAIL("no place: " << message);
  }
  return messages.empty();
}

TEST_CASE("Every beginning of a job is read or refused") {
  TempFolder folder;
  int jobs = 0;
  for (std::size_t length = 0; length < job_text.size(); ++length) jobs += is_job(folder, job_text.substr(0, length));
  CHECK(is_job(folder, job_text));
  // The output's name alone may be cut short and still be one.
  CHECK(jobs <= 15);
}

TEST_CASE("A job with any bytes changed is read or refused") {
  TempFolder folder;
  std::mt19937 random(20261121);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = job_text;
    for (int change = 0; change <= round % 5; ++change) text[random() % text.size()] = static_cast<char>(random());
    refused += is_job(folder, text) ? 0 : 1;
  }
  CHECK(refused > 2000);
}

TEST_CASE("A job with signs of YAML changed, put in or taken out is read or refused") {
  TempFolder folder;
  std::mt19937 random(7);
  const std::string signs = "{}[]:,-&*!|>'\"%@`#?~ \n\t\r<=./0";
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = job_text;
    for (int change = 0; change <= round % 4; ++change) {
      const std::size_t at = random() % text.size();
      const char sign = signs[random() % signs.size()];
      if (round % 3 == 0) text[at] = sign;
      else if (round % 3 == 1) text.insert(at, 1 + random() % 3, sign);
      else text.erase(at, 1 + random() % 8);
    }
    refused += is_job(folder, text) ? 0 : 1;
  }
  CHECK(refused > 1500);
}

TEST_CASE("Lines of a job in any order are read or refused") {
  TempFolder folder;
  std::mt19937 random(11);
  std::vector<std::string> lines;
  for (std::size_t at = 0, end; (end = job_text.find('\n', at)) != std::string::npos; at = end + 1) {
    lines.push_back(job_text.substr(at, end - at + 1));
  }
  int refused = 0;
  for (int round = 0; round < 500; ++round) {
    std::shuffle(lines.begin(), lines.end(), random);
    std::string text;
    for (const std::string& line : lines) text += line;
    refused += is_job(folder, text) ? 0 : 1;
  }
  CHECK(refused == 500);
}

TEST_CASE("Random bytes are refused") {
  TempFolder folder;
  std::mt19937 random(13);
  for (std::size_t length : {1, 10, 1000, 100000}) {
    std::string text;
    for (std::size_t i = 0; i < length; ++i) text += static_cast<char>(random());
    CHECK_FALSE(is_job(folder, text));
  }
}

TEST_CASE("Large and deep texts are refused in time") {
  TempFolder folder;
  for (const std::string part :
       {"[",   "{",     "{a: ", "- ",   "? ",   "a: ", "&a ", "*a ",   "!!x ",         "'", "\"",
        "|\n", "a:\n ", "[a, ", "{a, ", "a: {", "- [", "%",   "---\n", "\xEF\xBB\xBF", "#", ": "}) {
    INFO(part);
    std::string text;
    while (text.size() < 100000) text += part;
    CHECK_FALSE(is_job(folder, text));
  }
}

TEST_CASE("Thousands of errors on one line are reported in time") {
  TempFolder folder;
  const std::string head = "inputs: {a: {generate: dna}}\noutput: o.h5\n";
  std::string elements, keys;
  while (elements.size() < 1'000'000) elements += "x, ";
  for (int i = 0; keys.size() < 1'000'000; ++i) keys += "k" + std::to_string(i) + ": 1, ";
  CHECK_FALSE(is_job(folder, head + "devices: [" + elements + "0]\n"));
  CHECK_FALSE(is_job(folder, head + "memory: {" + keys + "host: 1}\n"));
}

TEST_CASE("Thousands of inputs and stages are read or refused in time") {
  TempFolder folder;
  std::string inputs = "  a0: {generate: dna}\n", stages;
  for (int i = 1; i < 50000; ++i) {
    inputs += "  a" + std::to_string(i) + ": {generate: dna, mutate: {of: a" + std::to_string(i - 1) + "}}\n";
  }
  for (int i = 0; i < 50000; ++i) {
    stages += "- {name: s" + std::to_string(i) +
              ", wavefront: {problem: summed_area, grid: " + (i == 0 ? "a" : "s" + std::to_string(i - 1) + "/table") +
              "}}\n";
  }
  CHECK_FALSE(is_job(folder, "inputs:\n" + inputs + "stages: [{name: s, tally: {machines: 1}}]\noutput: o.h5\n"));
  const std::string head = "inputs: {a: {generate: dna}}\noutput: o.h5\nstages:\n";
  CHECK_FALSE(is_job(folder, head + stages));
  CHECK(is_job(folder, head + stages.substr(0, stages.find("- {name: s1000,"))));
}

TEST_CASE("Indentation that grows with every line is refused") {
  TempFolder folder;
  std::string text;
  for (std::size_t depth = 0; depth < 1000; ++depth) text += std::string(depth, ' ') + "a:\n";
  CHECK_FALSE(is_job(folder, text));
}

TEST_CASE("Settings with any bytes changed are read or refused") {
  TempFolder folder;
  std::mt19937 random(17);
  const std::string setting = "stages.smooth.coefficients={center: 0.5, neighbours: [1]}";
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    std::string text = setting;
    for (int change = 0; change <= round % 4; ++change) text[random() % text.size()] = static_cast<char>(random());
    refused += is_job(folder, job_text, {text}) ? 0 : 1;
  }
  CHECK(refused > 1900);
}

}  // namespace
}  // namespace terrace::job
