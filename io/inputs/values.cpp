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

std::shared_ptr<Source> open_values(const Settings& settings, const OpenContext&) {
  NumberList numbers(type_setting(settings, "type"));
  const auto& texts = settings.get<std::vector<std::string>>("values");
  for (std::size_t i = 0; i < texts.size(); ++i) {
    // YAML writes infinities and NaN with a point before them.
    std::string text = texts[i];
    for (const char* special : {".inf", "-.inf", "+.inf", ".nan"}) {
      if (text == special) text.erase(text.find('.'), 1);
    }
    if (auto wrong = numbers.add(text)) {
      fail_setting(settings, "values", "values: number " + std::to_string(i) + ": " + *wrong);
    }
  }
  return shaped_source(numbers, settings, {}, "values");
}

}  // namespace

InputKind values_kind() {
  return {"values", "numbers written in the job itself", values_parameters, open_values,
          "{values: [3, 1, 2], type: i32}\nvalues: [1, 2, 3, 4], shape: [2, 2]"};
}

}  // namespace terrace::io
