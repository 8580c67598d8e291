// The declaration of the stage `nest`.
#include "stages/cell_compiler.hpp"
#include "stages/nest/same_nest.hpp"
#include "stages/nest/stage.hpp"
#include "stages/nest/sweeps.hpp"
#include "stages/nest/verify.hpp"
#include "stages/nest/words.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {
namespace {

constexpr const char* keeps_nothing_else = "keep of an array";

job::OutputDeclaration output(const char* name, const char* shape, const char* meaning, const std::string& keep) {
  job::OutputDeclaration declared{name, shape, meaning, job::Ties::none};
  declared.when = keeps_nothing_else;
  declared.written = [keep](const Settings& settings) { return !datasets_of(settings, keep).empty(); };
  declared.names = [keep](const Settings& settings) { return datasets_of(settings, keep); };
  return declared;
}

job::OutputDeclaration best_output(const char* name, const char* shape, const char* meaning,
                                   const std::string& suffix) {
  job::OutputDeclaration declared{name, shape, meaning, job::Ties::none};
  declared.when = "best of an array";
  declared.written = [suffix](const Settings& settings) { return !best_datasets_of(settings, suffix).empty(); };
  declared.names = [suffix](const Settings& settings) { return best_datasets_of(settings, suffix); };
  return declared;
}

std::vector<Parameter> parameters() {
  return {
      {"loops", ParameterKind::names, "the loops by names of your choice, the outermost first", nullptr, nullptr, 1,
       4},
      {"loops.*", ParameterKind::texts,
       "an end, or [begin, end]: whole numbers, parameters and size(input, axis), with + - * / %"},
      {"inputs", ParameterKind::names,
       "arrays that formulas read, by names of your choice; inputs of the job that they name need no entry", "{}"},
      {"inputs.*", ParameterKind::array, "an input, or what an earlier stage wrote"},
      {"parameters", ParameterKind::names, "numbers of formulas by names of your choice", "{}"},
      {"parameters.*", ParameterKind::text, "a number; one without a point takes the type beside it in a formula"},
      {"arrays", ParameterKind::names, "the arrays that statements write, by names of your choice", nullptr, nullptr,
       1, 8},
      {"arrays.*.type", ParameterKind::choice,
       "type of the elements; auto: of `from`, else i64 if all that is stored are whole numbers, else f64", "auto",
       "auto, u8, i8, u16, i16, u32, i32, u64, i64, f32, f64"},
      {"arrays.*.from", ParameterKind::array,
       "the elements that no statement has written: an array of the same shape, for a table also the first slice",
       ""},
      {"arrays.*.outside", ParameterKind::text,
       "elements that neither a statement nor `from` has: a formula of their subscripts, which are named as the "
       "loops, "
       "and of inputs",
       ""},
      {"arrays.*.keep", ParameterKind::texts,
       "last: an array in place, or the last slice of a table; table: all of a table; corner: the last element",
       "last", "last, table, corner"},
      {"arrays.*.best", ParameterKind::choice, "also the largest or the least element, and where it is", "",
       "max, min"},
      {"cells", ParameterKind::items, "the statements, each as D[i][j] = formula", nullptr, nullptr, 1, 8},
      {"cells[]", ParameterKind::text, "a statement for all iterations"},
      {"cells[].for", ParameterKind::names, "loops whose ranges are smaller for this statement", "{}"},
      {"cells[].for.*", ParameterKind::texts, "an end, or [begin, end], inside the loop's"},
      {"cells[].do", ParameterKind::text, "the statement"},
      {"order", ParameterKind::choice,
       "the order of statements if an array is in place. cells: all at a cell before the next cell; statements: each "
       "over the inner loops before the next statement",
       "cells", "cells, statements"},
      {"schedule", ParameterKind::choice,
       "how iterations are skewed; results do not depend on it. hyperplanes: the least skew in which boxes are "
       "tiles; "
       "communication_minimal and balanced: those of Di, Ye, Su, Sui and Xue (2012), of the dependences of `storage`",
       "auto", "auto, hyperplanes, communication_minimal, balanced"},
      {"storage", ParameterKind::choice,
       "the dependences that a skew keeps. expanded: the flow of values; given: also those of arrays in place that "
       "keep one value an element",
       "expanded", "expanded, given"},
      {"alphabet", ParameterKind::choice,
       "what the letters of sequences are; case matters in text alone; in dna U is T", "dna", "dna, protein, text"},
      {"ambiguous", ParameterKind::choice, "how DNA letters other than A, C, G, T and U compare", "literal",
       "literal, mismatch, error"}};
}

}  // namespace

StageKind nest_stage() {
  StageKind kind;
  kind.declaration.name = "nest";
  kind.declaration.help =
      "recurrences that a job writes as loops and statements: dependences, skew and blocks are found";
  kind.declaration.parameters = parameters();
  kind.declaration.outputs = {
      output("ARRAY", "the array", "an array in place after all iterations, or with its rim as it was", "last"),
      output("ARRAY_last", "the inner loops", "the last slice of a table", "last"),
      output("ARRAY", "the loops", "all elements of a table", "table"),
      output("ARRAY_corner", "one value", "the last element", "corner"),
      best_output("ARRAY_best", "one value", "the largest or the least element", "_best"),
      best_output("ARRAY_best_at", "dimensions", "its subscripts, of equal ones the first in the order of loops",
                  "_best_at")};
  // An array in place and a table keep `last` under different names.
  kind.declaration.outputs[0].names = [](const Settings& settings) {
    std::vector<std::string> names;
    for (const std::string& name : datasets_of(settings, "last")) {
      if (!name.ends_with("_last")) names.push_back(name);
    }
    return names;
  };
  kind.declaration.outputs[1].names = [](const Settings& settings) {
    std::vector<std::string> names;
    for (const std::string& name : datasets_of(settings, "last")) {
      if (name.ends_with("_last")) names.push_back(name);
    }
    return names;
  };
  kind.declaration.example = {
      "first: {generate: dna, length: 40, seed: 1}, second: {generate: dna, length: 50, seed: 2}, start: {generate: "
      "uniform, shape: [20, 30], type: f32, seed: 3}",
      {"{inputs: {a: first, b: second}, loops: {i: size(a), j: size(b)}, arrays: {D: {type: i32, outside: i + j + 2, "
       "keep: "
       "[last, table, corner], best: max}}, cells: ['D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, "
       "D[i][j-1] + 1)']}",
       "{inputs: {g: start}, parameters: {w: 0.2}, loops: {t: 10, i: [1, 'size(g, 0) - 1'], j: [1, 'size(g, 1) - "
       "1']}, "
       "arrays: {A: {from: start}}, cells: [{for: {j: [1, 29]}, do: 'A[i][j] = w*(A[i][j] + A[i][j+1] + A[i+1][j] + "
       "A[i-1][j] + A[i][j-1]) + 0.001*g[i][j]'}], order: statements, schedule: balanced, storage: given}"}};
  kind.declaration.find_inputs = find_inputs_of_nest;
  kind.declaration.in_words_of = nest_in_words_of;
  kind.make = make_nest;
  kind.deals = always_deals;
  kind.small_by_inputs = true;
  kind.cpu_alone = [](const Request& request) {
    return cpu_alone_without_compiler("nests", request.resources.compiles);
  };
  kind.verify = verify_nest;
  kind.methods = all_nest_methods;
  return kind;
}

}  // namespace terrace::stages
