// Expressions as they are written: a tree of numbers, names, subscripts and operations, without meaning.
//
//   expression:  || && == != < <= > >= + - * / % and unary - ! bind as in C
//   primary:     number, name, name[expressions]..., function(expressions), (expression)
//   number:      digits with a point or an exponent are real, others whole
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace terrace::formula {

/// Expressions and texts beyond these are refused.
inline constexpr std::size_t most_text = 65536;
inline constexpr int most_nesting = 64, most_operations = 4096;

/// A fault of a text, thrown by parse() and check(); callers know the place of the text.
struct Fault {
  std::size_t at;  // byte of the text
  std::string what;
};

enum class Form : std::uint8_t { whole, real, name, subscript, call, unary, binary };

/// A node of the tree.
struct Syntax {
  Form form;
  std::size_t at;                                 // byte of the text where it begins; of a binary operation its sign
  std::string word;                               // the name, the function, or the sign of the operation
  std::int64_t whole = 0;                         // of Form::whole
  double real = 0;                                // of Form::real
  std::vector<std::unique_ptr<Syntax>> children;  // operands, arguments, or subscripts one after another
  std::vector<std::size_t> groups;                // of a subscript: how many expressions each pair of brackets has
};

/// @throws Fault
std::unique_ptr<Syntax> parse(std::string_view text);

/// "target = value".
struct Assignment {
  std::unique_ptr<Syntax> target;  // a name, or a name with subscripts
  std::unique_ptr<Syntax> value;
};
/// @throws Fault
Assignment parse_assignment(std::string_view text);

/// A number as it stands in a formula: whole without a point and an exponent.
struct Number {
  bool is_whole = false;
  double real = 0;
  std::int64_t whole = 0;
};
/// The number that a text is, a sign before it included; nullopt if it is none.
std::optional<Number> number_from(std::string_view text);

/// The tree as text: equal for texts that differ in blanks, line breaks, parentheses that change nothing, and how
/// real numbers are written. @param name the word for each name that is no function, also of a subscript
std::string canonical(const Syntax& syntax, const std::function<std::string(const std::string&)>& name);
/// The same of a number.
std::string canonical(const Number& number);

/// True if a word can be a name of a job: [A-Za-z_][A-Za-z0-9_]*, and no word of the language.
bool is_name(std::string_view word);

/// The functions of the language by name: "abs", "fma", "if", ... with the least and the most arguments.
struct Function {
  const char* name;
  std::size_t least, most;
};
const Function* find_function(std::string_view name);

}  // namespace terrace::formula
