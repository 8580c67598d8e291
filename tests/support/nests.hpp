// Nests as tests write them.
#pragma once

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/nest/write.hpp"

namespace terrace::nest {

/// A text of a nest that is made piece by piece.
struct Written {
  NestText text;

  Written& loop(const std::string& name, const std::string& end) {
    text.loops.push_back({name, {end}});
    return *this;
  }
  Written& loop(const std::string& name, const std::string& begin, const std::string& end) {
    text.loops.push_back({name, {begin, end}});
    return *this;
  }
  Written& input(const std::string& name, std::vector<i64> shape, ElementType type = ElementType::f32) {
    Input input;
    input.name = name;
    input.type = type;
    input.shape = std::move(shape);
    if (!is_floating(type)) input.least = -1000, input.most = 1000;
    text.inputs.push_back(std::move(input));
    return *this;
  }
  Written& letters(const std::string& name, i64 count) {
    Input input;
    input.name = name;
    input.type = ElementType::u8;
    input.shape = {count};
    input.most = 15;
    input.has_letters = true;
    text.inputs.push_back(std::move(input));
    return *this;
  }
  Written& number(const std::string& name, const std::string& value) {
    text.parameters.push_back({name, *formula::number_from(value)});
    return *this;
  }
  Written& array(const std::string& name, std::optional<ElementType> type, const std::string& from,
                 std::optional<std::string> outside = std::nullopt) {
    NestText::Array array{name, type, -1, std::move(outside)};
    for (std::size_t n = 0; n < text.inputs.size(); ++n) {
      if (!from.empty() && text.inputs[n].name == from) array.from = static_cast<int>(n);
    }
    text.arrays.push_back(std::move(array));
    return *this;
  }
  Written& cell(const std::string& statement) {
    text.cells.push_back({{}, statement, false});
    return *this;
  }
  Written& cell(std::vector<RangeText> ranges, const std::string& statement) {
    text.cells.push_back({std::move(ranges), statement, true});
    return *this;
  }
  Written& in_order(Order order) {
    text.order = order;
    return *this;
  }
};

/// "setting:byte: what" of the fault of a text, with [element] after the setting of a list; empty if there is none.
inline std::string fault_of(const NestText& text) {
  try {
    write(text);
  } catch (const NestFault& fault) {
    const std::string element = fault.element < 0 ? "" : "[" + std::to_string(fault.element) + "]";
    return fault.setting + element + ":" + std::to_string(fault.fault.at) + ": " + fault.fault.what;
  }
  return "";
}

/// A nest at random: depth 1 to 4, several statements and arrays, tables and in place, with `outside`. Not every one
/// is a right one.
inline NestText random_text(std::mt19937& random) {
  const auto up_to = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
  const char* names[] = {"t", "i", "j", "k"};
  const int depth = 1 + up_to(3);
  Written made;
  for (int loop = 0; loop < depth; ++loop) {
    const int begin = up_to(2) - 1;
    made.loop(names[loop], std::to_string(begin),
              std::to_string(begin + 3 +
                             up_to(depth < 3    ? 8
                                   : depth == 3 ? 3
                                                : 1)));
  }
  const int arrays = 1 + up_to(1);
  std::vector<int> first(static_cast<std::size_t>(arrays));
  const bool all_tables = up_to(1) == 0;
  for (int& one : first)
    one = all_tables || depth == 1 ? 0 : up_to(2) == 0 ? 0 : 1 + (up_to(5) == 0 && depth > 2 ? 1 : 0);
  const auto element = [&](int array, int reach, bool outer_back) {
    std::string text(1, static_cast<char>('A' + array));
    for (int loop = first[static_cast<std::size_t>(array)]; loop < depth; ++loop) {
      int offset = up_to(2 * reach) - reach;
      if (loop == 0 && outer_back && offset > 0 && up_to(3) > 0) offset = -offset;
      text += std::string("[") + names[loop] + (offset < 0 ? "-" : "+") +
              std::to_string(offset < 0 ? -offset : offset) + "]";
    }
    return text;
  };
  const bool is_real = up_to(3) == 0;
  const ElementType types[] = {ElementType::i64, ElementType::i32, ElementType::f64, ElementType::f32};
  const ElementType type = types[up_to(1) + (is_real ? 2 : 0)];
  for (int array = 0; array < arrays; ++array) {
    std::string outside = "3";
    for (int loop = first[static_cast<std::size_t>(array)]; loop < depth; ++loop) {
      outside += std::string(" + ") + std::to_string(loop + 2) + "*" + names[loop];
    }
    made.array(std::string(1, static_cast<char>('A' + array)), type, "", outside);
  }
  const auto read = [&] { return element(up_to(arrays - 1), up_to(2) == 0 ? 3 : 1, true); };
  for (int array = 0; array < arrays; ++array) {
    std::string text = "7 + " + std::string(names[depth - 1]);
    const int reads = 1 + up_to(3);
    for (int number = 0; number < reads; ++number) {
      text += " + " + (is_real ? "0.3" : std::to_string(number + 2)) + "*" + read();
    }
    if (up_to(2) == 0) text = "max(" + text + ", " + read() + ")";
    const std::string one = read();
    // A branch that is not chosen may fail.
    if (!is_real && up_to(2) == 0) text = "if(" + one + " == 0, 5, (" + text + ")/" + one + ")";
    else if (up_to(2) == 0) text = "if(" + one + " < 8 && t != 2, " + text + ", " + one + ")";
    made.cell(element(array, 1, false) + " = " + (is_real ? text : "(" + text + ") % 1009"));
  }
  made.in_order(up_to(1) == 0 ? Order::cells : Order::statements);
  return made.text;
}

}  // namespace terrace::nest
