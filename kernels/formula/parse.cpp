#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "kernels/formula/syntax.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::formula {
namespace {

constexpr std::size_t any_number = 64;
constexpr Function functions[] = {{"abs", 1, 1},          {"f32", 1, 1},          {"f64", 1, 1},  {"fma", 3, 3},
                                  {"i32", 1, 1},          {"i64", 1, 1},          {"if", 3, 3},   {"inf", 0, 0},
                                  {"max", 2, any_number}, {"min", 2, any_number}, {"size", 1, 2}, {"sqrt", 1, 1}};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

using Tree = std::unique_ptr<Syntax>;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Tree all() {
    refuse_length();
    return rest();
  }
  Assignment assignment() {
    refuse_length();
    Assignment made;
    made.target = primary();
    if (made.target->form != Form::name && made.target->form != Form::subscript) {
      throw Fault{made.target->at, "a statement begins with the element that it writes, as in D[i][j] = ..."};
    }
    skip();
    if (!is_next("=") || is_next("==")) {
      throw Fault{at_, "here '=' is expected, in place of " + found() + ": a statement is D[i][j] = ..."};
    }
    ++at_;
    made.value = rest();
    return made;
  }

 private:
  void refuse_length() const {
    if (text_.size() <= most_text) return;
    throw Fault{0, "a formula has at most " + std::to_string(most_text) + " bytes, this one has " +
                       std::to_string(text_.size())};
  }
  /// The expression from here to the end.
  Tree rest() {
    Tree tree = binary(0);
    skip();
    if (at_ < text_.size())
      throw Fault{at_, "here " + found() + " is out of place: an operator or the end is expected"};
    return tree;
  }

  /// The operators of a level of precedence, from the weakest. A longer sign comes before one that it begins with.
  static constexpr std::array<std::array<std::string_view, 4>, 6> levels = {
      {{"||"}, {"&&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {"+", "-"}, {"*", "/", "%"}}};

  void skip() {
    while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
  }
  bool is_next(std::string_view sign) const { return text_.substr(at_).starts_with(sign); }
  bool take(std::string_view sign) {
    skip();
    if (!is_next(sign)) return false;
    at_ += sign.size();
    return true;
  }
  /// What stands at this place, for errors.
  std::string found() const {
    if (at_ >= text_.size()) return "the end";
    std::size_t end = at_;
    while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
    if (end == at_) {
      ++end;
      while (end < text_.size() && (static_cast<unsigned char>(text_[end]) & 0xC0u) == 0x80u) ++end;
    }
    return quote(text_.substr(at_, std::min<std::size_t>(end - at_, 40)));
  }

  Tree node(Form form, std::size_t at, std::string word) {
    if (++nodes_ > most_operations) {
      throw Fault{at, "a formula has at most " + std::to_string(most_operations) + " numbers, names and operations"};
    }
    auto tree = std::make_unique<Syntax>();
    tree->form = form;
    tree->at = at;
    tree->word = std::move(word);
    return tree;
  }

  Tree binary(std::size_t level) {
    if (level == levels.size()) return unary();
    Tree left = binary(level + 1);
    for (;;) {
      skip();
      const std::size_t at = at_;
      refuse_signs_of_others();
      const std::string_view sign = sign_of(level);
      if (sign.empty()) return left;
      at_ += sign.size();
      Tree both = node(Form::binary, at, std::string(sign));
      both->children.push_back(std::move(left));
      both->children.push_back(binary(level + 1));
      left = std::move(both);
      if (level == 3 && (skip(), !sign_of(level).empty())) {
        throw Fault{at_, "a comparison has two sides: write a < b && b < c"};
      }
    }
  }
  /// The operator of that level which is next, or nothing.
  std::string_view sign_of(std::size_t level) const {
    for (const std::string_view sign : levels[level]) {
      if (!sign.empty() && is_next(sign)) return sign;
    }
    return {};
  }
  void refuse_signs_of_others() const {
    const auto refuse = [&](const char* what) { throw Fault{at_, what}; };
    if (is_next("**") || is_next("^")) refuse("there is no power: write u*u, or u*u*u");
    if (is_next("//")) refuse("'//' is no operator: '/' of whole numbers drops the fraction");
    if (is_next("=") && !is_next("==")) refuse("'=' is no operator here: '==' compares");
    if ((is_next("&") && !is_next("&&")) || (is_next("|") && !is_next("||"))) {
      refuse("there are no operations on bits: && and || combine conditions");
    }
    if (is_next("?")) refuse("'?' is no operator: write if(condition, a, b)");
  }

  Tree unary() {
    skip();
    const std::size_t at = at_;
    if (is_next("+")) {
      const Nesting deeper(*this, at);
      ++at_;
      return unary();
    }
    const bool negates = is_next("-"), inverts = is_next("!") && !is_next("!=");
    if (!negates && !inverts) return primary();
    const Nesting deeper(*this, at);
    ++at_;
    Tree tree = node(Form::unary, at, negates ? "-" : "!");
    tree->children.push_back(unary());
    return tree;
  }

  Tree primary() {
    skip();
    const std::size_t at = at_;
    if (take("(")) {
      const Nesting deeper(*this, at);
      Tree inner = binary(0);
      if (!take(")")) throw Fault{at_, "here ')' is expected, in place of " + found()};
      return inner;
    }
    if (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) return number();
    if (at_ < text_.size() && is_letter(text_[at_])) return named();
    throw Fault{at_, "here a number, a name or '(' is expected, in place of " + found()};
  }

  Tree number() {
    const std::size_t begin = at_;
    bool is_real = false;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    if (at_ < text_.size() && text_[at_] == '.') {
      is_real = true;
      ++at_;
      while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    }
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      std::size_t digits = at_ + 1;
      if (digits < text_.size() && (text_[digits] == '+' || text_[digits] == '-')) ++digits;
      if (digits < text_.size() && is_digit(text_[digits])) {
        is_real = true;
        at_ = digits;
        while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
      }
    }
    const std::string_view word = text_.substr(begin, at_ - begin);
    if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.')) {
      throw Fault{begin, "a number ends where " + found() + " begins: a sign is missing between them"};
    }
    Tree tree = node(is_real ? Form::real : Form::whole, begin, std::string(word));
    const char* end = word.data() + word.size();
    if (is_real) {
      const auto [stop, error] = std::from_chars(word.data(), end, tree->real);
      if (error == std::errc::result_out_of_range) throw Fault{begin, "the number is beyond those of f64"};
      if (error != std::errc() || stop != end) throw Fault{begin, "a number has digits"};
    } else {
      const auto [stop, error] = std::from_chars(word.data(), end, tree->whole);
      if (error != std::errc() || stop != end) {
        throw Fault{begin, "the number is beyond those of i64; with a point it is a real number"};
      }
    }
    return tree;
  }

  Tree named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string word(text_.substr(begin, at_ - begin));
    if (word == "inf") {
      Tree tree = node(Form::real, begin, word);
      tree->real = HUGE_VAL;
      return tree;
    }
    skip();
    if (is_next("(")) return call(begin, word);
    if (find_function(word) != nullptr) throw Fault{begin, "'" + word + "' is a function: write " + word + "(...)"};
    if (!is_next("[")) return node(Form::name, begin, word);
    Tree tree = node(Form::subscript, begin, word);
    while (take("[")) {
      const Nesting deeper(*this, begin);
      const std::size_t before = tree->children.size();
      list(*tree, "]");
      tree->groups.push_back(tree->children.size() - before);
      skip();
    }
    return tree;
  }
  Tree call(std::size_t begin, const std::string& word) {
    const Function* function = find_function(word);
    if (function == nullptr || word == "inf") throw Fault{begin, unknown_function(word)};
    Tree tree = node(Form::call, begin, word);
    take("(");
    const Nesting deeper(*this, begin);
    list(*tree, ")");
    const std::size_t count = tree->children.size();
    if (count < function->least || count > function->most) {
      const std::string expected = function->least == function->most ? std::to_string(function->least)
                                   : count < function->least         ? "at least " + std::to_string(function->least)
                                                                     : "at most " + std::to_string(function->most);
      throw Fault{begin, word + " takes " + expected + (expected == "1" ? " value" : " values") + ", not " +
                             std::to_string(count)};
    }
    return tree;
  }
  /// Expressions up to the closing sign.
  void list(Syntax& tree, std::string_view close) {
    if (take(close)) return;
    do tree.children.push_back(binary(0));
    while (take(","));
    if (!take(close))
      throw Fault{at_, "here ',' or '" + std::string(close) + "' is expected, in place of " + found()};
  }
  static std::string unknown_function(const std::string& word) {
    for (const char* other : {"exp", "log", "sin", "cos", "tan", "pow", "tanh"}) {
      if (word == other) {
        return "there is no function '" + word +
               "': back ends would round it in different ways; an array or a series can hold its values";
      }
    }
    std::vector<std::string> names;
    for (const Function& function : functions) {
      if (function.most > 0) names.emplace_back(function.name);
    }
    return "there is no function '" + word + "'" + did_you_mean(word, names);
  }

  /// A level of parentheses, brackets and signs before a value.
  class Nesting {
   public:
    Nesting(Parser& parser, std::size_t at) : parser_(parser) {
      if (++parser_.depth_ > most_nesting) {
        throw Fault{at, "a formula is nested at most " + std::to_string(most_nesting) + " deep"};
      }
    }
    ~Nesting() { --parser_.depth_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0, nodes_ = 0;
};

}  // namespace

std::unique_ptr<Syntax> parse(std::string_view text) { return Parser(text).all(); }

Assignment parse_assignment(std::string_view text) { return Parser(text).assignment(); }

std::optional<Number> number_from(std::string_view text) {
  try {
    const Tree syntax = parse(text);
    const bool negative = syntax->form == Form::unary && syntax->word == "-";
    const Syntax& number = negative ? *syntax->children[0] : *syntax;
    if (number.form == Form::whole) return Number{true, 0, negative ? -number.whole : number.whole};
    if (number.form == Form::real) return Number{false, negative ? -number.real : number.real, 0};
  } catch (const Fault&) {
    // A text that is no formula is no number.
  }
  return std::nullopt;
}

const Function* find_function(std::string_view name) {
  const auto* found =
      std::find_if(std::begin(functions), std::end(functions), [&](const Function& f) { return name == f.name; });
  return found == std::end(functions) ? nullptr : found;
}

bool is_name(std::string_view word) {
  if (word.empty() || !is_letter(word.front()) || find_function(word) != nullptr) return false;
  return std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace terrace::formula
