// The element types of arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace terrace {

enum class ElementType : std::uint8_t { u8, i8, u16, i16, u32, i32, u64, i64, f32, f64 };

/// Bytes of one element.
std::size_t size_of(ElementType type);
/// "u8", "i32", "f64", ...
std::string_view name_of(ElementType type);
std::optional<ElementType> element_type_from(std::string_view name);
bool is_floating(ElementType type);
bool is_signed(ElementType type);

template <class T>
constexpr ElementType element_type_of() {
  if constexpr (std::is_same_v<T, float>) return ElementType::f32;
  else if constexpr (std::is_same_v<T, double>) return ElementType::f64;
  else {
    static_assert(std::is_integral_v<T>);
    constexpr int log2_size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<ElementType>(2 * log2_size + (std::is_signed_v<T> ? 1 : 0));
  }
}

/// Calls `call(T{})` with a value of the C++ type that corresponds to `type`, and returns its result.
template <class Call>
decltype(auto) dispatch(ElementType type, Call&& call) {
  switch (type) {
    case ElementType::u8:
      return call(std::uint8_t{});
    case ElementType::i8:
      return call(std::int8_t{});
    case ElementType::u16:
      return call(std::uint16_t{});
    case ElementType::i16:
      return call(std::int16_t{});
    case ElementType::u32:
      return call(std::uint32_t{});
    case ElementType::i32:
      return call(std::int32_t{});
    case ElementType::u64:
      return call(std::uint64_t{});
    case ElementType::i64:
      return call(std::int64_t{});
    case ElementType::f32:
      return call(float{});
    case ElementType::f64:
      break;
  }
  return call(double{});
}

}  // namespace terrace
