#include "pipeline/job/sweep/placeholders.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::job {
namespace {

bool is_letter_of_placeholder(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
         c == '.';
}

/// Calls `visit` for each scalar of the job outside of `sweep`.
template <class AnyNode, class Visit>
void for_each_scalar(AnyNode& node, bool is_root, const Visit& visit) {
  if (node.kind == Node::Kind::scalar) visit(node);
  for (auto& item : node.items) for_each_scalar(item, false, visit);
  for (auto& entry : node.entries) {
    if (!is_root || entry.key != "sweep") for_each_scalar(entry.value, false, visit);
  }
}

void complain(const Node& scalar, std::size_t at, const std::string& message, Complaints& complaints) {
  const Place place = inside(complaints.sources().place_of_text(scalar), at);
  complaints.add_rendered(scalar.position, message_at(place, message));
}

/// The part of a file name before its ending; an ending .gz does not count.
std::string stem_of(const std::string& text) {
  const std::filesystem::path name = std::filesystem::path(text).filename();
  return (name.extension() == ".gz" ? name.stem() : name).stem().string();
}

const SweepValue& value_of(const std::string& name, const TaskValues& values) {
  return std::find_if(values.begin(), values.end(), [&](const auto& value) { return value.first == name; })->second;
}

std::string text_of(const Placeholder& placeholder, const TaskValues& values) {
  const SweepValue& value = value_of(placeholder.name, values);
  if (placeholder.property == "stem") return stem_of(value.text);
  if (placeholder.property == "name") return std::filesystem::path(value.text).filename().string();
  if (placeholder.property == "index") return std::to_string(value.index);
  return value.text;
}

bool is_whole(const std::string& text, const std::vector<Placeholder>& found) {
  return found.size() == 1 && found[0].begin == 0 && found[0].end == text.size();
}

}  // namespace

std::vector<Placeholder> placeholders_of(const std::string& text) {
  std::vector<Placeholder> found;
  for (std::size_t at = text.find("${"); at != std::string::npos; at = text.find("${", at + 2)) {
    std::size_t end = at + 2;
    while (end < text.size() && is_letter_of_placeholder(text[end])) ++end;
    if (end == at + 2 || end == text.size() || text[end] != '}') continue;
    const std::string inner = text.substr(at + 2, end - at - 2);
    const std::size_t dot = std::min(inner.find('.'), inner.size());
    found.push_back({at, end + 1, inner.substr(0, dot), dot < inner.size() ? inner.substr(dot + 1) : ""});
  }
  return found;
}

void check_placeholders(const Node& root, const std::vector<std::string>& names, Complaints& complaints) {
  for_each_scalar(root, true, [&](const Node& scalar) {
    const std::vector<Placeholder> found = placeholders_of(scalar.text);
    for (std::size_t at = scalar.text.find("${"); at != std::string::npos; at = scalar.text.find("${", at + 2)) {
      const bool known = std::any_of(found.begin(), found.end(), [&](const auto& one) { return one.begin == at; });
      if (!known)
        complain(scalar, at, "a placeholder is ${NAME}, ${NAME.stem}, ${NAME.name} or ${NAME.index}", complaints);
    }
    for (const Placeholder& one : found) {
      const std::string written = scalar.text.substr(one.begin, one.end - one.begin);
      if (std::find(names.begin(), names.end(), one.name) == names.end()) {
        const std::string near = did_you_mean(one.name, names);
        complain(
            scalar, one.begin,
            "'sweep' has no name " + quote(one.name) + (near.empty() ? "; its names are " + list_names(names) : near),
            complaints);
        continue;
      }
      const bool plain = one.property.empty() && !written.ends_with(".}");
      if (plain || one.property == "stem" || one.property == "name" || one.property == "index") continue;
      complain(scalar, one.begin, quote(written) + ": behind the name stands .stem, .name or .index, or nothing",
               complaints);
    }
  });
}

void refuse_placeholders(const Node& root, Complaints& complaints) {
  for_each_scalar(root, true, [&](const Node& scalar) {
    for (const Placeholder& one : placeholders_of(scalar.text)) {
      complain(scalar, one.begin,
               quote(scalar.text.substr(one.begin, one.end - one.begin)) +
                   " is a placeholder, and this job has no 'sweep' that gives it values: add one, such as "
                   "sweep: {each: {" +
                   one.name + ": [...]}}",
               complaints);
    }
  });
}

std::string with_values(const std::string& text, const TaskValues& values) {
  std::string result;
  std::size_t at = 0;
  for (const Placeholder& one : placeholders_of(text)) {
    result += text.substr(at, one.begin - at) + text_of(one, values);
    at = one.end;
  }
  return result + text.substr(at);
}

void substitute(Node& root, const TaskValues& values) {
  for_each_scalar(root, true, [&](Node& scalar) {
    const std::vector<Placeholder> found = placeholders_of(scalar.text);
    if (found.empty()) return;
    if (is_whole(scalar.text, found)) {
      const std::string& property = found[0].property;
      scalar.quoted = property.empty() ? value_of(found[0].name, values).quoted : property != "index";
    }
    scalar.text = with_values(scalar.text, values);
  });
}

}  // namespace terrace::job
