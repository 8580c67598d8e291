#include "stages/wavefront/pairs/tally.hpp"

#include "pipeline/base/json_library.hpp"
#include "stages/wavefront/pairs/aligned_plan.hpp"

namespace terrace::stages {

PairsTally::PairsTally(const PairsPlan& plan) : plan_(plan), aligned_(dynamic_cast<const AlignedPairsPlan*>(&plan)) {}

void PairsTally::fold(const run::Phase& phase, std::int64_t index, const void* result) {
  const auto& kept = *static_cast<const pairs::KeptResult*>(result);
  const PairsPhase::Kind kind = kind_of(phase);
  const bool last = index + 1 == phase.count;
  FoundPairs& found = plan_.found();
  if (kind == PairsPhase::sweep) return;
  if (kind >= PairsPhase::align) return fold_alignments(kind, last, result);
  if (kind == PairsPhase::copy && last) found.end_copies();
  if (kind == PairsPhase::fill) found.fill();
  if (kind != PairsPhase::compute) return;
  const auto [step, block] = plan_.place_of(phase, index);
  if (step != PairsStep::whole && step != PairsStep::keep) return;
  if (plan_.spec().counts) found.add(plan_.rows_of(phase, index), block, kept.passed);
  if (plan_.spec().counts && last) found.end_round();
  if (kept.not_finite < 0 || row_ >= 0) return;
  const auto [row, column] = plan_.pair_of(phase, index, kept.not_finite);
  row_ = row;
  column_ = column;
}

void PairsTally::fold_alignments(PairsPhase::Kind kind, bool last, const void* result) {
  CigarRounds& cigars = aligned_->cigars();
  if (kind == PairsPhase::align) cigars.add(static_cast<const pairs::AlignmentsResult*>(result)->bytes);
  if (kind == PairsPhase::align && last) cigars.end_round();
  if (kind == PairsPhase::cigars && last) cigars.end_copies();
  if (kind == PairsPhase::end) cigars.fill();
}

std::string PairsTally::save() const {
  const std::string cigars = aligned_ == nullptr ? "" : aligned_->cigars().save();
  return nlohmann::json{row_, column_, plan_.found().save(), cigars}.dump();
}

void PairsTally::load(const std::string& state) {
  const auto saved = nlohmann::json::parse(state);
  row_ = saved.at(0);
  column_ = saved.at(1);
  plan_.found().load(saved.at(2).get<std::string>());
  if (aligned_ != nullptr) aligned_->cigars().load(saved.at(3).get<std::string>());
}

std::string PairsTally::fault() const {
  const std::int64_t most = plan_.most_listed();
  if (plan_.found().count() > most) {
    return "more than " + std::to_string(most) +
           " pairs count, which are more than a list has: set a limit that fewer "
           "pairs pass";
  }
  if (aligned_ != nullptr && aligned_->cigars().count() > aligned_->most_cigars()) {
    return "the cigars of all alignments are longer than " + std::to_string(aligned_->most_cigars()) +
           " bytes: align fewer pairs";
  }
  if (row_ < 0) return {};
  const PairSides& sides = plan_.sides();
  const ElementType value = plan_.spec().pairs.value;
  return "the total cost of " + sides.rows.item_name(row_) + " and " + sides.columns.item_name(column_) +
         " has left type " + std::string(name_of(value)) + ": " +
         (value == ElementType::f32 ? "say `type: f64`" : "divide all series by a constant");
}

}  // namespace terrace::stages
