#include "pipeline/app/earlier/taking_over.hpp"

#include <fmt/format.h>

#include <set>

#include "io/input_file.hpp"
#include "io/results/stored_group.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/job/same_stages.hpp"
#include "pipeline/run/inputs.hpp"
#include "pipeline/run/run_folder.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// A result and a job, compared stage by stage.
class ResultComparison {
 public:
  ResultComparison(const fs::path& file, const job::OpenJob& open, const Signature& now, const Anew& anew,
                   ReadAgain& again)
      : file_(file),
        state_(state_of(file)),
        open_(open),
        now_(now),
        anew_(anew),
        again_(again),
        result_(file),
        identity_(attribute("identity")),
        inputs_(attribute("inputs")),
        contents_(attribute("contents")),
        records_(attribute("stages")),
        same_(
            identity_, open.job,
            [this](const auto& before, const auto& name) { return compare_inputs(before, name); },
            [this](const auto& before, const auto& stage) { return compare_stages(before, stage); }) {}

  /// Stages of the file that no stage of the job matches.
  std::vector<LostStage> lost() const {
    std::set<std::string> matched;
    for (const job::Stage& stage : open_.job.stages) {
      if (const auto before = same_.earlier(stage.name)) matched.insert(*before);
    }
    std::vector<LostStage> lost;
    for (const Json& stage : identity_.at("stages")) {
      const std::string name = stage.at("name");
      if (matched.contains(name)) continue;
      const bool dropped = open_.job.find_stage(name) == nullptr;
      lost.push_back({name, dropped ? "this job has no such stage" : same_.difference(name)});
    }
    return lost;
  }

  TakenOver taken() {
    for (const job::Stage& stage : open_.job.stages) take(stage);
    drop_unneeded();
    taken_.loss = loss();
    return std::move(taken_);
  }

 private:
  static io::FileState state_of(const fs::path& file) {
    const auto state = io::file_state(file);
    if (!state) throw IoError(file.string(), "is not there");
    return *state;
  }

  /// @throws IoError if it is missing or changed, as in results of earlier versions
  Json attribute(const std::string& name) const {
    const auto text = result_.text(name);
    if (!text) throw IoError(file_.string(), "does not say how its stages were made: an earlier version made it");
    return Json::parse(*text);
  }

  std::optional<std::string> compare_inputs(const std::string& before, const std::string& name) {
    const Json content = run::content_of(*open_.inputs.at(name)), none = Json::object();
    const InputState state =
        compare_input(name, {inputs_.at(before), contents_.contains(before) ? contents_[before] : none},
                      {now_.inputs.at(name), content});
    if (state.same == Same::no) return state.why;
    if (state.same == Same::unknown) doubtful_[name] = state.why;
    return std::nullopt;
  }

  std::optional<std::string> compare_stages(const std::string& before, const job::Stage& stage) {
    if (const auto found = anew_.find(stage.name); found != anew_.end()) return found->second;
    if (!records_.contains(before)) return "it was not completed";
    const Json& record = records_[before];
    const std::string now = now_.fixed.at("backend"), backend = record.value("backend", now);
    if (backend != now && backend != again_.backend_of(stage.name)) {
      return "it was computed on " + backend + ", and another back end may give other results";
    }
    Doubts doubts;
    for (const std::string& name : all_inputs_of(open_.job, stage)) {
      if (const auto found = doubtful_.find(name); found != doubtful_.end()) doubts.insert(*found);
    }
    return again_.changed(stage, record, doubts);
  }

  bool was_temporary(const std::string& before) const {
    for (const Json& stage : identity_.at("stages")) {
      if (stage.at("name") == before) return stage.at("temporary").get<bool>();
    }
    return true;
  }

  void take(const job::Stage& stage) {
    const auto before = same_.earlier(stage.name);
    if (!before) return;
    run::TakenPart part{file_, state_, {}, records_.at(*before)};
    if (!stage.temporary) {
      if (was_temporary(*before)) return;
      try {
        part.group = result_.group(*before, stage.name);
      } catch (const io::DiskError&) {
        throw;
      } catch (const IoError& error) {
        damage_[*before] = error.what();
        return;
      }
    }
    part.profile = run::profile_of_stage(profile(), *before);
    taken_.stages[stage.name] = std::make_shared<const run::TakenPart>(std::move(part));
  }

  /// The profile of the result; empty if it is damaged, which is no reason to compute.
  const io::StoredGroup& profile() {
    if (profile_) return *profile_;
    try {
      profile_ = result_.group("profile", "profile");
    } catch (const io::DiskError&) {
      throw;
    } catch (const IoError&) {
      profile_.emplace();
    }
    return *profile_;
  }

  /// A temporary stage is not computed again if all stages that read it are taken over.
  void drop_unneeded() {
    std::set<std::string> read;  // by computed stages
    for (auto stage = open_.job.stages.rbegin(); stage != open_.job.stages.rend(); ++stage) {
      if (stage->temporary && read.contains(stage->name)) taken_.stages.erase(stage->name);
      if (taken_.takes(stage->name)) continue;
      for (const job::ArrayName& array : job::array_names(stage->arrays, stage->settings)) {
        read.insert(array.name.substr(0, array.name.find('/')));
      }
    }
  }

  std::optional<Loss> loss() const {
    for (const Json& stage : identity_.at("stages")) {
      const std::string name = stage.at("name");
      const auto datasets = result_.datasets(name);
      if (datasets.empty() || (taken_.takes(name) && same_.earlier(name) == name)) continue;
      const std::string dataset = "dataset " + datasets.front();
      if (open_.job.find_stage(name) == nullptr) return Loss{dataset + " is to be dropped", ""};
      const auto damage = damage_.find(name);
      return Loss{dataset + " is to be computed anew",
                  damage != damage_.end() ? damage->second : same_.difference(name)};
    }
    if (const auto added = result_.added()) return Loss{*added + ", which was added to it, is to be dropped", ""};
    return std::nullopt;
  }

  fs::path file_;
  io::FileState state_;
  const job::OpenJob& open_;
  const Signature& now_;
  const Anew& anew_;
  ReadAgain& again_;
  Doubts doubtful_;
  io::StoredResult result_;
  Json identity_, inputs_, contents_, records_;
  job::SameStages same_;
  std::optional<io::StoredGroup> profile_;
  std::map<std::string, std::string> damage_;  // of parts of the result, by its stages
  TakenOver taken_;
};

}  // namespace

std::string TakenOver::in_words() const {
  std::map<fs::path, std::vector<std::string>> names;  // by files
  for (const auto& [name, part] : stages) names[part->file].push_back("'" + name + "'");
  std::string text;
  for (const auto& [file, of_file] : names) {
    text += fmt::format("{}{} {} taken over from {}", text.empty() ? "" : "; ", fmt::join(of_file, ", "),
                        of_file.size() == 1 ? "is" : "are", file.string());
  }
  return text;
}

namespace {

TakenOver taken_from(const fs::path& result, const job::OpenJob& open, const Signature& now, const Anew& anew,
                     ReadAgain& again) {
  try {
    return read_json(result.string() + ", attributes of the root", "compute all of it with --fresh",
                     [&] { return ResultComparison(result, open, now, anew, again).taken(); });
  } catch (const io::DiskError&) {
    throw;
  } catch (const IoError& error) {
    TakenOver nothing;
    nothing.loss = Loss{"nothing of it can be taken over", error.what()};
    return nothing;
  }
}

}  // namespace

std::vector<LostStage> lost_stages(const fs::path& file, const job::OpenJob& open, const Signature& now,
                                   ReadAgain& again) {
  const Anew none{};
  const auto lost = [&] { return ResultComparison(file, open, now, none, again).lost(); };
  return read_json(file.string() + ", attributes of the root", remedy_for_runs, lost);
}

TakenOver taken_over(const job::OpenJob& open, const Signature& now, const Anew& anew, ReadAgain& again) {
  TakenOver taken;
  if (io::file_state(open.job.output)) taken = taken_from(open.job.output, open, now, anew, again);
  const fs::path kept = run::RunFolder::kept_for(open.job.output);
  if (io::file_state(kept)) taken.stages.merge(taken_from(kept, open, now, anew, again).stages);
  return taken;
}

}  // namespace terrace::app
