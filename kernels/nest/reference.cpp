#include "kernels/nest/reference.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "pipeline/base/error.hpp"

namespace terrace::nest {
namespace {

using formula::CellValue;
using formula::Node;
using formula::Operation;

/// Calls visit(point) for every point of a box, the last axis fastest, until it returns false.
bool for_each_point(const Ranges& box, const std::function<bool(const Point&)>& visit) {
  if (is_empty(box)) return true;
  Point at = first_point(box);
  do {
    if (!visit(at)) return false;
  } while (step(box, box.size(), at));
  return true;
}

/// The elements of an array while a nest runs.
struct Values {
  Ranges box;
  std::vector<Word> words;
  std::vector<char> state;  // 0: not made, 1: in the making, 2: made

  explicit Values(const Ranges& of) : box(of) {
    std::size_t count = 1;
    for (const Range& range : box) count *= static_cast<std::size_t>(range.size());
    words.resize(count);
    state.assign(count, 0);
  }
  std::optional<std::size_t> index(const Point& at, std::size_t first) const {
    std::size_t index = 0;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      const i64 subscript = at[first + axis];
      if (!box[axis].holds(subscript)) return std::nullopt;
      index =
          index * static_cast<std::size_t>(box[axis].size()) + static_cast<std::size_t>(subscript - box[axis].begin);
    }
    return index;
  }
};

class Runner {
 public:
  Runner(const Nest& nest, const std::vector<InputView>& views) : nest_(nest), elements_(nest, views.data()) {
    for (const Array& array : nest.arrays) values_.emplace_back(array.box);
    for (const Statement& statement : nest.statements) cells_.emplace_back(statement.value);
  }

  Made run() {
    if (nest_.is_equations()) run_equations();
    else run_program();
    Made made;
    if (!fails_) keep_rest();
    if (fails_) made.failure = failure_;
    for (Values& one : values_) made.arrays.push_back(std::move(one.words));
    return made;
  }

 private:
  void run_program() {
    const Ranges all = nest_.ranges();
    if (nest_.order == Order::statements) {
      for (i64 outer = all[0].begin; outer < all[0].end; ++outer) {
        for (std::size_t statement = 0; statement < nest_.statements.size(); ++statement) {
          Ranges box = nest_.statements[statement].box;
          box[0] = intersection({box[0]}, {{outer, outer + 1}})[0];
          if (!for_each_point(box, [&](const Point& at) { return make(statement, at); })) return;
        }
      }
      return;
    }
    for_each_point(all, [&](const Point& at) {
      for (std::size_t statement = 0; statement < nest_.statements.size(); ++statement) {
        if (is_in(nest_.statements[statement].box, at) && !make(statement, at)) return false;
      }
      return true;
    });
  }

  /// An operand of an equation that is still to be computed: a statement at an iteration.
  struct Open {
    std::size_t statement;
    Point at;
  };
  void run_equations() {
    for (std::size_t statement = 0; statement < nest_.statements.size(); ++statement) {
      if (!for_each_point(nest_.statements[statement].box, [&](const Point& at) {
            return make_needed({statement, at});
          })) {
        return;
      }
    }
  }
  bool make_needed(const Open& wanted) {
    std::vector<Open> open = {wanted};
    while (!open.empty()) {
      const Open at = open.back();
      if (char& state = state_of(at); state != 2) {
        const std::size_t before = open.size();
        push_needed(at, open);
        if (open.size() == before) {
          if (!make(at.statement, at.at)) return false;
        } else if (state == 1) {
          throw Error("equations need one another");
        } else {
          state = 1;
          continue;
        }
      }
      open.pop_back();
    }
    return true;
  }
  char& state_of(const Open& open) {
    const Statement& statement = nest_.statements[open.statement];
    return values(statement.array).state[*index_of(statement, open.at)];
  }
  /// Adds the equations of which this one reads values that are not made.
  void push_needed(const Open& of, std::vector<Open>& open) {
    for (const Node& node : nest_.statements[of.statement].value.nodes()) {
      if (node.operation != Operation::read) continue;
      const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
      if (access.is_input) continue;
      const Point element = element_of(access, of.at);
      for (std::size_t source = 0; source < nest_.statements.size(); ++source) {
        const Statement& statement = nest_.statements[source];
        if (statement.array != access.array) continue;
        Point at = element;
        for (std::size_t axis = 0; axis < statement.offset.size(); ++axis) at[axis] -= statement.offset[axis];
        if (is_in(statement.box, at) && state_of({source, at}) != 2) open.push_back({source, at});
      }
    }
  }

  static bool is_in(const Ranges& box, const Point& at) {
    for (std::size_t loop = 0; loop < box.size(); ++loop) {
      if (!box[loop].holds(at[loop])) return false;
    }
    return true;
  }
  Values& values(int array) { return values_[static_cast<std::size_t>(array)]; }
  const Array& array_of(const Statement& statement) const {
    return nest_.arrays[static_cast<std::size_t>(statement.array)];
  }
  std::optional<std::size_t> index_of(const Statement& statement, const Point& at) {
    const std::size_t first = array_of(statement).first_loop;
    Point element = at;
    for (std::size_t axis = 0; axis < statement.offset.size(); ++axis)
      element[first + axis] += statement.offset[axis];
    return values(statement.array).index(element, first);
  }
  /// The subscripts that an access has, at the array's loops.
  Point element_of(const Access& access, const Point& at) const {
    Point element{};
    for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
      const auto loop = static_cast<std::size_t>(access.loops[axis]);
      element[loop] = at[loop] + access.offset[axis];
    }
    return element;
  }

  CellValue read(const Access& access, const Point& at) {
    if (access.is_input) return elements_.input(access, at);
    const Array& array = nest_.arrays[static_cast<std::size_t>(access.array)];
    const Point element = element_of(access, at);
    Values& own = values(access.array);
    const auto index = own.index(element, array.first_loop);
    if (index && own.state[*index] == 2) return value_of(array.type, own.words[*index]);
    CellValue value;
    if (!elements_.first(access.array, element, value)) fails_ = true;
    return value;
  }
  bool make(std::size_t number, const Point& at) {
    const Statement& statement = nest_.statements[number];
    struct Leaf {
      Runner& runner;
      const Point& at;
      CellValue operator()(const Node& node) const {
        if (node.operation == Operation::index) return {0, at[static_cast<std::size_t>(node.number)]};
        return runner.read(runner.nest_.accesses[static_cast<std::size_t>(node.number)], at);
      }
      bool operator()(const Node& node, const CellValue* subscripts, CellValue& found) const {
        return runner.elements_.look_up(node.number, subscripts, found);
      }
    };
    CellValue value;
    const ElementType type = array_of(statement).type;
    const bool is_made = cells_[number].compute(0, Leaf{*this, at}, value);
    if (!is_made && !fails_) elements_.note(cells_[number].failure(), statement.value, -1, at);
    const bool is_stored = is_made && !fails_ && fits(type, value);
    if (is_made && !fails_ && !is_stored) elements_.note_beyond(type, value, at);
    if (!is_stored) {
      fails_ = true;
      failure_ = elements_.failure();
      failure_.statement = static_cast<int>(number);
      return false;
    }
    const std::size_t index = *index_of(statement, at);
    values(statement.array).words[index] = word_of(type, value);
    values(statement.array).state[index] = 2;
    return true;
  }
  /// The elements that no statement wrote.
  void keep_rest() {
    for (std::size_t number = 0; number < nest_.arrays.size() && !fails_; ++number) {
      const Array& array = nest_.arrays[number];
      Ranges box(nest_.depth(), {0, 1});
      std::copy(array.box.begin(), array.box.end(), box.begin() + static_cast<std::ptrdiff_t>(array.first_loop));
      for_each_point(box, [&](const Point& at) {
        const std::size_t index = *values_[number].index(at, array.first_loop);
        if (values_[number].state[index] == 2) return true;
        CellValue value;
        fails_ = !elements_.first(static_cast<int>(number), at, value);
        failure_ = elements_.failure();
        values_[number].words[index] = word_of(array.type, value);
        return !fails_;
      });
    }
  }

  const Nest& nest_;
  Elements elements_;
  std::vector<Values> values_;
  std::vector<formula::CheckedCells> cells_;
  bool fails_ = false;
  NestFailure failure_{};
};

}  // namespace

std::vector<InputView> whole_views(const Nest& nest, const std::vector<const void*>& inputs) {
  std::vector<InputView> views;
  for (std::size_t n = 0; n < nest.inputs.size(); ++n) {
    InputView view{inputs[n], {}, {}, {}};
    i64 stride = 1;
    for (std::size_t axis = nest.inputs[n].shape.size(); axis-- > 0;) {
      view.end[axis] = nest.inputs[n].shape[axis];
      view.stride[axis] = stride;
      stride *= nest.inputs[n].shape[axis];
    }
    views.push_back(view);
  }
  return views;
}

Made run_as_written(const Nest& nest, const std::vector<const void*>& inputs) {
  const std::vector<InputView> views = whole_views(nest, inputs);
  return Runner(nest, views).run();
}

}  // namespace terrace::nest
