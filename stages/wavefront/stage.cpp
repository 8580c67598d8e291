#include "stages/wavefront/stage.hpp"

#include <algorithm>

#include "io/record_name.hpp"
#include "kernels/in_place/problems.hpp"
#include "kernels/wavefront/greedy_score.hpp"
#include "kernels/wavefront/methods.hpp"
#include "kernels/wavefront/schedule.hpp"
#include "kernels/wavefront/tile_sizes.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/in_place/stage.hpp"
#include "stages/watched_read.hpp"
#include "stages/wavefront/alignment/stage.hpp"
#include "stages/wavefront/matrix.hpp"
#include "stages/wavefront/pairs/stage.hpp"
#include "stages/wavefront/series.hpp"
#include "stages/wavefront/sweep_tally.hpp"
#include "stages/wavefront/types.hpp"

namespace terrace::stages {
namespace {

using wavefront::Items;
using wavefront::SweepSpec;

std::shared_ptr<io::Source> sequence(const Request& request, const std::string& parameter, Side side) {
  const Settings& settings = request.stage.settings;
  const std::string& name = settings.text(parameter);
  std::shared_ptr<io::Source> source = request.array(name);
  if (source->items() && source->type() != ElementType::u8) {
    refuse(request.stage, parameter,
           "'" + name + "' is a set of series of " + std::string(name_of(source->type())) + ", and " +
               request.stage.problem +
               " compares sequences of letters (u8), as from a FASTA file with `records: all`");
  }
  if (source->type() != ElementType::u8 || source->shape().rank() != 1) {
    refuse(request.stage, parameter,
           "'" + name + "' is an array of " + std::string(name_of(source->type())) + " (" +
               to_string(source->shape()) +
               "); a sequence is a one-dimensional array of letters (u8), as from a FASTA file");
  }
  const Alphabet alphabet = alphabet_of(request);
  const std::string& ambiguous = settings.text("ambiguous");
  return io::translate(std::move(source), letter_codes(alphabet, ambiguous, side), label_of(request.stage, parameter),
                       [=](unsigned char letter) { return letter_error(alphabet, ambiguous, letter); });
}

/// True if letters other than A, C, G, T and U equal nothing, and the job does not say so itself.
bool may_read_wrong_letters(const Request& request) {
  const Settings& settings = request.stage.settings;
  const Alphabet alphabet = alphabet_of(request);
  return alphabet.name == "dna" && settings.text("ambiguous") == "mismatch" &&
         settings.place("ambiguous").text.empty();
}

/// A score that some cell certainly reaches, if that leaves out work and the sequences fit in memory; else 0.
std::int64_t known_score(const Request& request, const SweepSpec& spec, const WavefrontInputs& inputs) {
  if (!request.resources.to_run || spec.schedule.work == wavefront::Schedule::Work::all ||
      !spec.description->greedy ||
      static_cast<std::size_t>(spec.rows + spec.columns) > request.resources.host_budget) {
    return 0;
  }
  const auto letters = [&](io::Source& source, const char* parameter) {
    std::vector<std::uint8_t> codes(static_cast<std::size_t>(source.shape()[0]));
    read_watched(source, codes.data(), request.stage.settings.text(parameter), request.watch);
    return codes;
  };
  return wavefront::greedy_score(*spec.description, letters(*inputs.rows, "rows"),
                                 letters(*inputs.columns, "columns"));
}

/// True if the limits of seeds may be looked for beside the blocks in flight, each of so many bytes.
bool may_have_limits(const SweepSpec& spec, const Resources& resources, std::int64_t block_bytes) {
  if (resources.cuda || !spec.description->bits || spec.table || spec.kept) return false;
  return wavefront::seed_limits_bytes(spec.rows, spec.columns) +
             static_cast<std::size_t>(blocks_in_flight * block_bytes) <=
         resources.host_budget;
}

}  // namespace

std::shared_ptr<io::Source> open_sequence(const Request& request, const std::string& parameter, Side side) {
  return sequence(request, parameter, side);
}

std::string sequence_name(const Request& request, const std::string& parameter) {
  const std::string& input = request.stage.settings.text(parameter);
  const std::string name = io::record_name(*request.array(input));
  return name.empty() ? input : name;
}

SequencePair open_sequences(const Request& request) {
  SequencePair opened{sequence(request, "rows", Side::rows), sequence(request, "columns", Side::columns), {}};
  if (!may_read_wrong_letters(request)) return opened;
  const auto count = [&](std::shared_ptr<io::Source>& source, const char* parameter) {
    const auto counted = std::make_shared<CountedLetters>(source, request.stage.settings.text(parameter));
    opened.letters.push_back(counted);
    source = counted;
  };
  count(opened.rows, "rows");
  count(opened.columns, "columns");
  return opened;
}

std::shared_ptr<const wavefront::Description> problem_of(const Request& request, const Settings& settings) {
  std::shared_ptr<const wavefront::Description> problem = wavefront::describe(request.stage.problem, settings);
  const std::string matrix = matrix_name(request);
  if (matrix.empty()) return problem;
  auto named = std::make_shared<wavefront::Description>(*problem);
  named->help += ", scored by " + matrix;
  return named;
}

std::unique_ptr<run::Stage> make_wavefront(const Request& request) {
  if (in_place::find_in_place(request.stage.problem) != nullptr) return make_in_place(request);
  if (reads_sets(request)) return make_pairs(request);
  for (const char* key : {"pairs", "best", "at_least", "at_most"}) {
    if (!request.stage.settings.has(key)) continue;
    refuse(request.stage, key,
           std::string("`") + key + "` is of sets, and rows and columns are one pair: name a set, as " +
               "{fasta: FILE, records: all}, or leave it out");
  }
  WavefrontInputs inputs;
  inputs.watch = request.watch;
  SweepSpec spec;
  spec.problem = request.stage.problem;
  spec.settings = settings_with_scores(request);
  spec.description = problem_of(request, spec.settings);
  const wavefront::Description& problem = *spec.description;
  spec.schedule = *wavefront::schedule_from(request.stage.settings.text("schedule"));
  if (problem.items == Items::grid) {
    const std::string& name = request.stage.settings.text("grid");
    inputs.grid = request.array(name);
    refuse_no_rows(request.stage, "grid", name, *inputs.grid);
    if (inputs.grid->shape().rank() != 2) {
      refuse(request.stage, "grid",
             "'" + name + "' has " + counted(inputs.grid->shape().rank(), "dimension") +
                 "; a grid has two (rows and columns)" + remedy_for_list(*inputs.grid));
    }
    spec.rows = inputs.grid->shape()[0];
    spec.columns = inputs.grid->shape()[1];
    spec.grid = inputs.grid->type();
    if (problem.counts) choose_count_types(request, spec);
    else choose_sum_types(request, spec);
  } else if (problem.items == Items::values) {
    const SeriesPair series = open_series(request, spec);
    inputs.rows = series.rows;
    inputs.columns = series.columns;
  } else {
    SequencePair sequences = open_sequences(request);
    inputs.rows = std::move(sequences.rows);
    inputs.columns = std::move(sequences.columns);
    inputs.letters = std::move(sequences.letters);
    spec.rows = inputs.rows->shape()[0];
    spec.columns = inputs.columns->shape()[0];
    choose_score_types(request, spec);
  }
  // Kept data, apart from a score, may be any cells; for an alignment all cells lead to its end.
  const std::string keep = spec.settings.has("keep") ? spec.settings.text("keep") : "table";
  if (keep != "score" && keep != "alignment") spec.schedule = wavefront::with_all_work(spec.schedule);
  spec.known = known_score(request, spec, inputs);
  spec.block_rows = std::max<std::int64_t>(1, spec.rows);
  spec.block_columns = std::max<std::int64_t>(1, spec.columns);
  if (request.choices != nullptr) {
    spec.value = *element_type_from(request.choices->at("value").get<std::string>());
    spec.border = *element_type_from(request.choices->at("border").get<std::string>());
  }
  if (spec.settings.has("keep") && spec.settings.text("keep") == "alignment") {
    return make_alignment(request, std::move(spec), inputs);
  }
  if (request.choices != nullptr) {
    spec.block_rows = request.choices->at("block_rows");
    spec.block_columns = request.choices->at("block_columns");
    inputs.dealing.devices = request.choices->value("devices", std::int64_t{1});
    inputs.seed_limits = request.choices->value("seed_limits", false);
    spec.by_strips = inputs.dealing.devices > 1;
  } else {
    const TableNeed need = table_need(spec, request.resources.cuda);
    const auto workspace_of = [&](const SweepSpec& cut) {
      const auto backend = request.resources.backend();
      return static_cast<std::int64_t>(wavefront::sweep_workspace_bytes(cut, backend, request.resources.device));
    };
    const auto workspace = [&](const BlockShape& block) {
      SweepSpec cut = spec;
      cut.block_rows = block.rows;
      cut.block_columns = block.columns;
      return workspace_of(cut);
    };
    const BlockShape shape = choose_blocks(need, request.resources, workspace);
    spec.block_rows = shape.rows;
    spec.block_columns = shape.columns;
    inputs.dealing = deal_strips(spec, {}, request.resources, [&](const SweepSpec& strips) {
      const std::int64_t bytes = strip_bytes(strips, need);
      return bytes + workspace_of(strips) <= static_cast<std::int64_t>(request.resources.device_budget) &&
             bytes <= static_cast<std::int64_t>(request.resources.host_budget);
    });
    inputs.seed_limits = may_have_limits(spec, request.resources, block_bytes(need, shape));
  }
  const auto margin = Widening::least_of(spec, request.resources);
  auto plan = std::make_unique<SweepPlan>(std::move(spec), inputs, margin);
  auto tally = std::make_unique<SweepTally>(*plan);
  return std::make_unique<WavefrontStage>(request, std::move(plan), std::move(tally));
}

}  // namespace terrace::stages
