#include "pipeline/app/verify/sample.hpp"

#include <fmt/format.h>

#include <ostream>
#include <stdexcept>
#include <variant>

#include "pipeline/app/nodes_read.hpp"
#include "pipeline/app/verify/datasets.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/arrays_read.hpp"

namespace terrace::app {
namespace {

/// An array that a stage of the result read: an input, or a dataset of an earlier stage.
std::shared_ptr<io::Source> array_of(const MadeResult& result, const job::OpenJob& open, const Outdated& old,
                                     const job::Stage& stage, const std::string& name) {
  if (old.inputs.contains(name)) {
    throw stages::Unavailable("reads input '" + name + "', which this version reads otherwise");
  }
  if (const auto input = open.inputs.find(name); input != open.inputs.end()) {
    return stages::as_read_by(stage, name, input->second);
  }
  const job::Stage* writer = open.job.find_stage(name.substr(0, name.find('/')));
  if (writer != nullptr && writer->temporary) {
    throw stages::Unavailable("reads '" + name + "' of a temporary stage, which the result does not hold");
  }
  return result.dataset("/" + name);
}

/// The names of the nodes whose matrices a stage of the result read; null if there are none, or different ones.
std::shared_ptr<const io::NodeNames> nodes_read(const stages::Request& request) {
  NodesRead nodes;
  for (const job::ArrayName& array : job::array_names(request.stage.arrays, request.stage.settings)) {
    nodes.add(request.array(array.name)->nodes());
  }
  return nodes.nodes();
}

/// The findings of the stage's verifier, and of what it does not look at.
std::vector<stages::Checked> check_all(const MadeResult& result, const stages::StageKind& kind,
                                       const stages::VerifyRequest& wanted) {
  const job::Stage& stage = wanted.request.stage;
  std::vector<stages::Checked> found = kind.verify(wanted);
  if (const auto names = check_names(result, stage, nodes_read(wanted.request))) found.push_back(*names);
  if (const auto rest = not_compared(result, stage, found)) found.push_back(*rest);
  return found;
}

}  // namespace

std::vector<stages::Checked> check_stage(const Session& session, VerifyWatch& watch, const MadeResult& result,
                                         const job::OpenJob& open, const job::Stage& stage,
                                         const stages::Sampler& sampler) {
  const Outdated old = outdated_in(result, open);
  if (old.stages.contains(stage.name)) {
    return {{list_names(stage.outputs), "this version gives other results of it", "", false}};
  }
  const stages::StageKind& kind = session.stages.find(stage.kind);
  const std::string group = "/" + stage.name + "/";
  stages::Resources resources;
  resources.host_budget = resources.device_budget = std::size_t{1} << 50;
  const auto array = [&](const std::string& name) { return array_of(result, open, old, stage, name); };
  const stages::Request request{stage, array, resources, nullptr, nullptr, watch.watch()};
  const stages::VerifyRequest wanted{
      request,
      [&](const std::string& name) { return result.dataset(group + name); },
      [&](const std::string& name) { return result.reader().texts(group + name); },
      [&](const std::string& name) { return result.reader().has(group + name); },
      sampler,
      [&](std::int64_t done, std::int64_t all) { watch.advance("sample of " + stage.name, "part", done, all); }};
  try {
    if (kind.verify) return check_all(result, kind, wanted);
  } catch (const stages::Unavailable& error) {
    return {{list_names(stage.outputs), error.what(), "", false}};
  } catch (const stages::WrongDataset& error) {
    return {{list_names(stage.outputs), "compared", error.what(), true}};
  } catch (const ComputeError& error) {
    return {{list_names(stage.outputs), "computed again", error.what(), true}};
  } catch (const JobError& error) {
    throw Error(error.what());
  } catch (const std::logic_error&) {
    throw Error("stage '" + stage.name + "': a setting of its record in the result is missing or of another type");
  } catch (const std::bad_variant_access&) {
    throw Error("stage '" + stage.name + "': a setting of its record in the result is missing or of another type");
  }
  return {{list_names(stage.outputs), "a stage of this kind has no plain program", "", false}};
}

VerifyCounts report_stage(VerifyWatch& watch, const job::Stage& stage, const std::vector<stages::Checked>& found) {
  VerifyCounts counts;
  for (const stages::Checked& checked : found) {
    const std::string name = stage.name + "/" + checked.dataset;
    if (!checked.sampled) {
      watch.answer(fmt::format("{}: not sampled: {}\n", name, checked.what));
      continue;
    }
    ++counts.compared;
    if (!checked.difference.empty()) ++counts.different;
    watch.answer(fmt::format("{}: {}, {}\n", name, checked.what,
                             checked.difference.empty() ? "equal" : "DIFFERENT: " + checked.difference));
  }
  return counts;
}

VerifyCounts verify_sample(Session& session, VerifyWatch& watch, const MadeResult& result, const job::OpenJob& open,
                           const stages::Sampler& sampler) {
  VerifyCounts counts;
  for (const job::Stage& stage : open.job.stages) {
    if (stage.temporary) continue;
    const VerifyCounts more = report_stage(watch, stage, check_stage(session, watch, result, open, stage, sampler));
    counts.compared += more.compared;
    counts.different += more.different;
  }
  return counts;
}

}  // namespace terrace::app
