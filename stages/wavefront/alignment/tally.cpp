#include "stages/wavefront/alignment/tally.hpp"

#include <cstring>

#include "pipeline/base/json_library.hpp"

namespace terrace::stages {
namespace {

nlohmann::json json_of(const KeptBox& box) {
  return {box.cells.begin[0], box.cells.end[0],   box.cells.begin[1],
          box.cells.end[1],   box.row_generation, box.column_generation};
}

KeptBox box_from(const nlohmann::json& json) {
  return {{{json.at(0), json.at(2)}, {json.at(1), json.at(3)}}, json.at(4), json.at(5)};
}

}  // namespace

AlignmentTally::AlignmentTally(const AlignmentPlan& plan)
    : WavefrontTally(plan), plan_(plan), boxes_(plan.levels().size(), KeptBox{{{0, 0}, {0, 0}}, 0, 0}) {
  path_.begin({plan.spec(), plan.problem(), score_});
}

void AlignmentTally::fold(const run::Phase& phase, std::int64_t index, const void* result) {
  const auto what = phase.value.as<AlignmentPhase>();
  const bool table = what.level == 0, last = index + 1 == phase.count;
  if (table) fold_score(index, result);
  if (last) boxes_[what.box_level()] = what.box();
  if (table && last) path_.begin({plan_.spec(), plan_.problem(), score_});
  if (what.walks == 0) return;
  wavefront::TraceResult found;
  std::memcpy(&found, result, sizeof found);
  path_.add(found);
}

std::string AlignmentTally::save() const {
  nlohmann::json boxes = nlohmann::json::array();
  for (const KeptBox& box : boxes_) boxes.push_back(json_of(box));
  return nlohmann::json{
      {"score", {score_.score, score_.row, score_.column}}, {"boxes", boxes}, {"path", path_.save()}}
      .dump();
}

void AlignmentTally::load(const std::string& state) {
  const auto json = nlohmann::json::parse(state);
  const auto& score = json.at("score");
  score_ = {score.at(0), score.at(1), score.at(2)};
  for (std::size_t i = 0; i < boxes_.size(); ++i) boxes_[i] = box_from(json.at("boxes").at(i));
  path_.load(json.at("path"));
}

}  // namespace terrace::stages
