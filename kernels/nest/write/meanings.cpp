#include "kernels/nest/write/meanings.hpp"

#include <algorithm>
#include <utility>

#include "kernels/nest/value_ranges.hpp"
#include "kernels/nest/write/subscripts.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::nest {

using formula::Fault;
using formula::Form;
using formula::Meaning;
using formula::Operation;
using formula::Syntax;
using formula::Type;

Type type_in_formulas(ElementType type) {
  if (type == ElementType::f32) return Type::f32;
  return type == ElementType::f64 ? Type::f64 : Type::i64;
}

formula::Scope Meanings::scope_of(const Ranges& box, bool has_arrays, std::size_t first_loop, Type real) {
  formula::Scope scope;
  scope.meaning = [this, box, has_arrays, first_loop](const Syntax& syntax) {
    return meaning_of(syntax, box, has_arrays, first_loop);
  };
  scope.names = names_.all();
  scope.real = real;
  scope.is_checked = true;
  return scope;
}

Meaning Meanings::meaning_of(const Syntax& syntax, const Ranges& box, bool has_arrays, std::size_t first_loop) {
  if (syntax.form == Form::call) return {Meaning::number, true, 0, names_.size_in(syntax), {}, {0, 0}};
  const std::string& word = syntax.word;
  const auto loop = std::find(names_.loops().begin(), names_.loops().end(), word);
  const NestText::Parameter* parameter = names_.parameter_of(word);
  if (syntax.form == Form::subscript && (loop != names_.loops().end() || parameter != nullptr)) {
    throw Fault{syntax.at, quote(word) + " is a number: it has no subscripts"};
  }
  if (loop != names_.loops().end()) {
    return index_of(syntax, static_cast<std::size_t>(loop - names_.loops().begin()), box, first_loop);
  }
  if (parameter != nullptr) {
    const formula::Number& number = parameter->number;
    return {Meaning::number, number.is_whole, number.real, number.whole, {}, {0, 0}};
  }
  const int array = names_.array_of(word), input = names_.input_of(word);
  if (array < 0 && input < 0) return {};
  if (syntax.form == Form::name) {
    throw Fault{syntax.at, quote(word) + " is an array: an element of it is " + word + "[...]"};
  }
  check_brackets(syntax);
  if (array >= 0 && !has_arrays) {
    throw Fault{syntax.at, "`outside` reads inputs alone, and " + quote(word) + " is written by statements"};
  }
  return array >= 0 ? read_of_array(syntax, array) : read_of_input(syntax, input, first_loop);
}

Meaning Meanings::index_of(const Syntax& syntax, std::size_t loop, const Ranges& box, std::size_t first_loop) const {
  if (loop < first_loop) {
    throw Fault{syntax.at, quote(syntax.word) + " is no subscript of this array, which lacks that loop"};
  }
  Meaning meaning;
  meaning.kind = Meaning::node;
  meaning.of_node = {Operation::index, Type::i64};
  meaning.of_node.number = static_cast<int>(loop);
  meaning.bounds = {box[loop].begin, std::max(box[loop].begin, box[loop].end - 1)};
  return meaning;
}

Meaning Meanings::read_node(ElementType type, formula::Bounds bounds, Access access) {
  const auto found = std::find(nest_.accesses.begin(), nest_.accesses.end(), access);
  Meaning meaning;
  meaning.kind = Meaning::node;
  meaning.of_node = {Operation::read, type_in_formulas(type)};
  meaning.of_node.number = static_cast<int>(found - nest_.accesses.begin());
  meaning.bounds = bounds;
  if (found == nest_.accesses.end()) nest_.accesses.push_back(std::move(access));
  return meaning;
}

Meaning Meanings::read_of_array(const Syntax& syntax, int number) {
  const Array& array = nest_.arrays[static_cast<std::size_t>(number)];
  Access access{false, number, {}, Subscripts(nest_, names_).offsets_in(syntax, array, false)};
  for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
    access.loops.push_back(static_cast<int>(array.first_loop + axis));
  }
  return read_node(array.type, bounds_of(array.type), std::move(access));
}

Meaning Meanings::read_of_input(const Syntax& syntax, int number, std::size_t first_loop) {
  const Input& input = nest_.inputs[static_cast<std::size_t>(number)];
  const std::size_t rank = input.shape.size();
  if (syntax.children.size() != rank) {
    throw Fault{syntax.at, quote(syntax.word) + " has " + counted(static_cast<i64>(rank), "subscript") +
                               ", and here " + std::to_string(syntax.children.size())};
  }
  const formula::Bounds bounds{input.least, input.most};
  Access access{true, number, {}, {}};
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::optional<Affine> affine = affine_of(*syntax.children[axis], names_.affine_names());
    const std::optional<int> loop = affine ? affine->loop() : std::nullopt;
    if (!loop) return look_up_of(syntax, number, axis, bounds);
    if (*loop >= 0 && *loop < static_cast<int>(first_loop)) {
      throw Fault{syntax.children[axis]->at, quote(names_.loops()[static_cast<std::size_t>(*loop)]) +
                                                 " is no subscript of this array, which lacks that loop"};
    }
    access.loops.push_back(*loop);
    access.offset.push_back(affine->constant);
  }
  return read_node(input.type, bounds, std::move(access));
}

Meaning Meanings::look_up_of(const Syntax& syntax, int number, std::size_t axis, formula::Bounds bounds) const {
  const Input& input = nest_.inputs[static_cast<std::size_t>(number)];
  double bytes = static_cast<double>(size_of(input.type));
  for (const i64 extent : input.shape) bytes *= static_cast<double>(extent);
  if (bytes > static_cast<double>(most_look_up_bytes) || input.shape.size() > 3) {
    throw Fault{
        syntax.children[axis]->at,
        "subscript " + std::to_string(axis) + " of " + quote(syntax.word) +
            " is no loop plus or minus a constant: such look-ups take inputs of at most 64 KiB and three axes"};
  }
  Meaning meaning;
  meaning.kind = Meaning::node;
  meaning.looks_up = true;
  meaning.of_node = {Operation::look_up, type_in_formulas(input.type)};
  meaning.of_node.number = number;
  meaning.bounds = bounds;
  return meaning;
}

}  // namespace terrace::nest
