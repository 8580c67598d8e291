#include "kernels/nest/write/names.hpp"

#include <algorithm>

#include "kernels/nest/write/faults.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::nest {

using formula::Fault;
using formula::Form;
using formula::Syntax;

int Names::input_of(const std::string& word) const {
  for (std::size_t n = 0; n < text_.inputs.size(); ++n) {
    if (!word.empty() && text_.inputs[n].name == word) return static_cast<int>(n);
  }
  return -1;
}

int Names::array_of(const std::string& word) const {
  for (std::size_t n = 0; n < text_.arrays.size(); ++n) {
    if (text_.arrays[n].name == word) return static_cast<int>(n);
  }
  return -1;
}

const NestText::Parameter* Names::parameter_of(const std::string& word) const {
  for (const NestText::Parameter& one : text_.parameters) {
    if (one.name == word) return &one;
  }
  return nullptr;
}

std::vector<std::string> Names::input_names() const {
  std::vector<std::string> names;
  for (const Input& one : text_.inputs) {
    if (!one.name.empty()) names.push_back(one.name);
  }
  return names;
}

AffineNames Names::affine_names() const {
  return {loops_, [this](const Syntax& syntax) { return constant_in(syntax); }};
}

i64 Names::size_in(const Syntax& syntax) const {
  const Syntax& name = *syntax.children[0];
  const int input = name.form == Form::name ? input_of(name.word) : -1;
  if (input < 0) {
    throw Fault{name.at, "size(input, axis) has the elements of an input along an axis; inputs here are " +
                             (input_names().empty() ? "none" : list_names(input_names()))};
  }
  const std::vector<i64>& shape = text_.inputs[static_cast<std::size_t>(input)].shape;
  if (syntax.children.size() == 1) {
    if (shape.size() == 1) return shape[0];
    throw Fault{syntax.at, quote(name.word) + " has " + counted(static_cast<i64>(shape.size()), "dimension") +
                               ": write size(" + name.word + ", 0) for the first one"};
  }
  const i64 axis = formula::constant_of(*syntax.children[1]);
  if (axis < 0 || axis >= static_cast<i64>(shape.size())) {
    throw Fault{syntax.children[1]->at, quote(name.word) + " has no axis " + std::to_string(axis) +
                                            ": axes are 0 to " + std::to_string(static_cast<i64>(shape.size()) - 1)};
  }
  return shape[static_cast<std::size_t>(axis)];
}

Range Names::range_in(const std::string& setting, const RangeText& text) const {
  if (text.ends.empty() || text.ends.size() > 2) refuse(setting, -1, 0, "a range is END, or [BEGIN, END]");
  const bool is_list = text.ends.size() == 2;
  const auto end_of = [&](std::size_t n) {
    return in_setting(setting, is_list ? static_cast<int>(n) : -1, [&] { return bound_in(text.ends[n]); });
  };
  Range range;
  if (is_list) range.begin = end_of(0);
  range.end = end_of(is_list ? 1 : 0);
  const bool has_size =
      std::any_of(text.ends.begin(), text.ends.end(), [](const auto& end) { return end.find("size") != end.npos; });
  if (range.end < range.begin && !has_size) {
    refuse(setting, -1, 0,
           quote(text.loop) + " ends at " + std::to_string(range.end) + ", before it begins at " +
               std::to_string(range.begin) + ": a range is END, or [BEGIN, END], and its values rise");
  }
  // An array may be too small for the nest: there is nothing to compute then.
  range.end = std::max(range.begin, range.end);
  return range;
}

void Names::check() {
  if (text_.loops.empty() || text_.loops.size() > most_loops) {
    refuse("loops", -1, 0, "a nest has 1 to " + std::to_string(most_loops) + " loops");
  }
  if (text_.cells.empty()) refuse("cells", -1, 0, "there are no statements: give at least one, D[i][j] = ...");
  if (text_.cells.size() > most_statements) {
    refuse("cells", -1, 0, "a nest has at most " + std::to_string(most_statements) + " statements");
  }
  if (text_.arrays.size() > most_arrays) {
    refuse("arrays", -1, 0, "a nest writes at most " + std::to_string(most_arrays) + " arrays");
  }
  for (const RangeText& loop : text_.loops) {
    add_name("loops", loop.loop);
    loops_.push_back(loop.loop);
  }
  for (const NestText::Parameter& one : text_.parameters) add_name("parameters", one.name);
  for (const NestText::Array& one : text_.arrays) add_name("arrays", one.name);
  for (const Input& one : text_.inputs) {
    if (!one.name.empty()) add_name("inputs", one.name);
  }
}

void Names::add_name(const std::string& map, const std::string& name) {
  if (!formula::is_name(name)) {
    refuse(name_of_setting(map, name), -1, 0,
           quote(name) + " cannot be a name in formulas: it is a function of theirs; take another name");
  }
  if (std::find(all_.begin(), all_.end(), name) != all_.end()) {
    refuse(name_of_setting(map, name), -1, 0, quote(name) + " stands for two things in formulas: take another name");
  }
  all_.push_back(name);
}

std::optional<i64> Names::constant_in(const Syntax& syntax) const {
  if (syntax.form == Form::call) return syntax.word == "size" ? std::optional<i64>(size_in(syntax)) : std::nullopt;
  const NestText::Parameter* parameter = parameter_of(syntax.word);
  if (parameter != nullptr && parameter->number.is_whole) return parameter->number.whole;
  return std::nullopt;
}

i64 Names::bound_in(const std::string& text) const {
  const std::unique_ptr<Syntax> syntax = formula::parse(text);
  const std::optional<Affine> bound = affine_of(*syntax, affine_names());
  const bool has_loop = bound && std::any_of(bound->multiples.begin(), bound->multiples.end(),
                                             [](i64 multiple) { return multiple != 0; });
  if (!bound || has_loop) {
    throw Fault{syntax->at,
                has_loop ? "a loop's bound may not depend on another loop: iterations are a box"
                         : "a loop's bound is made of whole numbers, whole parameters and size(input, axis) by + - * "
                           "/ %, as in size(a) - 1"};
  }
  constexpr i64 most = i64{1} << 48;
  if (bound->constant < -most || bound->constant > most) {
    throw Fault{syntax->at, "a loop's bound is within 2^48, and here it is " + std::to_string(bound->constant)};
  }
  return bound->constant;
}

}  // namespace terrace::nest
