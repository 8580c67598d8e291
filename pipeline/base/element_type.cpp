#include "pipeline/base/element_type.hpp"

#include <array>

namespace terrace {
namespace {

constexpr std::array<std::string_view, 10> names = {"u8",  "i8",  "u16", "i16", "u32",
                                                    "i32", "u64", "i64", "f32", "f64"};

}  // namespace

std::size_t size_of(ElementType type) {
  return dispatch(type, [](auto value) { return sizeof value; });
}

std::string_view name_of(ElementType type) { return names[static_cast<std::size_t>(type)]; }

std::optional<ElementType> element_type_from(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<ElementType>(i);
  }
  return std::nullopt;
}

bool is_floating(ElementType type) { return type == ElementType::f32 || type == ElementType::f64; }

bool is_signed(ElementType type) {
  return dispatch(type, [](auto value) { return std::is_signed_v<decltype(value)>; });
}

}  // namespace terrace
