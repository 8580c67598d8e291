// The inputs of a job.
#include <algorithm>

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/job_reader.hpp"
#include "pipeline/job/yaml/settings.hpp"

namespace terrace::job {
namespace {

std::vector<std::string> kind_names(std::span<const io::InputKind> kinds) {
  std::vector<std::string> names;
  for (const io::InputKind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

class InputReader {
 public:
  InputReader(std::span<const io::InputKind> kinds, Draft& draft, CheckContext& context)
      : kinds_(kinds), draft_(draft), context_(context) {}

  void read(const Entry& entry) {
    if (!is_valid_name(entry.key)) {
      context_.complaints.add(entry.position,
                              "the input's name " + quote(entry.key) + " may have letters, digits, _ and - only");
    }
    const std::size_t complaints = context_.complaints.count();
    Input input;
    input.name = entry.key;
    input.place = context_.complaints.sources().place(entry.position);
    if (const io::InputKind* kind = find_kind(entry)) read_kind(entry, *kind, input);
    draft_.job.inputs.push_back(std::move(input));
    draft_.input_nodes.push_back(&entry.value);
    draft_.input_positions.push_back(entry.position);
    draft_.input_complete.push_back(context_.complaints.count() == complaints);
  }

 private:
  /// The kind that the map names: its first key that is one.
  const io::InputKind* find_kind(const Entry& entry) {
    const Node& map = entry.value;
    const auto names = kind_names(kinds_);
    if (map.kind != Node::Kind::map) {
      context_.complaints.add(
          map.position, "input " + quote(entry.key) + " takes a map such as {hdf5: FILE}, not " + describe(map));
      return nullptr;
    }
    for (const Entry& key : map.entries) {
      for (const io::InputKind& kind : kinds_) {
        if (key.key == kind.name) return &kind;
      }
    }
    for (const Entry& key : map.entries) {
      const std::string near = did_you_mean(key.key, names);
      if (near.empty()) continue;
      context_.complaints.add(key.position, "unknown kind of input " + quote(key.key) + near);
      return nullptr;
    }
    context_.complaints.add(entry.position,
                            "input " + quote(entry.key) + " is of no known kind; the kinds are " + list_names(names));
    return nullptr;
  }

  void read_kind(const Entry& entry, const io::InputKind& kind, Input& input) {
    Schema schema{"input " + quote(entry.key) + " (" + kind.name + ")",
                  {kind.parameters.begin(), kind.parameters.end()}};
    schema.explain = [&](const std::string& key) { return explain(key, kind); };
    input.kind = kind.name;
    input.settings = read_settings(entry.value, entry.position, schema, context_);
    input.arrays = names_of_arrays(schema.parameters, input.settings);
    input.files = names_of_files(schema.parameters, input.settings);
    input.earlier_defaults = kind.earlier_defaults;
  }

  std::string explain(const std::string& key, const io::InputKind& own) const {
    std::vector<std::string> owners;
    for (const io::InputKind& kind : kinds_) {
      if (key == kind.name) return std::string("an input is of one kind, and this one is already ") + own.name;
      if (std::any_of(kind.parameters.begin(), kind.parameters.end(), [&](const auto& p) { return key == p.name; })) {
        owners.emplace_back(kind.name);
      }
    }
    return owners.empty() ? "" : "it belongs to " + list_names(owners) + ", not to " + own.name;
  }

  std::span<const io::InputKind> kinds_;
  Draft& draft_;
  CheckContext& context_;
};

}  // namespace

void read_inputs(const Node& inputs, std::span<const io::InputKind> kinds, Draft& draft, CheckContext& context) {
  if (inputs.kind != Node::Kind::map) {
    context.complaints.add(inputs.position,
                           "'inputs' takes a map such as {a: {hdf5: FILE}}, not " + describe(inputs));
    draft.inputs_known = false;
    return;
  }
  if (inputs.entries.size() > most_inputs) {
    context.complaints.add(inputs.position, "a job has at most " + std::to_string(most_inputs) + " inputs, not " +
                                                std::to_string(inputs.entries.size()));
    draft.inputs_known = false;
    return;
  }
  InputReader reader(kinds, draft, context);
  for (const Entry& entry : inputs.entries) reader.read(entry);
  check_inputs(draft, context);
}

}  // namespace terrace::job
