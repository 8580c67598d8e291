#include "pipeline/app/earlier/fresh.hpp"

#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

/// `--fresh=` in a job without a stage of that name.
JobError unknown_wish(const std::string& text, const job::Job& job) {
  std::vector<std::string> names;
  for (const job::Stage& stage : job.stages) names.push_back(stage.name);
  return JobError("--fresh=" + text +
                  ": there is no such value; --fresh alone replaces a result, --fresh=changed computes what has "
                  "changed, --fresh=STAGE (" +
                  list_names(names) + ") also that stage, --fresh=all discards an unfinished run as well");
}

/// The value of the option that wishes it.
std::string value_of(const Wish& wish) {
  switch (wish.fresh) {
    case Fresh::nothing:
      return "";
    case Fresh::changed:
      return "changed";
    case Fresh::stage:
      return wish.stage;
    case Fresh::result:
      return "true";
    case Fresh::all:
      return "all";
  }
  return "";
}

/// The wish that an attempt of this job noted before it had a plan; Fresh::nothing if there is none.
Wish noted_wish(const run::RunFolder& folder, const job::OpenJob& open) {
  const std::optional<Json> wish = folder.wish();
  if (!wish) return {};
  const Signature now{job::defining_json(open.job), Json::object(), inputs_of(open), job::defaults_of(open.job)};
  return read_json((folder.path() / "fresh.json").string(), remedy_for_runs, [&] {
    const Signature before{wish->at("identity"), Json::object(), wish->at("inputs")};
    if (difference(before, now)) return Wish{};
    return wish_from(wish->at("value"), open.job);
  });
}

}  // namespace

Anew Wish::anew() const {
  Anew stages = damaged;
  if (!stage.empty()) stages[stage] = "--fresh=" + stage + " computes it anew";
  return stages;
}

Wish wish_from(const std::string& text, const job::Job& job) {
  if (text.empty()) return {};
  if (text == "true") return {Fresh::result};
  if (text == "all") return {Fresh::all};
  if (text == "changed") return {Fresh::changed};
  if (job.find_stage(text) == nullptr) throw unknown_wish(text, job);
  return {Fresh::stage, text};
}

Wish wish_of(const run::RunFolder& folder, const job::OpenJob& open, const Wish& asked) {
  try {
    Wish noted = noted_wish(folder, open);
    if (noted.fresh <= asked.fresh) return asked;
    noted.noted = asked.fresh == Fresh::nothing;
    return noted;
  } catch (const IoError&) {
    if (asked.fresh == Fresh::nothing) throw;
    return asked;
  }
}

Json note_of(const Wish& wish, const Signature& now) {
  return {{"identity", now.identity}, {"inputs", now.inputs}, {"value", value_of(wish)}};
}

}  // namespace terrace::app
