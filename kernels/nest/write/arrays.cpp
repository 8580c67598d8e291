#include "kernels/nest/write/arrays.hpp"

#include <algorithm>

#include "kernels/nest/value_ranges.hpp"
#include "kernels/nest/write/faults.hpp"
#include "kernels/nest/write/subscripts.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::nest {

using formula::Fault;
using formula::Syntax;

void ArrayWriter::make_arrays() {
  for (const NestText::Array& text : text_.arrays) {
    Array array;
    array.name = text.name;
    array.from = text.from;
    array.first_loop = nest_.depth();
    nest_.arrays.push_back(std::move(array));
  }
  for (std::size_t cell = 0; cell < parsed_.size(); ++cell)
    in_cell(text_, cell, [&] { take_target(*parsed_[cell].target); });
  for (const Array& array : nest_.arrays) {
    if (array.first_loop < nest_.depth()) continue;
    refuse(
        name_of_setting("arrays", array.name), -1, 0,
        "no statement writes " + quote(array.name) + ": an array that is only read is an input, and is not listed");
  }
}

void ArrayWriter::make_statements() {
  for (std::size_t cell = 0; cell < parsed_.size(); ++cell) {
    Statement statement;
    statement.array = names_.array_of(parsed_[cell].target->word);
    statement.text = text_.cells[cell].text;
    statement.box = box_of(cell);
    const Array& array = nest_.arrays[static_cast<std::size_t>(statement.array)];
    statement.offset = in_cell(
        text_, cell, [&] { return Subscripts(nest_, names_).offsets_in(*parsed_[cell].target, array, true); });
    for (std::size_t loop = 0; loop < array.first_loop; ++loop) {
      if (statement.box[loop] == nest_.loops[loop].range) continue;
      refuse("cells[" + std::to_string(cell) + "].for." + names_.loops()[loop], -1, 0,
             quote(array.name) + " lacks the loop " + names_.loops()[loop] +
                 ", so this range would make distances that are not constant: leave it out");
    }
    nest_.statements.push_back(std::move(statement));
  }
  if (nest_.order == Order::cells || nest_.statements.size() == 1) return;
  for (const Array& array : nest_.arrays) {
    if (array.first_loop <= 1) continue;
    refuse("order", -1, 0,
           "`order: statements` sweeps each statement over all loops but the outermost one, and " +
               quote(array.name) + " lacks more than that");
  }
}

void ArrayWriter::check_writers() {
  for (std::size_t number = 0; number < nest_.arrays.size(); ++number) {
    Array& array = nest_.arrays[number];
    std::vector<std::pair<std::size_t, Ranges>> all;
    for (std::size_t cell = 0; cell < nest_.statements.size(); ++cell) {
      const Statement& statement = nest_.statements[cell];
      if (statement.array != static_cast<int>(number)) continue;
      const Ranges own = statement.elements(array.first_loop, statement.offset);
      for (const auto& [other, box] : all) {
        const Ranges both = intersection(own, box);
        if (is_empty(own) || is_empty(box) || is_empty(both)) continue;
        refuse(setting_of_cell(text_, cell), -1, parsed_[cell].target->at,
               "two statements write the elements " + array.name + " " + to_string(both) + ": this one and " +
                   std::to_string(other + 1) + " of `cells`; give them ranges by {for: {...}, do: ...}");
      }
      all.emplace_back(cell, own);
    }
    array.written = joined(array, all);
  }
}

void ArrayWriter::make_boxes() {
  for (std::size_t n = 0; n < nest_.arrays.size(); ++n) {
    Array& array = nest_.arrays[n];
    array.box = array.written;
    if (array.from >= 0) take_from(array);
  }
}

void ArrayWriter::take_target(const Syntax& target) {
  const int number = names_.array_of(target.word);
  if (number < 0) {
    if (names_.input_of(target.word) >= 0)
      throw Fault{target.at, quote(target.word) + " is an input, which is only read"};
    throw Fault{target.at, "there is no array " + quote(target.word) + " to write" + hint(target.word)};
  }
  check_brackets(target);
  Array& array = nest_.arrays[static_cast<std::size_t>(number)];
  const std::size_t count = target.children.size(), depth = nest_.depth();
  if (count == 0 || count > depth) {
    throw Fault{target.at, quote(target.word) + " has " + std::to_string(count) +
                               " subscripts: an array that is "
                               "written has the loops as subscripts, " +
                               example_of(nest_, target.word, 0) + (depth > 1 ? ", or the inner ones of them" : "")};
  }
  if (array.first_loop < depth && array.first_loop != depth - count) {
    throw Fault{target.at, quote(target.word) + " has " + std::to_string(count) + " subscripts here and " +
                               std::to_string(depth - array.first_loop) + " in a statement above"};
  }
  array.first_loop = depth - count;
}

std::string ArrayWriter::hint(const std::string& word) const {
  std::vector<std::string> names;
  for (const Array& array : nest_.arrays) names.push_back(array.name);
  std::string near = did_you_mean(word, names);
  if (!near.empty()) return near;
  return names.empty() ? "; give it in `arrays`" : "; `arrays` has " + list_names(names);
}

Ranges ArrayWriter::box_of(std::size_t cell) const {
  Ranges box = nest_.ranges();
  for (const RangeText& text : text_.cells[cell].ranges) {
    const std::string setting = "cells[" + std::to_string(cell) + "].for." + text.loop;
    const auto found = std::find(names_.loops().begin(), names_.loops().end(), text.loop);
    if (found == names_.loops().end()) {
      refuse(setting, -1, 0, "there is no loop " + quote(text.loop) + ": loops are " + list_names(names_.loops()));
    }
    const auto loop = static_cast<std::size_t>(found - names_.loops().begin());
    const Range range = names_.range_in(setting, text), all = box[loop];
    if (range.size() > 0 && (range.begin < all.begin || range.end > all.end)) {
      refuse(setting, -1, 0,
             "the range " + to_string(Ranges{range}) + " is not inside the loop's, " + to_string(Ranges{all}));
    }
    box[loop] = range;
  }
  return box;
}

Ranges ArrayWriter::joined(const Array& array, const std::vector<std::pair<std::size_t, Ranges>>& all) const {
  Ranges whole = all.front().second;
  double cells = 0, wanted = 1;
  bool has_any = false;
  for (const auto& [cell, box] : all) {
    if (is_empty(box)) continue;
    double size = 1;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      size *= static_cast<double>(box[axis].size());
      whole[axis] =
          has_any ? Range{std::min(whole[axis].begin, box[axis].begin), std::max(whole[axis].end, box[axis].end)}
                  : box[axis];
    }
    has_any = true;
    cells += size;
  }
  for (const Range& range : whole) wanted *= static_cast<double>(range.size());
  if (has_any && cells != wanted) {
    const std::size_t last = all.back().first;
    refuse(setting_of_cell(text_, last), -1, parsed_[last].target->at,
           "the statements that write " + quote(array.name) + " leave a gap in " + to_string(whole) +
               ": together they write a box");
  }
  return whole;
}

void ArrayWriter::take_from(Array& array) const {
  const Input& from = nest_.inputs[static_cast<std::size_t>(array.from)];
  const std::string setting = name_of_setting("arrays", array.name) + ".from";
  const std::size_t rank = array.written.size();
  if (from.has_letters) refuse(setting, -1, 0, "it holds letters of a sequence, where numbers are wanted");
  array.from_slices = array.first_loop == 0 && from.shape.size() + 1 == rank;
  const std::size_t first = array.from_slices ? 1 : 0;
  if (from.shape.size() + first != rank || from.shape.empty()) {
    refuse(setting, -1, 0,
           "it has " + counted(static_cast<i64>(from.shape.size()), "dimension") + ", and " + quote(array.name) +
               " " + counted(static_cast<i64>(rank), "subscript") +
               (array.first_loop == 0 && rank > 1 ? ": as many are wanted, or one fewer for the first slice"
                                                  : ": as many are wanted"));
  }
  for (std::size_t axis = first; axis < rank; ++axis) array.box[axis] = {0, from.shape[axis - first]};
  if (!holds(array.box, array.written)) {
    refuse(setting, -1, 0,
           "it has the elements " + to_string(array.box) + ", and statements write " + to_string(array.written));
  }
  const formula::Bounds own = bounds_of(array.type);
  const bool fits =
      is_floating(array.type) || (!is_floating(from.type) && from.least >= own.least && from.most <= own.most);
  if (fits) return;
  refuse(name_of_setting("arrays", array.name) + ".type", -1, 0,
         "not all values of `from`, which is " + std::string(terrace::name_of(from.type)) + ", are values of " +
             std::string(terrace::name_of(array.type)));
}

}  // namespace terrace::nest
