// The input kind `values`: a list written in the job itself.
#include "io/input_file.hpp"
#include "io/inputs/numbers.hpp"
#include "io/inputs/shaped.hpp"
#include "io/kinds.hpp"
#include "io/memory_source.hpp"

namespace terrace::io {
namespace {

constexpr Parameter values_parameters[] = {
    {"values", ParameterKind::decimals, "the numbers, row-major"},
    {"type", ParameterKind::type, "element type; i64 where all are whole numbers, else f64", ""},
    {"shape", ParameterKind::integers, "extents, slowest first; one dimension where absent", ""},
};

/// Nobody reads more.
constexpr std::size_t most_faults = 200;

std::shared_ptr<Source> open_values(const Settings& settings, const OpenContext& context) {
  NumberList numbers(type_setting(settings, "type"));
  const auto& texts = settings.get<std::vector<std::string>>("values");
  std::vector<ElementFault> faults;
  for (std::size_t i = 0; i < texts.size() && faults.size() < most_faults; ++i) {
    // YAML writes infinities and NaN with a point before them.
    std::string text = texts[i];
    for (const char* special : {".inf", "-.inf", "+.inf", ".nan"}) {
      if (text == special) text.erase(text.find('.'), 1);
    }
    if (auto wrong = numbers.add(text)) faults.push_back({i, "values: number " + std::to_string(i) + ": " + *wrong});
  }
  if (!faults.empty()) throw ElementError(settings, "values", std::move(faults));
  return shaped_source(numbers, settings, {}, "values",
                       context.element_places ? context.element_places("values") : nullptr);
}

}  // namespace

InputKind values_kind() {
  return {"values", "numbers written in the job itself", values_parameters, open_values,
          "{values: [3, 1, 2], type: i32}\nvalues: [1, 2, 3, 4], shape: [2, 2]"};
}

}  // namespace terrace::io
