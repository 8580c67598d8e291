// A small table of stages and inputs, and jobs in a folder of their own.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/job/declaration.hpp"
#include "pipeline/job/job.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::job {

using test::TempFolder;

/// An array of one element.
class OneByte : public io::Source {
 public:
  ElementType type() const override { return ElementType::u8; }
  const Extents& shape() const override { return shape_; }
  void read(const Box&, void* buffer) override { *static_cast<std::uint8_t*>(buffer) = 0; }

 private:
  Extents shape_{1};
};

inline std::shared_ptr<io::Source> open_one_file(const Settings& settings, const io::OpenContext&) {
  if (!std::filesystem::exists(settings.text("fasta"))) throw IoError(settings.text("fasta"), "no such file");
  return std::make_shared<OneByte>();
}

inline std::shared_ptr<io::Source> open_generated(const Settings& settings, const io::OpenContext& context) {
  if (settings.integer("seed") < 0) {
    throw JobError(message_at(settings.place("seed"), "seed: below 0"));
  }
  if (settings.has("mutate.of")) context.input(settings.text("mutate.of"));
  return std::make_shared<OneByte>();
}

inline constexpr std::array<Parameter, 4> fasta_parameters = {{
    {"fasta", ParameterKind::file, "the FASTA file"},
    {"record", ParameterKind::text, "name or index of the record", ""},
    {"range", ParameterKind::ranges, "the letters to read", "", nullptr, 0},
    {"reverse_complement", ParameterKind::flag, "read the other strand", "false"},
}};

inline constexpr std::array<Parameter, 7> generate_parameters = {{
    {"generate", ParameterKind::choice, "what to make", nullptr, "dna, ramp"},
    {"length", ParameterKind::count, "number of letters", "1000", nullptr, 0},
    {"seed", ParameterKind::integer, "where randomness begins", "0"},
    {"mutate.of", ParameterKind::array, "the input to change"},
    {"mutate.rate", ParameterKind::number, "how many letters change", "0.1", nullptr, 0, 1},
    {"shape", ParameterKind::integers, "the extents", "", nullptr, 0},
    {"numbers", ParameterKind::decimals, "numbers as they are written", ""},
}};

inline constexpr std::array<io::InputKind, 2> test_kinds = {{
    {"fasta", "a record of a FASTA file", fasta_parameters, open_one_file, ""},
    {"generate", "made, not read", generate_parameters, open_generated, ""},
}};

inline StageDeclaration test_wavefront() {
  StageDeclaration stage;
  stage.name = "wavefront";
  stage.help = "tables whose cells need their left, upper and diagonal neighbours";
  stage.parameters = {{"schedule", ParameterKind::choice, "how blocks are swept", "auto", "auto, square, hyperplane"},
                      {"type", ParameterKind::type, "element type", "auto", "auto"}};
  const Parameter rows = {"rows", ParameterKind::array, "the query"};
  const Parameter columns = {"columns", ParameterKind::array, "the reference"};
  const Parameter keep = {"keep", ParameterKind::choice, "what to keep", "score", "score, table, borders"};
  const std::vector<OutputDeclaration> outputs = {
      {"score", "one value", "the best score", Ties::none},
      {"table", "rows x columns", "all scores", Ties::none, "keep: table"},
      {"end", "2", "where the best score ends", Ties::open, "free_ends"}};
  stage.problems.push_back({"smith_waterman",
                            "local alignment",
                            "sequences",
                            {rows,
                             columns,
                             keep,
                             {"match", ParameterKind::number, "score of equal letters", "1"},
                             {"mismatch", ParameterKind::number, "score of different letters", "-1"},
                             {"gap_open", ParameterKind::number, "cost of opening a gap", "0", nullptr, 0},
                             {"every", ParameterKind::integer, "cells between borders", "4096", nullptr, 1, 1e6},
                             {"free_ends", ParameterKind::flag, "whether ends are free", "false"}},
                            outputs});
  stage.problems.push_back({"dtw",
                            "dynamic time warping",
                            "sequences",
                            {rows,
                             columns,
                             keep,
                             {"cost", ParameterKind::choice, "cost of a pair", "absolute", "absolute, squared"},
                             {"window", ParameterKind::count, "half width of the band", "", nullptr, 0}},
                            outputs});
  stage.problems.push_back({"summed_area",
                            "sums over rectangles",
                            "grids",
                            {{"grid", ParameterKind::array, "the image"}},
                            {{"table", "rows x columns", "the sums", Ties::none}}});
  return stage;
}

inline StageDeclaration test_stencil() {
  StageDeclaration stage;
  stage.name = "stencil";
  stage.help = "steps in time over a grid";
  stage.selector = "operator";
  stage.parameters = {{"grid", ParameterKind::array, "the first state"},
                      {"steps", ParameterKind::count, "steps in time", nullptr, nullptr, 0},
                      {"dt", ParameterKind::number, "length of a step", "0.1", nullptr, 1e-9, 10, "s"},
                      {"offsets", ParameterKind::ranges, "pairs of offsets", ""},
                      {"coefficients", ParameterKind::numbers, "in the operator's order", ""},
                      {"coefficients.center", ParameterKind::number, "of the middle"},
                      {"coefficients.neighbours", ParameterKind::number, "of all others"},
                      {"mask", ParameterKind::array, "where to compute", "none", "none"},
                      {"until.residual", ParameterKind::number, "stop below", nullptr, nullptr, 0},
                      {"until.norm", ParameterKind::choice, "of the last change", "max", "max, l2"},
                      {"reduce", ParameterKind::texts, "what to fold", "", "sum, minimum, maximum"}};
  stage.outputs = {{"grid", "as the input", "the last state", Ties::none},
                   {"sum", "one value", "the sum", Ties::none, "reduce: sum"},
                   {"residual", "checks", "the norms", Ties::none, "until.residual"}};
  stage.problems = {{"heat", "diffusion", "", {{"diffusivity", ParameterKind::number, "of the matter", "1"}}, {}},
                    {"average", "mean of neighbours", "", {}, {}}};
  stage.problems.push_back({"flow",
                            "matter that moves",
                            "",
                            {{"speed", ParameterKind::quantity, "of the matter", "0.5", nullptr, 0},
                             {"source", ParameterKind::quantity, "matter that is added", "none", "none"},
                             {"weights", ParameterKind::quantities, "one a direction", "", "even"},
                             {"directions", ParameterKind::vectors, "where it moves", "", nullptr, -8, 8},
                             {"between", ParameterKind::node_pairs, "whom to ask about", ""},
                             {"part", ParameterKind::selection, "where to look", "", nullptr, 0},
                             {"boundary", ParameterKind::faces, "of the grid", "fixed", "fixed, periodic, edge"},
                             {"rim", ParameterKind::faces, "beyond it", "{value: 0}", "edge"}},
                            {}});
  stage.problems.back().explanation = "s = fma(w, x, s) for each direction\nu + dt * s";
  stage.check = [](const std::string&, const Settings& settings) {
    std::vector<Finding> findings;
    if (settings.has("reduce") && settings.integer("steps") == 0) {
      findings.push_back({"reduce", "nothing to reduce after 0 steps; take 'reduce' away"});
    }
    return findings;
  };
  return stage;
}

/// A stage without problems and without inputs.
inline StageDeclaration test_tally() {
  StageDeclaration stage;
  stage.name = "tally";
  stage.help = "a stage without problems";
  stage.parameters = {{"machines", ParameterKind::count, "how many", nullptr, nullptr, 1}};
  stage.outputs = {{"tally", "one value", "the number", Ties::none}};
  return stage;
}

inline StageTable test_table() {
  StageTable table;
  table.add(test_wavefront());
  table.add(test_stencil());
  table.add(test_tally());
  return table;
}

/// Loads a text as a job; paths start at `folder`.
inline Job load_text(const TempFolder& folder, const std::string& text,
                     const std::vector<std::string>& overrides = {}) {
  return load(folder.write("job.yaml", text), overrides, test_table(), test_kinds);
}

/// The messages of a job that is wrong, with the file's name without its folder; empty when it is right.
inline std::vector<std::string> messages_of(const TempFolder& folder, const std::string& text,
                                            const std::vector<std::string>& overrides = {}, bool opening = false) {
  const auto path = folder.write("job.yaml", text);
  try {
    if (opening) load_and_open(path, overrides, test_table(), test_kinds);
    else load(path, overrides, test_table(), test_kinds);
    return {};
  } catch (const JobError& error) {
    std::vector<std::string> messages = error.messages();
    const std::string prefix = folder.path().string() + "/";
    for (std::string& message : messages) {
      for (std::size_t at; (at = message.find(prefix)) != std::string::npos;) message.erase(at, prefix.size());
    }
    return messages;
  }
}

}  // namespace terrace::job
