#include "stages/recursive/searches/sources.hpp"

#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

Makes made_by_searches(const Settings& settings) {
  return settings.has("sources") || settings.text("keep") == "reductions" ? Makes::rows : Makes::table;
}

std::optional<std::vector<device::i32>> sources_of(const Request& request, const io::Source& matrix) {
  const Settings& settings = request.stage.settings;
  if (!settings.has("sources")) return std::nullopt;
  std::vector<device::i32> rows;
  for (const std::string& name : settings.get<std::vector<std::string>>("sources")) {
    try {
      rows.push_back(static_cast<device::i32>(matrix.nodes()->row_of(name)));
    } catch (const Error& error) {
      refuse(request.stage, "sources", quote(name) + " " + error.what());
    }
  }
  if (rows.empty()) refuse(request.stage, "sources", "name a node, or leave `sources` out for all of them");
  // A table as high as it is wide would be taken for that of all nodes.
  const std::int64_t nodes = matrix.shape()[0];
  if (static_cast<std::int64_t>(rows.size()) >= nodes && nodes > 1) {
    refuse(request.stage, "sources",
           "'" + settings.text("matrix") + "' has " + std::to_string(nodes) +
               " nodes: name fewer, or leave `sources` out for all of them");
  }
  return rows;
}

}  // namespace terrace::stages
