#include "stages/stencil/formulas.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

stencil::WrittenText::Cell cell_of(const job::Stage& stage, const std::vector<std::string>& fields,
                                   const std::string& name) {
  const auto field = std::find(fields.begin(), fields.end(), name);
  if (field == fields.end()) {
    refuse(stage, "cells." + name,
           "there is no field " + quote(name) + ": a formula has the name of one of `fields`" +
               did_you_mean(name, fields));
  }
  return {static_cast<std::size_t>(field - fields.begin()), stage.settings.text("cells." + name)};
}

stencil::NamedNumber number_of(const job::Stage& stage, const std::string& name) {
  const std::string parameter = "parameters." + name, &text = stage.settings.text(parameter);
  if (auto number = stencil::named_number(name, text)) return *std::move(number);
  refuse(stage, parameter, "a parameter is a number, not " + quote(text));
}

/// Refuses at the place inside a formula.
[[noreturn]] void refuse_formula(const job::Stage& stage, const stencil::WrittenFault& fault) {
  if (fault.cell == stencil::WrittenFault::none) {
    for (const char* parameter : {"fields", "arrays", "series", "parameters"}) {
      const std::string name = std::string(parameter) + "." + fault.name;
      if (stage.settings.has(name)) refuse(stage, name, fault.fault.what);
    }
    refuse(stage, "fields", fault.fault.what);
  }
  const std::vector<std::string> cells = stage.settings.names("cells");
  const Place place = place_of(stage, "cells." + cells[fault.cell]);
  throw JobError(message_at(inside(place, fault.fault.at), "stage '" + stage.name + "': " + fault.fault.what));
}

}  // namespace

stencil::WrittenText formulas_of(const job::Stage& stage, const std::vector<std::string>& fields) {
  const Settings& settings = stage.settings;
  stencil::WrittenText text;
  text.fields = fields;
  text.arrays = settings.names("arrays");
  text.series = settings.names("series");
  text.in_turn = settings.text("update") == "in_turn";
  text.steps = settings.integer("steps");
  for (const std::string& name : settings.names("parameters")) text.parameters.push_back(number_of(stage, name));
  for (const std::string& name : settings.names("cells")) text.cells.push_back(cell_of(stage, fields, name));
  for (const std::string& field : fields) {
    if (!settings.has("cells." + field)) {
      refuse(stage, "cells", "the field " + quote(field) + " has no formula here");
    }
  }
  return text;
}

std::shared_ptr<const stencil::Written> written_formulas(const job::Stage& stage, const stencil::WrittenText& text,
                                                         const stencil::StencilSpec& spec) {
  try {
    return stencil::write(text, spec);
  } catch (const stencil::WrittenFault& fault) {
    refuse_formula(stage, fault);
  }
}

}  // namespace terrace::stages
