// Stages that are not computed: another result holds what they give.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "io/files/durable.hpp"
#include "io/node_names.hpp"
#include "io/results/stored_group.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/run/ledger.hpp"
#include "pipeline/run/profile/taken_profile.hpp"
#include "pipeline/run/stage.hpp"

namespace terrace::run {

/// A stage's part of a finished result, which a new run takes over.
struct TakenPart {
  std::filesystem::path file;  // the result
  io::FileState state;         // of the file when its parts were compared with its record of checksums
  io::StoredGroup group;       // under the name of the stage in the new run
  nlohmann::json record;       // how the stage was made: the member of the root's attribute `stages`
  TakenProfile profile = {};   // when its blocks were computed; empty if the result does not say so
};

/// The state of the complete stage in a ledger: the checksums of its tiles.
CompletedStage completed_by(const TakenPart& part);

/// A stage made of a part of another result. Its plan has the large datasets as result arrays, and no blocks.
class TakenStage : public Stage {
 public:
  explicit TakenStage(const TakenPart& part);
  /// Makes the stage again in a later attempt. @param choices of the first attempt's stage
  /// @throws nlohmann::json::exception, std::logic_error, Error if they are damaged
  explicit TakenStage(const nlohmann::json& choices);

  const Plan& plan() const override { return *plan_; }
  Tally& tally() override { return tally_; }
  io::DatasetSpec dataset(int array) const override { return specs_.at(static_cast<std::size_t>(array)); }
  std::vector<io::SmallDataset> small() const override { return small_; }
  std::vector<io::Attribute> attributes() const override { return attributes_; }
  std::shared_ptr<const std::vector<std::int64_t>> sources() const override { return sources_; }
  Prediction prediction() const override { return {}; }
  nlohmann::json choices() const override { return choices_; }

  /// TakenPart::record.
  const nlohmann::json& record() const;
  /// The names of the nodes that its group holds; null if there are none.
  std::shared_ptr<const io::NodeNames> nodes() const { return nodes_; }

 private:
  /// No block has a result.
  class NoTally : public Tally {
   public:
    void fold(const Phase&, std::int64_t, const void*) override {}
    std::string save() const override { return {}; }
    void load(const std::string&) override {}
  };

  nlohmann::json choices_;
  std::unique_ptr<Plan> plan_;
  NoTally tally_;
  std::vector<io::DatasetSpec> specs_;
  std::vector<io::SmallDataset> small_;
  std::vector<io::Attribute> attributes_;
  std::shared_ptr<const io::NodeNames> nodes_;
  std::shared_ptr<const std::vector<std::int64_t>> sources_;
};

/// True for the choices of such a stage.
bool is_taken(const nlohmann::json& choices);

}  // namespace terrace::run
