#include "stages/rounded_inputs.hpp"

#include <cstdio>
#include <limits>

#include "io/data_error.hpp"
#include "pipeline/base/error.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

RoundedInputs::RoundedInputs(const job::Stage& stage) : stage_(stage.name), place_(place_of(stage, "type")) {}

std::shared_ptr<io::RoundedElement> RoundedInputs::of(const std::string& array) {
  arrays_.push_back({array, std::make_shared<io::RoundedElement>()});
  return arrays_.back().rounded;
}

std::vector<std::string> RoundedInputs::warnings() const {
  std::vector<std::string> warnings;
  for (const Array& array : arrays_) {
    const auto found = array.rounded->found();
    if (!found) continue;
    char value[64];
    std::snprintf(value, sizeof value, "%.0f", static_cast<double>(found->value));
    const bool single = found->digits == std::numeric_limits<float>::digits;
    const std::string limit = single ? "f32 holds only some whole numbers beyond 2^24 (16,777,216): "
                                     : "f64 holds only some whole numbers beyond 2^53 (9,007,199,254,740,992): ";
    const std::string advice = single ? "leave `type` out, or say `type: f64`"
                                      : "only a `type` of whole numbers holds it, if the stage has one";
    warnings.push_back(message_at(
        place_, "stage '" + stage_ + "': " + limit + io::element_name(array.name, found->index) + " is " +
                    found->number + " and was read as " + value + ", the first that was changed; " + advice));
  }
  return warnings;
}

std::shared_ptr<io::RoundedElement> rounded_of(const Request& request, const std::string& parameter) {
  if (request.rounded == nullptr) return nullptr;
  return request.rounded->of(request.stage.settings.text(parameter));
}

}  // namespace terrace::stages
