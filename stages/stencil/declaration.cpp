// The declaration of the stage `stencil`, made from the list of operators.
#include <deque>
#include <string>
#include <vector>

#include "kernels/stencil/methods.hpp"
#include "kernels/stencil/operators.hpp"
#include "stages/cell_compiler.hpp"
#include "stages/stage_kind.hpp"
#include "stages/stage_methods.hpp"
#include "stages/stencil/definition.hpp"
#include "stages/stencil/same_formulas.hpp"
#include "stages/stencil/stage.hpp"
#include "stages/stencil/verify.hpp"

namespace terrace::stages {
namespace {

using stencil::OperatorInfo;

const Parameter steps = {
    "steps", ParameterKind::count, "steps that are made; with `until` the most", nullptr, nullptr, 0, 1e15};
const Parameter boundary = {
    "boundary", ParameterKind::faces,
    "values outside the grid: `fixed` keeps the cells within the radius of a face, `periodic` goes on at the other "
    "side, `edge`, `reflect` and `symmetric` are NumPy's pads, {value: x} is one value (at corners the first axis "
    "that has one); one for all faces, or one an "
    "axis, or [low, high] for an axis",
    "fixed", "fixed, periodic, edge, reflect, symmetric"};
const Parameter mask = {"mask", ParameterKind::array,
                        "cells where it is not 0 keep their values; a NaN in it is an error, also with `nan: allow`",
                        ""};

const std::vector<Parameter> events = {
    {"snapshots", ParameterKind::integers, "steps after which the grid is kept, ascending; step 0 is the input", "",
     nullptr, 0, 1e15},
    {"snapshots.every", ParameterKind::count, "the grid is kept after so many steps, twice as many, ...", nullptr,
     nullptr, 1, 1e15},
    {"until.residual", ParameterKind::number,
     "the stage ends when the change of a step is smaller, or is 0 or NaN; with 0 it ends when nothing changes",
     nullptr, nullptr, 0},
    {"until.norm", ParameterKind::choice,
     "the change of a step. The difference of a cell's values is rounded to their type; `max` is its largest "
     "magnitude "
     "over all cells and fields, `l2` the root of the sum of its squares, added in f64 in an order that the grid "
     "alone "
     "fixes. Both are the same on every back end",
     "max", "max, l2"},
    {"until.every", ParameterKind::count, "steps from check to check: the first one is after so many", "100", nullptr,
     1, 1e15},
};

const std::vector<Parameter> points = {
    {"point_sources", ParameterKind::items,
     "sources of one cell each: after a step its value is added to the new value of the cell, after `source`, with "
     "one "
     "rounding; several sources of a cell in the order of the list. A masked cell keeps its value",
     ""},
    {"point_sources[].at", ParameterKind::integers, "the cell: an index an axis, first axis first", nullptr, nullptr,
     0, 1e15},
    {"point_sources[].values", ParameterKind::array, "an array of one dimension, a value a step"},
    {"point_sources[].field", ParameterKind::text,
     "the field that it is added to; left out: the one that `source` is added to", ""},
    {"receivers.at", ParameterKind::vectors,
     "cells whose values are recorded: an index an axis each, first axis first", nullptr, nullptr, 0, 1e15},
    {"receivers.every", ParameterKind::count,
     "steps from record to record: the first one is after so many, after the sources of that step", "1", nullptr, 1,
     1e15},
    {"receivers.field", ParameterKind::text,
     "the field that is recorded; left out: the one that `source` is added to", ""},
    {"spacing", ParameterKind::numbers,
     "the distance from cell to cell along each axis: the result then has coordinates along them, and is else the "
     "same",
     "", nullptr, 0},
};

const std::vector<Parameter> computing = {
    {"arithmetic", ParameterKind::choice,
     "exact: sums in the order of the offsets, one fused multiply-add a term, the same bits on every back end; fast "
     "allows another order, which makes a difference for box2d alone",
     "exact", "exact, fast"},
    {"nan", ParameterKind::choice,
     "a NaN in the grid or in an array, or a cell that becomes infinite or NaN: an error that names the cell, or "
     "computed with. Infinities that are read are computed with in any case, and what they make of other cells is no "
     "error. Cells are counted at snapshots and checks of `until`, at the end, and about every 512 steps",
     "error", "error, allow"},
    {"schedule", ParameterKind::choice,
     "how steps are made; results do not depend on it. plain: one step of all cells at a time; auto: several at a "
     "time",
     "auto", "auto, plain"},
    {"type", ParameterKind::choice, "type of the cells; auto: the grid's own, f64 for a grid of integers", "auto",
     "auto, f32, f64"},
};

/// Sums in two dimensions also have schedules of tiles.
void add_tiled_schedules(std::vector<Parameter>& parameters) {
  for (Parameter& parameter : parameters) {
    if (std::string(parameter.name) != "schedule") continue;
    parameter.help =
        "how steps are made; results do not depend on it. plain: one step of all cells at a time; auto: several at a "
        "time; overlapped: several steps of tiles that overlap, time_skewed: of tiles that move with each step (Li, "
        "2020), both on CUDA, of grids with two dimensions, `fixed` faces and numbers as coefficients";
    parameter.choices = "auto, plain, overlapped, time_skewed";
  }
  parameters.push_back(
      {"tile", ParameterKind::choice,
       "columns x rows of a tile of `time_skewed`; left out: 64x64. Its steps at a time are those of "
       "the paper's table 11",
       "", stencil::skewed_tiles});
}

/// Boxes in two dimensions also have another order of operations.
void add_separable_sums(std::vector<Parameter>& parameters) {
  for (Parameter& parameter : parameters) {
    const std::string name = parameter.name;
    if (name == "arithmetic") {
      parameter.help =
          "exact: sums in the order of the offsets, one fused multiply-add a term; fast: sums of rows, then of "
          "columns, if the coefficients are products (within 16 u of each) and `schedule` is auto or plain, else "
          "exact; either gives the same bits on every back end and at any budget. After k steps a cell differs "
          "from the same steps in real numbers by at most k C^k (4 r + 22) u M (fast) or k C^k ((2 r + 1)^2 + 2) u "
          "M (exact), to first order in u: r is the radius, u 2^-24 in f32 and 2^-53 in f64, C the sum of the "
          "absolute coefficients, at least 1, M the largest absolute value of a cell, face or source in any step";
    }
    if (name == "schedule") {
      static std::string help = parameter.help;
      help.insert(help.find("results do not"), "exact ");
      parameter.help = help.c_str();
    }
  }
}

void add_fields(const OperatorInfo& info, std::vector<Parameter>& parameters) {
  if (info.fields.size() == 1) {
    parameters.push_back({"grid", ParameterKind::array, "the array, of numbers of any type"});
    return;
  }
  // Names of parameters live as long as the program.
  static std::deque<std::string> texts;
  for (const char* name : info.fields) {
    const std::string& parameter = texts.emplace_back(field_parameter(info.fields.size(), name));
    const std::string& help = texts.emplace_back(std::string("the array that field `") + name + "` begins as");
    parameters.push_back({parameter.c_str(), ParameterKind::array, help.c_str()});
  }
}

/// Parameters of the formula.
void add_operands(const OperatorInfo& info, std::vector<Parameter>& parameters) {
  if (info.linear) {
    const bool given = info.shape == stencil::Shape::given;
    if (given) {
      parameters.push_back({"offsets", ParameterKind::vectors,
                            "offsets of the terms, each with a component an axis, first axis first", nullptr, nullptr,
                            -static_cast<double>(stencil::most_radius), stencil::most_radius});
    }
    parameters.push_back({"radius", ParameterKind::integer,
                          given ? "width of the rim; left out: the largest component of an offset"
                                : "cells that the operator reaches along an axis",
                          given ? "" : "1", nullptr, 1, static_cast<double>(info.most_radius)});
    parameters.push_back({"coefficients", ParameterKind::quantities,
                          given
                              ? "of the terms, in the order of the offsets: numbers, or arrays of the grid's shape; "
                                "left out: 1 / number of terms"
                              : "of the terms in lexicographic order of the offsets, the centre included: numbers, "
                                "or arrays of the grid's shape; left out: 1 / number of terms",
                          ""});
    parameters.push_back({"coefficients.center", ParameterKind::number, "of the cell itself"});
    parameters.push_back({"coefficients.neighbours", ParameterKind::number, "of every other term"});
  }
  const std::string name = info.name;
  if (info.has_step) parameters.push_back({"dt", ParameterKind::number, "time from step to step"});
  if (name.starts_with("heat")) {
    parameters.push_back({"diffusivity", ParameterKind::quantity, "a number, or an array of the grid's shape"});
  }
  if (name.starts_with("wave")) {
    parameters.push_back(
        {"speed", ParameterKind::quantity, "of the wave: a number, or an array of the grid's shape"});
  }
  if (name == "hotspot") {
    parameters.push_back({"power", ParameterKind::array, "power of each cell, an array of the grid's shape"});
  }
  if (name == "fdtd2d") {
    parameters.push_back({"drive", ParameterKind::array, "values of row 0 of ey, one a step"});
  }
  if (info.linear || info.has_step) {
    parameters.push_back({"source", ParameterKind::array,
                          info.has_step
                              ? "added after the formula, as fma(dt, source, u'): an array of the grid's shape"
                              : "added after the sum: an array of the grid's shape",
                          ""});
  }
}

/// "grid: start" or "fields: {ex: start, ey: start}": all fields begin as the same array.
std::string fields_of_example(const OperatorInfo& info) {
  if (info.fields.size() == 1) return "grid: start";
  std::string text;
  for (const char* name : info.fields) text += (text.empty() ? "" : ", ") + std::string(name) + ": start";
  return "fields: {" + text + "}";
}

/// "[0.2, 0.2, 0.2, 0.2, 0.2]": equal coefficients of an operator of radius 1, or of four offsets.
std::string coefficients_of_example(const OperatorInfo& info) {
  const std::size_t terms =
      info.shape == stencil::Shape::given ? 4 : stencil::terms_of(info.shape, info.rank, 1).size();
  std::string text;
  for (std::size_t term = 0; term < terms; ++term) text += term == 0 ? "0.1" : ", 0.1";
  return "[" + text + "]";
}

job::Example example_of(const OperatorInfo& info) {
  const std::string name = info.name;
  const char* shapes[] = {"[40, 50]", "[100]", "[40, 50]", "[12, 14, 16]"};
  const std::string shape = shapes[info.rank];
  job::Example example;
  example.inputs = "start: {generate: uniform, shape: " + shape +
                   ", type: f32, seed: 3}, other: {generate: uniform, shape: " + shape + ", type: f32, seed: 4}";
  std::string first = fields_of_example(info) + ", steps: 10";
  if (name == "fdtd2d") first += ", drive: pulse";
  example.inputs += ", pulse: {generate: ramp, shape: [10], type: f32}";
  if (name == "hotspot") first += ", power: other";
  if (info.has_step) first += ", dt: 0.1";
  if (name.starts_with("heat")) first += ", diffusivity: 1";
  if (name.starts_with("wave")) first += ", speed: 1";
  if (info.linear && info.shape == stencil::Shape::given) first += ", offsets: [[-1, 0], [0, -1], [0, 1], [1, 0]]";
  example.settings = {"{" + first + "}", "snapshots: [0, 5, 10]", "snapshots: {every: 5}",
                      "until: {residual: 1.0e-3, norm: l2, every: 5}"};
  const char* cells[] = {"[20, 25]", "[50]", "[20, 25]", "[6, 7, 8]"};
  const std::string at = cells[info.rank], field = std::string(", field: ") + info.fields.back();
  example.settings.push_back("point_sources: [{at: " + at + ", values: pulse" + field + "}]");
  example.settings.push_back("receivers: {at: [" + at + ", " + at + "], every: 2" + field + "}");
  const char* spacings[] = {"[0.5, 0.5]", "[0.5]", "[0.5, 0.5]", "[0.5, 0.5, 0.5]"};
  example.settings.push_back(std::string("spacing: ") + spacings[info.rank]);
  if (!info.own_faces) {
    example.settings.insert(example.settings.end(), {"boundary: periodic", "mask: other"});
  }
  if (info.linear || info.has_step) example.settings.emplace_back("source: other");
  if (info.linear) {
    if (info.rank < 3) example.settings.push_back("coefficients: " + coefficients_of_example(info));
    example.settings.emplace_back("coefficients: {center: 0.2, neighbours: 0.1}");
  }
  if (info.linear && (info.rank == 2 || info.rank == 0)) {
    example.settings.emplace_back("schedule: plain");
    example.settings.emplace_back("schedule: time_skewed, tile: 64x64");
  }
  return example;
}

bool keeps_snapshots(const Settings& settings) {
  return settings.has("snapshots") || settings.has("snapshots.every");
}
bool has_receivers(const Settings& settings) { return settings.has("receivers.at"); }
bool has_checks(const Settings& settings) { return settings.has("until.residual"); }

/// The outputs of all operators beside grids.
void add_small_outputs(job::ProblemDeclaration& declaration) {
  declaration.outputs.push_back(
      {"time", "times", "step of each snapshot", job::Ties::none, "snapshots", keeps_snapshots});
  declaration.outputs.push_back({"receivers", "times x receivers",
                                 "the values of receivers at the steps of `receiver_time`: `until` ends it early",
                                 job::Ties::none, "receivers", has_receivers, has_checks});
  declaration.outputs.push_back({"receiver_time", "times", "step of each record of receivers", job::Ties::none,
                                 "receivers", has_receivers, has_checks});
  declaration.outputs.push_back({"steps", "one value", "steps that were made", job::Ties::none});
  declaration.outputs.push_back(
      {"residual", "checks", "the change of the last step before each check", job::Ties::none, "until", has_checks});
  declaration.outputs.push_back(
      {"residual_step", "checks", "the step of each check", job::Ties::none, "until", has_checks});
  declaration.outputs.push_back({"not_finite", "one value",
                                 "cells of all fields that are infinite or NaN after the steps", job::Ties::none,
                                 "nan: allow"});
}

job::ProblemDeclaration declare(const OperatorInfo& info) {
  job::ProblemDeclaration declaration;
  declaration.name = info.name;
  declaration.summary = info.help;
  // 2: a cell that becomes infinite or NaN is an error, and no snapshot comes twice after `until`.
  declaration.results = 2;
  declaration.explanation = info.formula;
  declaration.group = info.linear ? "sums" : "formulas";
  declaration.example = example_of(info);
  add_fields(info, declaration.parameters);
  add_operands(info, declaration.parameters);
  declaration.parameters.push_back(steps);
  if (!info.own_faces) {
    declaration.parameters.push_back(boundary);
    if (std::string(info.name) == "hotspot") declaration.parameters.back().default_text = "edge";
  }
  // The new values that neighbours share in a formula with faces of its own do not know of masks.
  if (!info.own_faces) declaration.parameters.push_back(mask);
  declaration.parameters.insert(declaration.parameters.end(), events.begin(), events.end());
  declaration.parameters.insert(declaration.parameters.end(), points.begin(), points.end());
  declaration.parameters.insert(declaration.parameters.end(), computing.begin(), computing.end());
  if (info.linear && (info.rank == 2 || info.rank == 0)) add_tiled_schedules(declaration.parameters);
  if (std::string(info.name) == "box2d") add_separable_sums(declaration.parameters);
  for (const char* field : info.fields) {
    const bool several = info.fields.size() > 1;
    declaration.outputs.push_back({field, "shape of the grid",
                                   std::string(several ? "the field" : "the grid") + " after the steps",
                                   job::Ties::none});
    const std::string snapshots = several ? std::string(field) + "_snapshots" : "snapshots";
    declaration.outputs.push_back(
        {snapshots, "times x shape of the grid",
         "it at the steps of `time`: if `until` ends the stage, its last grid takes the place of those that are left",
         job::Ties::none, "snapshots", keeps_snapshots, has_checks});
  }
  add_small_outputs(declaration);
  return declaration;
}

/// The operator whose cells the job writes.
job::ProblemDeclaration declare_written() {
  job::ProblemDeclaration declaration;
  declaration.name = stencil::written_operator.name;
  declaration.summary = stencil::written_operator.help;
  declaration.group = "formulas";
  declaration.explanation =
      "u is the cell, u[-1,0] a neighbour, first axis first; i, j, k are the indices, t the step, size(0) the cells "
      "along an axis. Numbers, inf, + - * /, % of whole numbers, == != < <= > >=, && || !, if(condition, a, b), min, "
      "max, abs, sqrt, fma(a, b, c), i32(x), i64(x), f32(x), f64(x). A number takes the type beside it; each "
      "operation "
      "is rounded once, in the order written, the same bits on every back end; min(a, b) is b < a ? b : a";
  declaration.in_words_of = formulas_in_words_of;
  declaration.example.inputs =
      "start: {generate: uniform, shape: [40, 50], type: f32, seed: 3}, other: {generate: uniform, shape: [40, 50], "
      "type: f32, seed: 4}, pulse: {generate: ramp, shape: [10], type: f32}";
  declaration.example.settings = {
      "{fields: {u: start, v: other}, parameters: {D: 0.1}, cells: {u: 'u + D*(u[-1,0] + u[1,0] - 2*u)', v: 'v - "
      "0.5*u'}, steps: 10}",
      "arrays: {c: other}",
      "series: {s: pulse}",
      "update: in_turn",
      "boundary: periodic",
      "mask: other",
      "source: other",
      "point_sources: [{at: [20, 25], values: pulse, field: v}]",
      "receivers: {at: [[20, 25], [21, 25]], every: 2, field: v}",
      "spacing: [0.5, 0.5]",
      "snapshots: [0, 5, 10]",
      "snapshots: {every: 5}",
      "until: {residual: 1.0e-3, norm: l2, every: 5}"};
  declaration.parameters = {
      {"fields", ParameterKind::names, "the fields, 1 to 8, by names of your choice", nullptr, nullptr, 1,
       stencil::most_fields},
      {"fields.*", ParameterKind::array, "the array that the field begins as; all have one shape"},
      {"cells", ParameterKind::names,
       "a formula for each field; with `update: in_turn` in the order in which they are made", nullptr, nullptr, 1,
       stencil::most_fields},
      {"cells.*", ParameterKind::text, "the field at a cell after a step"},
      {"parameters", ParameterKind::names, "numbers of formulas by names of your choice", "{}"},
      {"parameters.*", ParameterKind::text, "a number; one without a point takes the type beside it in a formula"},
      {"arrays", ParameterKind::names,
       "constant arrays of the grid's shape, read at the cell, by names of your choice", "{}"},
      {"arrays.*", ParameterKind::array, "an array of the grid's shape"},
      {"series", ParameterKind::names, "values of which each step has one, by names of your choice", "{}"},
      {"series.*", ParameterKind::array, "an array of one dimension, a value a step"},
      {"update", ParameterKind::choice,
       "together: every formula reads the step before; in_turn: it reads what those before it have made in this "
       "step, "
       "at neighbours only along periodic axes",
       "together", "together, in_turn"},
      {"source", ParameterKind::array, "added to the first field after its formula: an array of the grid's shape",
       ""},
      steps,
      boundary,
      mask};
  declaration.parameters.insert(declaration.parameters.end(), events.begin(), events.end());
  declaration.parameters.insert(declaration.parameters.end(), points.begin(), points.end());
  declaration.parameters.insert(declaration.parameters.end(), computing.begin(), computing.end());
  for (Parameter& parameter : declaration.parameters) {
    if (std::string(parameter.name) != "arithmetic") continue;
    parameter.help = "exact: every operation is rounded once, in the order written, the same bits on every back end";
    parameter.choices = "exact";
  }
  declaration.outputs.push_back({"FIELD", "shape of the grid", "the field after the steps", job::Ties::none});
  declaration.outputs.back().names = [](const Settings& settings) { return settings.names("fields"); };
  declaration.outputs.push_back({"FIELD_snapshots", "times x shape of the grid",
                                 "the field at the steps of `time`; `snapshots` if there is one field",
                                 job::Ties::none, "snapshots", keeps_snapshots, has_checks});
  declaration.outputs.back().names = [](const Settings& settings) {
    std::vector<std::string> names = settings.names("fields");
    if (names.size() == 1) return std::vector<std::string>{"snapshots"};
    for (std::string& name : names) name += "_snapshots";
    return names;
  };
  add_small_outputs(declaration);
  return declaration;
}

/// Fields whose datasets would have the name of another one.
void check_names(const Settings& settings, std::vector<job::Finding>& findings) {
  const std::vector<std::string> names = settings.names("fields");
  for (std::size_t n = 0; n < names.size(); ++n) {
    bool clashes = false;
    for (const char* other : {"time", "steps", "residual", "residual_step", "not_finite", "snapshots", "receivers",
                              "receiver_time", "receiver", "cell", "row", "column", "plane"}) {
      clashes |= names[n] == other;
    }
    for (const std::string& other : names) clashes |= names[n] == other + "_snapshots";
    if (!clashes) continue;
    findings.push_back({"fields." + names[n], "the stage has another dataset of that name: take another name", false,
                        element_of(settings.place("fields"), n)});
  }
}

std::vector<job::Finding> check(const std::string&, const Settings& settings) {
  std::vector<job::Finding> findings;
  check_names(settings, findings);
  if (settings.has("dt") && !(settings.number("dt") > 0)) {
    findings.push_back({"dt", "a step's time is positive"});
  }
  if (settings.holds<double>("diffusivity") && settings.number("diffusivity") < 0) {
    findings.push_back(
        {"diffusivity",
         "a diffusivity is not negative: with this one heat runs back, and the grid grows without bound"});
  }
  return findings;
}

}  // namespace

StageKind stencil_stage() {
  StageKind kind;
  kind.declaration.name = "stencil";
  kind.declaration.help =
      "grids of one to three dimensions whose cells are made anew from their neighbourhood, step by step";
  kind.declaration.selector = "operator";
  for (const OperatorInfo& info : stencil::operators()) kind.declaration.problems.push_back(declare(info));
  kind.declaration.problems.push_back(declare_written());
  kind.declaration.check = check;
  kind.make = make_stencil;
  kind.cpu_alone = [](const Request& request) -> std::optional<CpuAlone> {
    const job::Stage& stage = request.stage;
    if (stage.problem != stencil::written_operator.name) return std::nullopt;
    return cpu_alone_without_compiler("formulas", request.resources.compiles);
  };
  kind.verify = verify_stencil;
  kind.methods = [] { return stage_methods(stencil::stencil_methods()); };
  kind.deals = always_deals;
  kind.small_by_inputs = true;
  return kind;
}

}  // namespace terrace::stages
