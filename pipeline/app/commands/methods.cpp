// `terrace methods`: the kernels that could compute stages, from the tables that choose among them.
#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

/// "auto", "auto, plain", "time_skewed": the schedules that take a method.
std::string schedules_of(const run::StageMethod& method) {
  if (!method.automatic) return method.schedule;
  return method.schedule.empty() ? "auto" : "auto, " + method.schedule;
}

Json method_json(const std::string& stage, const run::StageMethod& method) {
  return {{"stage", stage},
          {"name", method.name},
          {"backend", method.backend},
          {"schedule", method.schedule.empty() ? Json() : Json(method.schedule)},
          {"automatic", method.automatic},
          {"help", method.help}};
}

/// The kinds of stage that are asked for.
std::vector<const stages::StageKind*> kinds_of(const Session& session, const std::string& name) {
  std::vector<const stages::StageKind*> kinds;
  std::vector<std::string> names;
  for (const job::StageDeclaration& stage : session.stages.declarations().all()) {
    names.push_back(stage.name);
    if (name.empty() || name == stage.name) kinds.push_back(&session.stages.find(stage.name));
  }
  if (kinds.empty()) {
    const std::string near = did_you_mean(name, names);
    throw JobError("there is no stage '" + name + "'" + (near.empty() ? "; there are " + list_names(names) : near));
  }
  return kinds;
}

}  // namespace

int methods(Session& session, const MethodsArguments& arguments) {
  TextTable table{{"stage", "method", "back end", "schedule", ""}, {}};
  Json list = Json::array();
  for (const stages::StageKind* kind : kinds_of(session, arguments.stage)) {
    if (kind->methods == nullptr) continue;
    for (const run::StageMethod& method : kind->methods()) {
      const std::string& stage = kind->declaration.name;
      table.rows.push_back({stage, method.name, method.backend, schedules_of(method), method.help});
      list.push_back(method_json(stage, method));
    }
  }
  if (arguments.form.json) return session.answer_json({{"methods", list}});
  session.out << (arguments.form.markdown ? to_markdown(table) : to_text(table, "", session.columns));
  return exit_done;
}

}  // namespace terrace::app
