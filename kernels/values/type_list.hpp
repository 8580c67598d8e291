// Lists of types: problems, operators, algebras and rules, which are structs without data. The number of a type is
// its place in the list, from 0.
#pragma once

namespace terrace::values {

template <class A, class B>
inline constexpr bool same_type = false;
template <class A>
inline constexpr bool same_type<A, A> = true;

template <class... Ts>
struct TypeList {
  /// The length of the list.
  static constexpr int size = sizeof...(Ts);

  /// The number of T; `size` if it is not in the list.
  template <class T>
  static consteval int index() {
    int number = 0;
    (void)((same_type<T, Ts> ? false : (++number, true)) && ...);
    return number;
  }
  /// The number of the first type T for which is(T{}) is true; `size` if there is none.
  template <class Is>
  static constexpr int find(const Is& is) {
    int number = 0;
    (void)((is(Ts{}) ? false : (++number, true)) && ...);
    return number;
  }
  /// Calls call(T{}) with the type of a number. @return false if there is no such number
  template <class Call>
  static constexpr bool visit(int number, const Call& call) {
    int at = 0;
    return ((at++ == number && (call(Ts{}), true)) || ...);
  }
  /// Calls call(T{}) with each type, in the list's order.
  template <class Call>
  static constexpr void for_each(const Call& call) {
    (call(Ts{}), ...);
  }
};

}  // namespace terrace::values
