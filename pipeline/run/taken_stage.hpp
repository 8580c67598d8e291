// Stages that are not computed: another result holds what they give.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "io/files/durable.hpp"
#include "io/results/stored_group.hpp"
#include "pipeline/run/ledger.hpp"
#include "pipeline/run/stage.hpp"

namespace terrace::run {

/// A stage's part of a finished result, which a new run takes over.
struct TakenPart {
  std::filesystem::path file;  // the result
  io::FileState state;         // of the file when its parts were compared with its record of checksums
  io::StoredGroup group;       // under the name of the stage in the new run
  nlohmann::json record;       // how the stage was made: the member of the root's attribute `stages`
};

/// The state of the complete stage in a ledger: its small datasets and attributes, and the checksums of its tiles.
CompletedStage completed_by(const TakenPart& part);

/// Makes a stage of a part of another result. Its plan has the large datasets as result arrays, and no blocks; its
/// tally holds the small datasets.
std::unique_ptr<Stage> make_taken_stage(const io::StoredGroup& group, const nlohmann::json& record);
/// Makes it again in a later attempt. @param choices Stage::choices() of the stage
/// @throws nlohmann::json::exception, std::logic_error if they are damaged
std::unique_ptr<Stage> make_taken_stage(const nlohmann::json& choices);
/// True for choices of such a stage.
bool is_taken(const nlohmann::json& choices);
/// TakenPart::record in the choices of such a stage.
nlohmann::json record_of(const nlohmann::json& choices);

}  // namespace terrace::run
