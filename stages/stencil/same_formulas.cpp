#include "stages/stencil/same_formulas.hpp"

#include <algorithm>

#include "kernels/formula/syntax.hpp"
#include "kernels/stencil/write.hpp"

namespace terrace::stages {
namespace {

using nlohmann::json;

std::vector<std::string> names_in(const json& settings, const char* map) {
  return settings.value(map, std::vector<std::string>{});
}

/// The canonical text of recorded formulas; empty if they are none that can be computed.
std::string canonical_of(const json& settings) {
  stencil::WrittenText text;
  text.fields = names_in(settings, "fields");
  text.arrays = names_in(settings, "arrays");
  text.series = names_in(settings, "series");
  text.in_turn = settings.value("update", "") == "in_turn";
  for (const std::string& name : names_in(settings, "parameters")) {
    const auto number = stencil::named_number(name, settings.at("parameters." + name));
    if (!number) return "";
    text.parameters.push_back(*number);
  }
  for (const std::string& name : names_in(settings, "cells")) {
    const auto field = std::ranges::find(text.fields, name);
    if (field == text.fields.end()) return "";
    text.cells.push_back({static_cast<std::size_t>(field - text.fields.begin()), settings.at("cells." + name)});
  }
  try {
    return stencil::canonical(text);
  } catch (const formula::Fault&) {
    return "";
  }
}

/// Takes the names of a map, and with `values` what they stand for, from other settings; else the values stay in
/// their order.
void take_names(const char* map, bool values, const json& from, json& to) {
  const std::vector<std::string> before = names_in(to, map), now = names_in(from, map);
  const std::string prefix = std::string(map) + ".";
  std::vector<json> kept;
  for (const std::string& name : before) {
    kept.push_back(to.at(prefix + name));
    to.erase(prefix + name);
  }
  for (std::size_t n = 0; n < now.size(); ++n) to[prefix + now[n]] = values ? from.at(prefix + now[n]) : kept.at(n);
  if (from.contains(map)) to[map] = from[map];
}

}  // namespace

json formulas_in_words_of(const json& before, const json& now) {
  if (names_in(before, "fields") != names_in(now, "fields")) return before;
  const std::string text = canonical_of(now);
  if (text.empty() || canonical_of(before) != text) return before;
  json reworded = before;
  for (const char* map : {"cells", "parameters"}) take_names(map, true, now, reworded);
  for (const char* map : {"arrays", "series"}) take_names(map, false, now, reworded);
  return reworded;
}

}  // namespace terrace::stages
