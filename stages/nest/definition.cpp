#include "stages/nest/definition.hpp"

#include <algorithm>
#include <limits>

#include "io/data_error.hpp"
#include "kernels/nest/write.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/nest/words.hpp"
#include "stages/refuse.hpp"
#include "stages/wavefront/letters.hpp"

namespace terrace::stages {
namespace {

class NestDefiner {
 public:
  explicit NestDefiner(const Request& request) : request_(request), settings_(request.stage.settings) {}

  NestDefinition define() && {
    open_inputs();
    read_texts();
    make();
    find_skew();
    find_kept();
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(const std::string& parameter, const std::string& what) const {
    stages::refuse(request_.stage, parameter, what);
  }

  void open_inputs() {
    for (const std::string& name : settings_.names("inputs")) {
      add_input(name, "inputs." + name, settings_.text("inputs." + name));
    }
  }
  /// @param name in formulas; empty: none
  int add_input(const std::string& name, const std::string& parameter, const std::string& array) {
    std::shared_ptr<io::Source> source = request_.array(array);
    nest::Input input;
    input.name = name;
    input.type = source->type();
    if (source->shape().rank() == 0 || source->shape().rank() > static_cast<int>(nest::most_loops)) {
      refuse(parameter, "'" + array + "' has " + counted(source->shape().rank(), "dimension") +
                            ": a nest reads arrays of 1 to 4");
    }
    if (input.type == ElementType::u64) {
      refuse(parameter, "'" + array + "' is an array of u64: a nest computes with i64; give it as i64 or f64");
    }
    if (text_.inputs.size() == nest::most_inputs) {
      refuse(parameter, "a nest reads at most " + std::to_string(nest::most_inputs) + " arrays");
    }
    for (int axis = 0; axis < source->shape().rank(); ++axis) input.shape.push_back(source->shape()[axis]);
    if (source->letters()) source = letters(input, std::move(source), array, parameter);
    else if (!is_floating(input.type)) take_bounds(input);
    text_.inputs.push_back(std::move(input));
    made_.inputs.push_back(std::move(source));
    arrays_.push_back(array);
    return static_cast<int>(made_.inputs.size()) - 1;
  }
  static void take_bounds(nest::Input& input) {
    dispatch(input.type, [&](auto zero) {
      using Limits = std::numeric_limits<decltype(zero)>;
      if constexpr (Limits::is_integer) {
        input.least = static_cast<nest::i64>(Limits::lowest());
        input.most = static_cast<nest::i64>(Limits::max());
      }
    });
  }
  /// A sequence as the codes of its letters.
  std::shared_ptr<io::Source> letters(nest::Input& input, std::shared_ptr<io::Source> source,
                                      const std::string& array, const std::string& parameter) const {
    const Alphabet alphabet{settings_.text("alphabet")};
    const std::string ambiguous = settings_.text("ambiguous");
    const auto codes = letter_codes(alphabet, ambiguous, Side::rows);
    input.has_letters = true;
    input.most = *std::max_element(codes.begin(), codes.end());
    if (alphabet.name == "dna" && ambiguous == "mismatch") input.unlike = first_unlike;
    const io::DataLabel label{array, request_.stage.name, place_of(request_.stage, parameter)};
    return io::translate(std::move(source), codes, label,
                         [=](unsigned char letter) { return letter_error(alphabet, ambiguous, letter); });
  }

  void read_texts() {
    for (const std::string& loop : settings_.names("loops")) text_.loops.push_back(range("loops." + loop, loop));
    for (const std::string& name : settings_.names("parameters")) {
      const std::string& text = settings_.text("parameters." + name);
      const auto number = formula::number_from(text);
      if (!number) refuse("parameters." + name, "a parameter is a number, not " + quote(text));
      text_.parameters.push_back({name, *number});
    }
    for (const std::string& name : settings_.names("arrays")) text_.arrays.push_back(array(name));
    for (std::int64_t cell = 0; cell < settings_.count("cells"); ++cell) text_.cells.push_back(statement(cell));
    text_.order = settings_.text("order") == "statements" ? nest::Order::statements : nest::Order::cells;
  }
  nest::RangeText range(const std::string& setting, const std::string& loop) const {
    return {loop, settings_.names(setting)};
  }
  nest::NestText::Array array(const std::string& name) {
    const std::string prefix = "arrays." + name + ".";
    nest::NestText::Array made;
    made.name = name;
    made.type = element_type_from(settings_.text(prefix + "type"));
    if (settings_.has(prefix + "outside")) made.outside = settings_.text(prefix + "outside");
    if (!settings_.has(prefix + "from")) return made;
    const std::string& from = settings_.text(prefix + "from");
    const auto known = std::find(arrays_.begin(), arrays_.end(), from);
    made.from =
        known != arrays_.end() ? static_cast<int>(known - arrays_.begin()) : add_input("", prefix + "from", from);
    return made;
  }
  nest::NestText::Cell statement(std::int64_t number) const {
    const std::string cell = "cells[" + std::to_string(number) + "]",
                      setting = setting_of_statement(settings_, number);
    nest::NestText::Cell made;
    made.text = settings_.text(setting);
    made.is_map = setting != cell;
    for (const std::string& loop : settings_.names(cell + ".for")) {
      made.ranges.push_back(range(cell + ".for." + loop, loop));
    }
    return made;
  }

  void make() {
    try {
      made_.spec.nest = std::make_shared<nest::Nest>(nest::write(text_));
    } catch (const nest::NestFault& fault) {
      Place place = place_of_setting(fault.setting);
      if (fault.element >= 0) place = element_of(place, static_cast<std::size_t>(fault.element));
      throw JobError(
          message_at(inside(place, fault.fault.at), "stage '" + request_.stage.name + "': " + fault.fault.what));
    }
    constexpr double most_cells = 1e15;
    double iterations = 1;
    for (const nest::Loop& loop : made_.spec.nest->loops) iterations *= static_cast<double>(loop.range.size());
    if (iterations > most_cells)
      refuse("loops", "a nest of so many iterations is too large for any run: it has at most 10^15");
    for (std::int64_t cell = 0; cell < settings_.count("cells"); ++cell) {
      made_.places.push_back(place_of(request_.stage, setting_of_statement(settings_, cell)));
    }
  }
  /// The place of a setting, or of the key of a map that it is.
  Place place_of_setting(const std::string& setting) const {
    if (settings_.has(setting)) return place_of(request_.stage, setting);
    const std::size_t dot = setting.rfind('.');
    if (dot == std::string::npos) return request_.stage.place;
    const std::string map = setting.substr(0, dot), key = setting.substr(dot + 1);
    const std::vector<std::string> names = settings_.names(map);
    const auto found = std::find(names.begin(), names.end(), key);
    if (found == names.end()) return place_of_setting(map);
    return element_of(place_of(request_.stage, map), static_cast<std::size_t>(found - names.begin()));
  }

  void find_skew() {
    nest::NestSpec& spec = made_.spec;
    spec.flow = nest::flow_of(*spec.nest);
    made_.kept_dependences = spec.flow;
    if (settings_.text("storage") == "given") {
      made_.kept_dependences = nest::with_false_dependences(*spec.nest, spec.flow);
    }
    try {
      spec.skew = nest::least_skew(*spec.nest, made_.kept_dependences, settings_.text("schedule") == "balanced");
    } catch (const nest::SkewFault& fault) {
      refuse("cells", fault.what);
    }
  }

  void find_kept() {
    for (const nest::Array& array : made_.spec.nest->arrays) {
      const std::string prefix = "arrays." + array.name + ".";
      nest::Kept kept;
      for (const std::string& word : settings_.names(prefix + "keep")) {
        kept.last |= word == "last";
        kept.table |= word == "table";
        kept.corner |= word == "corner";
      }
      if (settings_.has(prefix + "best")) kept.best = settings_.text(prefix + "best") == "max" ? 1 : -1;
      check_kept(array, kept, prefix + "keep");
      made_.spec.kept.push_back(kept);
    }
  }
  void check_kept(const nest::Array& array, const nest::Kept& kept, const std::string& parameter) const {
    if (kept.table && array.first_loop > 0) {
      refuse(parameter,
             quote(array.name) + " is an array in place, which has one value an element: `keep: last` keeps it");
    }
    const bool is_known = array.outside || array.from >= 0;
    bool is_made = !nest::is_empty(array.written);
    for (std::size_t loop = 0; loop < array.first_loop; ++loop) {
      is_made &= made_.spec.nest->loops[loop].range.size() > 0;
    }
    if (kept.best != 0 && !is_made)
      refuse(parameter, "no element of " + quote(array.name) + " is written: none is the best");
    if (is_made || !(kept.last || kept.corner)) return;
    if (!is_known) {
      refuse(parameter, "no iteration writes " + quote(array.name) +
                            ": what it holds then must be said by `outside`, or by `from`");
    }
    check_unwritten(array);
  }
  /// The last elements of an array that no iteration writes are those before its first ones.
  void check_unwritten(const nest::Array& array) const {
    if (!array.outside) return;
    nest::Ranges last = array.first_loop == 0 ? array.written : array.box;
    if (array.first_loop == 0 && last[0].size() == 0) last[0].begin = last[0].end - 1;
    nest::Ranges corner = array.written;
    for (nest::Range& range : corner) range.begin = range.end - 1;
    const auto number = static_cast<int>(&array - made_.spec.nest->arrays.data());
    for (const nest::Ranges& elements : {last, corner}) {
      const auto fault = nest::outside_fault(*made_.spec.nest, number, elements);
      if (!fault) continue;
      const Place place = place_of(request_.stage, "arrays." + array.name + ".outside");
      throw JobError(message_at(inside(place, fault->at), "stage '" + request_.stage.name + "': " + fault->what));
    }
  }

  const Request& request_;
  const Settings& settings_;
  nest::NestText text_;
  NestDefinition made_;
  std::vector<std::string> arrays_;  // of the inputs, by their names in the job
};

}  // namespace

NestDefinition define_nest(const Request& request) { return NestDefiner(request).define(); }

}  // namespace terrace::stages
