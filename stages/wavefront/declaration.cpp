// The declaration of the stage `wavefront`, made from the list of problems.
#include <algorithm>
#include <string_view>

#include "kernels/in_place/methods.hpp"
#include "kernels/in_place/problems.hpp"
#include "kernels/pairs/methods.hpp"
#include "kernels/wavefront/methods.hpp"
#include "kernels/wavefront/problems.hpp"
#include "kernels/wavefront/schedule.hpp"
#include "stages/in_place/stage.hpp"
#include "stages/stage_methods.hpp"
#include "stages/wavefront/dealing.hpp"
#include "stages/wavefront/one_schedule.hpp"
#include "stages/wavefront/pairs/sides.hpp"
#include "stages/wavefront/stage.hpp"
#include "stages/wavefront/verify.hpp"

namespace terrace::stages {
namespace {

const std::vector<Parameter> sequence_parameters = {
    {"rows", ParameterKind::array, "the sequence along the rows of the table (the query), or a set of them"},
    {"columns", ParameterKind::array, "the sequence along its columns (the reference), or a set of them"},
    {"alphabet", ParameterKind::choice, "what the letters are; case matters in text alone; in dna U is T", "dna",
     "dna, protein, text"},
    {"type", ParameterKind::choice,
     "type of what is stored of the table; auto: i32, or i64 where that might overflow, or f64 where the scores have "
     "decimals; of sets: type of scores, auto: i64 or f64, i32 in half the room where all scores fit it",
     "auto", "auto, i32, i64, f64"},
};

const std::vector<Parameter> series_parameters = {
    {"rows", ParameterKind::array,
     "the series along the rows of the table: one dimension, of any type; or a set of them"},
    {"columns", ParameterKind::array, "the series along its columns, or a set of them"},
    {"type", ParameterKind::choice,
     "type of values and costs; auto: f32 where both series are f32, else f64; in f32 a score may be off by "
     "(rows + columns) / 2^24 of itself",
     "auto", "auto, f32, f64"},
};

/// Of sets.
const Parameter pairs_parameter = {
    "pairs", ParameterKind::node_pairs,
    "of sets: which items are compared; all: each row with each column; same: item i with item i; upper: of one set "
    "item i with each later one; or a list of pairs of indices or names, or an input n x 2 of indices, or of names "
    "(a "
    "table with `names: true`); left out: all",
    "", "all, same, upper"};

const Parameter best_parameter = {
    "best",
    ParameterKind::count,
    "of sets: so many hits of each row are kept in place of all scores, best first, of equal ones that of the lower "
    "index",
    "",
    nullptr,
    1,
    1 << 20};
const Parameter at_least_parameter = {
    "at_least", ParameterKind::number,
    "of sets: only pairs that score so much are kept, as a list; with `best` only these are hits", ""};
const Parameter at_most_parameter = {
    "at_most",
    ParameterKind::number,
    "of sets: only pairs of so small a distance are kept, as a list; with `best` only these are hits",
    "",
    nullptr,
    0};

/// In place of the alphabet above, if scores of letters are given.
const Parameter scored_alphabet = {
    "alphabet", ParameterKind::choice,
    "what the letters are; case matters in text alone; in dna U is T; left out: dna, or the letters of the matrix",
    "", "dna, protein, text"};
const Parameter keep_parameter = {"keep", ParameterKind::choice,
                                  "the score alone, the best alignment (both in memory linear in the lengths), "
                                  "the whole table, or rows and columns of it (see every)",
                                  "score", "score, table, borders, alignment"};
const Parameter keep_series = {"keep", ParameterKind::choice,
                               "the score alone, the best path (both in memory linear in the lengths), the whole "
                               "table, or rows and columns of it (see every)",
                               "score", "score, table, borders, alignment"};
const Parameter every = {
    "every",
    ParameterKind::count,
    "with keep: borders: rows and columns every - 1, 2 every - 1, ... of the table are kept, and "
    "the last ones",
    "",
    nullptr,
    1};
const Parameter literal = {"ambiguous", ParameterKind::choice, "how DNA letters other than A, C, G, T and U compare",
                           "literal", "literal, mismatch, error"};
const Parameter mismatch = {"ambiguous", ParameterKind::choice, "how DNA letters other than A, C, G, T and U compare",
                            "mismatch", "mismatch, literal, error"};

const std::vector<Parameter> grid_parameters = {
    {"grid", ParameterKind::array, "the two-dimensional array, of u8, i8, u16, i16, u32, i32, i64, f32 or f64"},
    {"type", ParameterKind::choice,
     "type of the sums; auto: of whole numbers the narrower of i32 and i64 that cannot overflow, of real ones f64; "
     "input: the grid's; in f32 a sum of values of one sign may be off by (rows + columns) / 2^24 of itself, so that "
     "the sum of a small rectangle in a large grid may be lost",
     "auto", "auto, i32, i64, f32, f64, input"},
};

const std::vector<Parameter> counted_parameters = {
    one_schedule,
    {"grid", ParameterKind::array, "the two-dimensional array, of any type"},
    {"type", ParameterKind::choice, "type of the counts; auto: i32, or i64 for 2^31 cells and more", "auto",
     "auto, i32, i64"},
};

/// True if the gaps that enter the cells after kept rows and columns are results: H does not contain them.
bool writes_gaps(const Settings& settings) { return settings.text("keep") == "borders" && settings.has("gap_open"); }

/// Adds the outputs of `keep: borders`. @param gaps true if the problem has affine gaps
void add_borders(std::vector<job::OutputDeclaration>& outputs, bool gaps) {
  const char* when = "keep: borders";
  const auto add = [&](const std::string& side, const std::string& other) {
    const std::string line = "border_" + side;
    outputs.push_back({line + "s", side + "s kept x " + other + "s",
                       "every `every`-th " + side + " of the table, and the last", job::Ties::none, when});
    outputs.push_back(
        {line + "_index", side + "s kept", "which " + side + "s of the table they are", job::Ties::none, when});
    if (!gaps) return;
    outputs.push_back({line + "_gaps", side + "s kept x " + other + "s",
                       "scores with which gaps enter the " + side + " after each: with them a table goes on from it",
                       job::Ties::none, "keep: borders, gap_open", writes_gaps});
  };
  add("row", "column");
  add("column", "row");
}

/// True if a list of pairs beyond a limit is the result.
bool lists_found(const Settings& settings) {
  return !settings.has("best") && (settings.has("at_least") || settings.has("at_most"));
}

/// True if pairs are a list, which is a result.
bool writes_pairs(const Settings& settings) {
  if (lists_found(settings)) return true;
  if (!settings.has("pairs")) return false;
  if (!settings.holds<std::string>("pairs")) return true;
  const std::string& pairs = settings.text("pairs");
  return pairs != "all" && pairs != "same" && pairs != "upper";
}

/// True if every pair has a score in the result.
bool writes_scores(const Settings& settings) { return !settings.has("best"); }

/// True if every pair has an end in the result, or the one alignment has one.
bool writes_ends(const Settings& settings) {
  return settings.text("keep") == "alignment" || (!settings.has("best") && !lists_found(settings));
}

/// True if warpings leave out columns before their start and after their end.
bool has_free_columns(const Settings& settings) { return settings.text("free_ends") == "columns"; }

/// True if the warping of all values has a length.
bool writes_normalized(const Settings& settings) {
  return settings.text("steps") == "symmetric2" && !has_free_columns(settings);
}

/// True if the ends of warpings are results.
bool writes_warped_ends(const Settings& settings) { return has_free_columns(settings) && writes_ends(settings); }

/// True if the start of a warping is a result.
bool writes_warped_start(const Settings& settings) {
  return has_free_columns(settings) && settings.text("keep") == "alignment";
}

/// The same of global alignments.
bool writes_global_ends(const Settings& settings) {
  if (settings.text("keep") == "alignment") return true;
  return settings.text("free_ends") != "none" && writes_ends(settings);
}

/// Outputs of sets alone.
void add_set_outputs(std::vector<job::OutputDeclaration>& outputs) {
  outputs.push_back({"pair", "pairs x 2", "of sets: row and column of each pair", job::Ties::none,
                     "pairs, at_least, at_most", writes_pairs, lists_found});
  outputs.push_back({"hit", "rows x best",
                     "of sets: columns of the best scores of each row, best first; -1: there are fewer",
                     job::Ties::none, "best"});
  outputs.push_back({"hit_score", "rows x best", "of sets: their scores", job::Ties::none, "best"});
  for (const char* side : {"row", "column"}) {
    outputs.push_back(
        {side, std::string(side) + "s", std::string("of sets: names of the ") + side + "s", job::Ties::none, "sets"});
    outputs.push_back(
        {std::string(side) + "_length", std::string(side) + "s", "of sets: their lengths", job::Ties::none, "sets"});
  }
}

/// True if scores of letters are given, rather than counted.
bool scores_letters(const wavefront::ProblemInfo& problem) {
  return std::any_of(problem.parameters.begin(), problem.parameters.end(),
                     [](const Parameter& parameter) { return std::string_view(parameter.name) == "match"; });
}

/// True if less is better.
bool is_distance(const wavefront::ProblemInfo& problem) {
  return problem.items == wavefront::Items::values || problem.name == std::string_view("edit_distance");
}

std::vector<job::OutputDeclaration> outputs_of(const wavefront::ProblemInfo& problem) {
  if (problem.counts) {
    return {{"table", "bins x rows x columns", "the counts, inclusive", job::Ties::none},
            {"edges", "bins + 1", "ends of the bins; values outside are not counted", job::Ties::none}};
  }
  if (problem.items == wavefront::Items::grid)
    return {{"table", "rows x columns", "the sums, inclusive", job::Ties::none}};
  const bool series = problem.items == wavefront::Items::values;
  std::vector<job::OutputDeclaration> outputs = {{"score", "one value",
                                                  "the score, or the distance; of sets rows x columns, or one a pair",
                                                  job::Ties::none, "", writes_scores, lists_found}};
  if (!series) {
    const bool best = problem.report == wavefront::Report::best, ends = problem.report == wavefront::Report::ends;
    job::OutputDeclaration end = {"end", "2", "letters of rows and columns up to the end of the best alignment",
                                  job::Ties::none,
                                  best   ? ""
                                  : ends ? "free_ends: rows, columns, both, or keep: alignment"
                                         : "keep: alignment"};
    if (ends) end.written = writes_global_ends;
    if (best) end.written = writes_ends;
    outputs.push_back(end);
  }
  if (series) {
    outputs.push_back({"end", "2", "values of rows and columns up to the end of the best warping", job::Ties::none,
                       "free_ends: columns", writes_warped_ends});
    outputs.push_back({"start", "2", "values of rows and columns before it", job::Ties::none,
                       "free_ends: columns, keep: alignment", writes_warped_start});
    outputs.push_back({"normalized", "one value", "score / (rows + columns)", job::Ties::none,
                       "steps: symmetric2, free_ends: none", writes_normalized});
  }
  outputs.push_back(
      {"lengths", "2", std::string(series ? "values" : "letters") + " of rows and columns", job::Ties::none});
  if (series) {
    outputs.push_back({"path", "pairs x 2",
                       "row and column of each pair of values that the warping goes through, from the first to the "
                       "last",
                       job::Ties::none, "keep: alignment"});
  } else {
    outputs.push_back(
        {"start", "2", "letters of rows and columns before the alignment", job::Ties::none, "keep: alignment"});
    outputs.push_back(
        {"identity", "one value", "equal letters over columns of the alignment", job::Ties::none, "keep: alignment"});
    outputs.push_back(
        {"cigar", "one text", "its operations: = X, I consumes rows, D columns", job::Ties::none, "keep: alignment"});
  }
  outputs.push_back(
      {"table", "rows x columns", "every cell, without the recurrence's border", job::Ties::none, "keep: table"});
  add_borders(outputs, scores_letters(problem));
  add_set_outputs(outputs);
  return outputs;
}

/// A set of texts, as bytes.
constexpr const char* words_example =
    ", words: {generate: uniform, shape: [5, 40], type: u8, minimum: 97, maximum: 99, seed: 4, each: row}";
constexpr const char* days_example = ", days: {generate: uniform, shape: [5, 40], seed: 4, each: row}";
constexpr const char* letters_example =
    "reference: {generate: dna, length: 2000, seed: 1}, "
    "query: {generate: dna, seed: 2, mutate: {of: reference, rate: 0.1}}";
constexpr const char* matrix_example = ", scores: {substitution: NUC.4.4}";
constexpr const char* series_example =
    "first: {generate: uniform, shape: [300], seed: 1}, second: {generate: uniform, shape: [250], seed: 2}";
constexpr const char* grid_example =
    "image: {generate: uniform, shape: [60, 80], type: u8, minimum: 0, maximum: 255, seed: 3}";

job::Example example_of(const wavefront::ProblemInfo& problem) {
  if (problem.counts) return {grid_example, {"{grid: image, bins: 16, range: [0, 256]}"}};
  if (problem.items == wavefront::Items::grid) return {grid_example, {"{grid: image}"}};
  const std::vector<std::string> kept = {"keep: alignment", "keep: borders, every: 100"};
  if (problem.items == wavefront::Items::values) {
    return {std::string(series_example) + days_example,
            {"{rows: first, columns: second}", kept[0], kept[1], "window: 100",
             "{rows: second, columns: first, free_ends: columns, keep: alignment}",
             "{rows: days, columns: days, best: 2}", "{rows: days, columns: days, pairs: upper, at_most: 9}"}};
  }
  if (!scores_letters(problem)) {
    const std::string limit = is_distance(problem) ? "at_most: 20" : "at_least: 20";
    return {std::string(letters_example) + words_example,
            {"{rows: query, columns: reference}", kept[0], kept[1],
             "{rows: words, columns: words, alphabet: text, best: 2}",
             "{rows: words, columns: words, alphabet: text, pairs: upper, " + limit + ", keep: alignment}"}};
  }
  return {std::string(letters_example) + matrix_example + words_example,
          {"{rows: query, columns: reference, match: 1, mismatch: -3, gap_open: 3, gap_extend: 2}", kept[0], kept[1],
           "{rows: query, columns: reference, match: 1, mismatch: -1, gap: 1}",
           "{rows: query, columns: reference, matrix: blosum62, gap_open: 10, gap_extend: 1}",
           "{rows: query, columns: reference, matrix: scores, gap_open: 10, gap_extend: 1}",
           "{rows: words, columns: words, alphabet: text, match: 1, mismatch: -1, gap: 1, best: 2}",
           "{rows: words, columns: words, alphabet: text, match: 1, mismatch: -1, gap: 1, pairs: upper, at_least: 5, "
           "keep: alignment}"}};
}

job::ProblemDeclaration declare(const wavefront::ProblemInfo& problem) {
  job::ProblemDeclaration declaration;
  declaration.name = problem.name;
  declaration.summary = problem.help;
  const bool letters = problem.items == wavefront::Items::letters, grid = problem.items == wavefront::Items::grid;
  declaration.group = grid ? "grids" : "sequences";
  declaration.parameters = letters          ? sequence_parameters
                           : problem.counts ? counted_parameters
                           : grid           ? grid_parameters
                                            : series_parameters;
  const bool scored = scores_letters(problem);
  if (letters) {
    declaration.results = 2;  // 1: U was no T
    declaration.results_change = "in `alphabet: dna` U is the letter T";
  } else if (grid && !problem.counts) {
    declaration.results = 2;  // 1: sums of an f32 grid were f32
    declaration.results_change = "sums of grids of f32 are f64; `type: input` keeps the type of the grid";
  }
  if (scored) declaration.parameters[2] = scored_alphabet;
  if (letters) declaration.parameters.push_back(scored ? mismatch : literal);
  if (!grid) {
    declaration.parameters.push_back(letters ? keep_parameter : keep_series);
    declaration.parameters.push_back(every);
    declaration.sets = {"rows", "columns"};
    declaration.parameters.push_back(pairs_parameter);
    declaration.parameters.push_back(best_parameter);
    declaration.parameters.push_back(is_distance(problem) ? at_most_parameter : at_least_parameter);
  }
  declaration.parameters.insert(declaration.parameters.end(), problem.parameters.begin(), problem.parameters.end());
  declaration.outputs = outputs_of(problem);
  declaration.example = example_of(problem);
  return declaration;
}

void check_every(const Settings& settings, std::vector<job::Finding>& findings) {
  const bool borders = settings.has("keep") && settings.text("keep") == "borders";
  if (borders && !settings.has("every")) {
    findings.push_back({"keep",
                        "keep: borders needs every: one row and one column of so many is kept, as in "
                        "`every: 1000`"});
  }
  if (!borders && settings.has("every")) {
    findings.push_back(
        {"every", "every says how many rows and columns `keep: borders` keeps: say so, or leave it out"});
  }
}

}  // namespace

StageKind wavefront_stage() {
  StageKind kind;
  kind.declaration.name = "wavefront";
  kind.declaration.help = "two-dimensional tables in which a cell needs its neighbours above and to the left";
  static const std::string schedules = wavefront::schedule_names();
  static const std::string schedule_help =
      "how kernel tiles are swept; results do not depend on it: " + wavefront::schedule_help();
  kind.declaration.parameters = {
      {"schedule", ParameterKind::choice, schedule_help.c_str(), "auto", schedules.c_str()}};
  for (const wavefront::ProblemInfo& problem : wavefront::problems()) {
    kind.declaration.problems.push_back(declare(problem));
  }
  for (job::ProblemDeclaration& problem : declare_in_place()) {
    kind.declaration.problems.push_back(std::move(problem));
  }
  kind.declaration.check = [](const std::string& problem, const Settings& settings) {
    std::vector<job::Finding> findings;
    if (in_place::find_in_place(problem) != nullptr) return findings;
    for (wavefront::ParameterError& error : wavefront::parameter_errors(problem, settings)) {
      findings.push_back({std::move(error.parameter), std::move(error.message)});
    }
    for (wavefront::ParameterError& warning : wavefront::parameter_warnings(settings)) {
      findings.push_back({std::move(warning.parameter), std::move(warning.message), true});
    }
    check_every(settings, findings);
    return findings;
  };
  kind.make = make_wavefront;
  kind.deals = [](const job::Stage& stage, const auto& input) {
    if (in_place::find_in_place(stage.problem) != nullptr) return is_long_sweep(stage, input);
    return reads_sets(stage.settings, input) || is_long_pair(stage.settings, input);
  };
  kind.small_by_inputs = true;
  kind.cpu_alone = [](const Request& request) -> std::optional<CpuAlone> {
    using Storage = wavefront::Schedule::Storage;
    const Settings& settings = request.stage.settings;
    if (!settings.has("keep") || settings.text("keep") != "borders") return std::nullopt;
    if (wavefront::schedule_from(settings.text("schedule"))->storage == Storage::registers) return std::nullopt;
    return CpuAlone{"schedule",
                    "on CUDA borders are kept by cells in registers: say `auto` or `registers`, or leave it out"};
  };
  kind.methods = [] {
    auto all = stage_methods(wavefront::wavefront_methods());
    for (run::StageMethod& method : stage_methods(in_place::in_place_methods())) {
      method.help += " (sweeps in place)";
      all.push_back(std::move(method));
    }
    for (run::StageMethod& method : stage_methods(pairs::pairs_methods())) {
      method.help += " (pairs of sets)";
      all.push_back(std::move(method));
    }
    return all;
  };
  kind.verify = verify_wavefront;
  return kind;
}

}  // namespace terrace::stages
