#include "pipeline/app/stage_table.hpp"

#include "pipeline/base/error.hpp"

namespace terrace::app {

void Stages::add(stages::StageKind kind) {
  declarations_.add(kind.declaration);
  kinds_.push_back(std::move(kind));
}

const stages::StageKind& Stages::find(std::string_view name) const {
  for (const stages::StageKind& kind : kinds_) {
    if (kind.declaration.name == name) return kind;
  }
  throw Error("there is no stage '" + std::string(name) + "'");
}

Stages program_stages() {
  Stages stages;
  stages.add(stages::wavefront_stage());
  stages.add(stages::recursive_stage());
  stages.add(stages::query_stage());
  stages.add(stages::stencil_stage());
  stages.add(stages::dp_table_stage());
  stages.add(stages::makespan_stage());
  stages.add(stages::nest_stage());
  stages.add(stages::kernel_graph_stage());
  return stages;
}

}  // namespace terrace::app
