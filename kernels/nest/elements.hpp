// Elements of arrays as values of formulas, on the host.
#pragma once

#include <vector>

#include "kernels/formula/checked.hpp"
#include "kernels/nest/nest.hpp"
#include "kernels/nest/task.hpp"

namespace terrace::nest {

/// The element `index` of data.
formula::CellValue load(ElementType type, const void* data, i64 index);
/// Stores a value whose type is the formulas' for `type`. @return false if it is beyond the type
bool store(ElementType type, void* data, i64 index, const formula::CellValue& value);
/// True if a value of formulas is one of the type.
bool fits(ElementType type, const formula::CellValue& value);

inline Word word_of(ElementType type, const formula::CellValue& value) {
  Word word;
  if (is_floating(type)) word.real = value.real;
  else word.whole = value.whole;
  return word;
}
inline formula::CellValue value_of(ElementType type, const Word& word) {
  return is_floating(type) ? formula::CellValue{word.real, 0} : formula::CellValue{0, word.whole};
}

/// The values of elements that no statement makes, and of inputs. One for each thread; the nest outlives it.
class Elements {
 public:
  /// @param views of the inputs, which outlive it
  Elements(const Nest& nest, const InputView* views);

  /// The element of an input that an access reads. @param at the loops
  formula::CellValue input(const Access& access, const Point& at) const;
  /// The element at subscripts; false outside the input.
  bool look_up(int input, const formula::CellValue* subscripts, formula::CellValue& value) const;
  /// The element of an array that no statement has written: `from`'s, else `outside`'s.
  /// @param at the subscripts, at the array's loops @return false if `outside` fails: failure()
  bool first(int array, const Point& at, formula::CellValue& value);
  /// Without the statement that asked for it.
  const NestFailure& failure() const { return failure_; }
  /// Notes why a formula failed. @param outside the array whose it is; -1: a statement's
  void note(const formula::Failure& failure, const formula::Formula& formula, int outside, const Point& at);
  void note_beyond(ElementType type, const formula::CellValue& value, const Point& at);

 private:
  bool is_in_from(const Array& array, const Point& at) const;

  const Nest& nest_;
  const InputView* views_;
  std::vector<formula::CheckedCells> outsides_;  // an array each; of arrays without one not used
  NestFailure failure_{};
};

/// Takes an element that is better than the best one so far, or as good and of lesser subscripts.
/// @param direction 1: larger is better; -1: less
void offer(BestElement& best, ElementType type, int direction, const Point& at, const Word& value);

/// "D[3][4] = D[2][4]/x[3]: 5 / 0: ...", a failure as people read it.
std::string in_words(const Nest& nest, const NestFailure& failure);

}  // namespace terrace::nest
