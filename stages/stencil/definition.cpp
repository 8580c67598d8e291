#include "stages/stencil/definition.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "io/convert.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/separable.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/refuse.hpp"
#include "stages/rounded_inputs.hpp"
#include "stages/stencil/formulas.hpp"
#include "stages/stencil/points.hpp"

namespace terrace::stages {
namespace {

using stencil::Face;
using stencil::Faces;
using stencil::OperatorInfo;
using stencil::StencilSpec;

class Definer {
 public:
  explicit Definer(const Request& request)
      : request_(request),
        settings_(request.stage.settings),
        operator_(*stencil::find_operator(request.stage.problem)),
        spec_(made_.spec) {}

  StencilDefinition define() && {
    spec_.name = operator_.name;
    spec_.settings = settings_;
    if (settings_.text("nan") != "allow") made_.infinity = std::make_shared<FoundInfinity>();
    open_fields();
    if (operator_.linear) define_terms();
    else spec_.radius = operator_.most_radius;
    define_faces();
    define_arrays();
    if (operator_.written) define_formulas();
    check_extents();
    define_events();
    define_points(request_, made_);
    made_.spacing = spacing_of(request_, made_.inputs.shape);
    define_schedule();
    check_stability();
    check_numbers();
    return std::move(made_);
  }

 private:
  [[noreturn]] void refuse(const std::string& parameter, const std::string& what) const {
    stages::refuse(request_.stage, parameter, what);
  }

  std::string name_of_array(const std::string& parameter) const { return settings_.text(parameter); }

  void open_fields() {
    for (const std::string& name : names_of_fields()) {
      const std::string parameter =
          operator_.written ? "fields." + name : field_parameter(operator_.fields.size(), name);
      std::shared_ptr<io::Source> field = request_.array(name_of_array(parameter));
      refuse_letters(request_, parameter, *field);
      if (made_.inputs.fields.empty()) {
        set_shape(parameter, *field);
        spec_.value = is_floating(field->type()) ? field->type() : ElementType::f64;
        const std::string& type = settings_.text("type");
        if (type != "auto") spec_.value = *element_type_from(type);
      }
      made_.inputs.names.push_back(name);
      made_.inputs.fields.push_back(open_numbers(parameter, name_of_array(parameter), std::move(field)));
    }
  }

  std::vector<std::string> names_of_fields() const {
    if (!operator_.written) return {operator_.fields.begin(), operator_.fields.end()};
    std::vector<std::string> names = settings_.names("fields");
    if (names.empty()) refuse("fields", "there are no fields: give at least one");
    if (names.size() > stencil::most_fields) {
      refuse("fields", "there are " + std::to_string(names.size()) + " fields, and there may be at most " +
                           std::to_string(stencil::most_fields));
    }
    return names;
  }

  void set_shape(const std::string& parameter, const io::Source& field) {
    const Extents& shape = field.shape();
    const int rank = shape.rank(), wanted = operator_.rank;
    if (wanted > 1) refuse_no_rows(request_.stage, parameter, name_of_array(parameter), field);
    if (wanted > 0 ? rank != wanted : rank < 1 || rank > stencil::most_rank) {
      refuse(parameter, "'" + name_of_array(parameter) + "' has " + counted(rank, "dimension") + "; a grid of `" +
                            operator_.name + "` has " + (wanted > 0 ? std::to_string(wanted) : "one to three") +
                            (wanted == 2 ? remedy_for_list(field) : ""));
    }
    constexpr double most_cells = 1e15;
    double cells = 1;
    spec_.rank = rank;
    for (int axis = 0; axis < rank; ++axis) {
      spec_.extents[static_cast<std::size_t>(stencil::axis_of(axis, rank))] = shape[axis];
      cells *= static_cast<double>(shape[axis]);
    }
    if (cells > most_cells) {
      refuse(parameter, "a grid of " + to_string(shape) + " cells is too large for any run: it has at most 10^15");
    }
    made_.inputs.shape = shape;
  }

  /// An array of the grid's shape in the grid's type.
  std::shared_ptr<io::Source> open_numbers(const std::string& parameter, const std::string& array,
                                           std::shared_ptr<io::Source> source) {
    check_shape(parameter, array, *source);
    source = io::convert(std::move(source), spec_.value,
                         request_.rounded == nullptr ? nullptr : request_.rounded->of(array));
    return watched(std::move(source), parameter, array);
  }

  /// Refuses NaN in an array of f32 or f64, unless the stage computes with it.
  std::shared_ptr<io::Source> watched(std::shared_ptr<io::Source> source, const std::string& parameter,
                                      const std::string& array) const {
    if (!made_.infinity) return source;
    return without_nan(std::move(source), label(parameter, array), made_.infinity);
  }

  io::DataLabel label(const std::string& parameter, const std::string& array) const {
    return {array, request_.stage.name, place_of(request_.stage, parameter)};
  }

  void check_shape(const std::string& parameter, const std::string& array, const io::Source& source) const {
    if (source.shape() == made_.inputs.shape) return;
    refuse(parameter, "'" + array + "' is " + to_string(source.shape()) + ", and the grid is " +
                          to_string(made_.inputs.shape) + ": both have one shape");
  }

  /// Adds a constant array. @return its number
  int add_array(const std::string& parameter, const std::string& array) {
    if (spec_.arrays == stencil::most_arrays) {
      refuse(parameter, "a stencil has at most " + std::to_string(stencil::most_arrays) +
                            " arrays of coefficients, source and mask included");
    }
    std::shared_ptr<io::Source> source = request_.array(array);
    refuse_letters_of(parameter, array, *source);
    made_.inputs.arrays.push_back(open_numbers(parameter, array, std::move(source)));
    return spec_.arrays++;
  }

  void refuse_letters_of(const std::string& parameter, const std::string& array, const io::Source& source) const {
    if (source.letters()) refuse(parameter, "'" + array + "' holds letters of a sequence, where numbers are wanted");
  }

  void define_terms() {
    if (operator_.shape == stencil::Shape::given) {
      list_offsets();
    } else {
      spec_.radius = static_cast<int>(settings_.integer("radius"));
      spec_.terms = stencil::terms_of(operator_.shape, operator_.rank, spec_.radius);
    }
    if (settings_.has("coefficients")) list_coefficients();
    if (settings_.has("coefficients.center")) {
      for (stencil::Term<double>& term : spec_.terms) {
        const bool centre = term.offset[0] == 0 && term.offset[1] == 0 && term.offset[2] == 0;
        term.coefficient = settings_.number(centre ? "coefficients.center" : "coefficients.neighbours");
      }
    }
  }

  void list_offsets() {
    const auto& offsets = settings_.get<std::vector<std::vector<std::int64_t>>>("offsets");
    if (offsets.empty()) refuse("offsets", "there are no offsets: give at least one");
    int reach = 0;
    for (const std::vector<std::int64_t>& offset : offsets) {
      if (static_cast<int>(offset.size()) != spec_.rank) {
        refuse("offsets", "an offset has " + counted(static_cast<std::int64_t>(offset.size()), "component") +
                              ", and the grid " + counted(spec_.rank, "dimension") + ": give one for each");
      }
      stencil::Term<double> term{};
      for (int axis = 0; axis < spec_.rank; ++axis) {
        const auto component = static_cast<int>(offset[static_cast<std::size_t>(axis)]);
        term.offset[stencil::axis_of(axis, spec_.rank)] = component;
        reach = std::max(reach, std::abs(component));
      }
      term.coefficient = 1.0 / static_cast<double>(offsets.size());
      spec_.terms.push_back(term);
    }
    spec_.radius = reach;
    if (!settings_.has("radius")) return;
    spec_.radius = static_cast<int>(settings_.integer("radius"));
    if (spec_.radius < reach) {
      refuse("radius", "the offsets reach " + std::to_string(reach) + " cells: `radius` is at least that");
    }
  }

  void list_coefficients() {
    const auto& list = settings_.get<std::vector<std::string>>("coefficients");
    if (list.size() != spec_.terms.size()) {
      refuse("coefficients",
             "`" + std::string(operator_.name) + "` has " +
                 counted(static_cast<std::int64_t>(spec_.terms.size()), "term") +
                 " here: give as many coefficients, in the order of the offsets, the centre included, "
                 "and not " +
                 std::to_string(list.size()));
    }
    std::map<std::string, int> arrays;
    for (std::size_t k = 0; k < list.size(); ++k) {
      if (const auto number = job::number_of_entry(list[k])) {
        spec_.terms[k].coefficient = *number;
        continue;
      }
      const auto [at, is_new] = arrays.try_emplace(list[k], 0);
      if (is_new) at->second = add_array("coefficients", list[k]);
      spec_.terms[k].array = at->second;
    }
  }

  void define_faces() {
    spec_.faces[1] = {Face::edge, Face::edge, 0, 0};
    spec_.faces[2] = {Face::edge, Face::edge, 0, 0};
    std::vector<std::string> axes = {operator_.own_faces ? "edge" : "fixed"};
    if (!operator_.own_faces) axes = settings_.get<std::vector<std::string>>("boundary");
    if (axes.size() != 1 && static_cast<int>(axes.size()) != spec_.rank) {
      refuse("boundary", "`boundary` has " + std::to_string(axes.size()) + " entries, and the grid " +
                             counted(spec_.rank, "dimension") + ": give one for all, or one a dimension");
    }
    for (int axis = 0; axis < spec_.rank; ++axis) {
      const auto at = static_cast<std::size_t>(stencil::axis_of(axis, spec_.rank));
      spec_.faces[at] = faces_from(axes[axes.size() == 1 ? 0 : static_cast<std::size_t>(axis)]);
    }
  }

  void check_extents() const {
    for (int axis = 0; axis < spec_.rank; ++axis) {
      check_extent(axis, spec_.faces[static_cast<std::size_t>(stencil::axis_of(axis, spec_.rank))]);
    }
  }

  /// @param text "FACE" or "LOW HIGH"
  static Faces faces_from(const std::string& text) {
    std::istringstream words(text);
    std::string low, high;
    words >> low;
    if (!(words >> high)) high = low;
    Faces faces;
    faces.low = face_from(low, faces.low_value);
    faces.high = face_from(high, faces.high_value);
    return faces;
  }

  static Face face_from(const std::string& word, double& value) {
    constexpr std::string_view given = "value=";
    if (word.starts_with(given)) {
      value = std::strtod(word.c_str() + given.size(), nullptr);
      return Face::value;
    }
    if (word == "periodic") return Face::periodic;
    if (word == "edge") return Face::edge;
    if (word == "reflect") return Face::reflect;
    if (word == "symmetric") return Face::symmetric;
    return Face::fixed;
  }

  /// A grid with an axis that is too thin for its faces is refused.
  void check_extent(int axis, const Faces& faces) const {
    const std::int64_t extent = made_.inputs.shape[axis];
    const bool fixed = faces.low == Face::fixed && faces.high == Face::fixed;
    if (fixed || operator_.own_faces || extent > spec_.radius || made_.inputs.shape.rank() == 0) return;
    bool empty = false;
    for (int other = 0; other < spec_.rank; ++other) empty |= made_.inputs.shape[other] == 0;
    if (empty) return;
    refuse("boundary", "axis " + std::to_string(axis) + " of the grid has " + counted(extent, "cell") +
                           ", and the stencil reaches " + std::to_string(spec_.radius) +
                           ": a face that is not `fixed` needs more cells than that");
  }

  void define_arrays() {
    for (const std::string& name : settings_.names("arrays")) {
      add_array("arrays." + name, settings_.text("arrays." + name));
    }
    for (const char* parameter : {"diffusivity", "speed"}) {
      if (!settings_.holds<std::string>(parameter)) continue;
      spec_.given[parameter] = add_array(parameter, settings_.text(parameter));
      std::shared_ptr<io::Source>& array = made_.inputs.arrays.back();
      const auto range = std::make_shared<ReadRange>();
      array = with_range(std::move(array), range);
      watch_stability(parameter, range);
    }
    if (settings_.has("power")) spec_.given["power"] = add_array("power", settings_.text("power"));
    if (settings_.has("source")) spec_.source = add_array("source", settings_.text("source"));
    if (settings_.has("mask")) add_mask();
    if (settings_.has("drive")) add_series("drive", settings_.integer("steps"));
  }

  void add_mask() {
    const std::string& array = settings_.text("mask");
    std::shared_ptr<io::Source> source = request_.array(array);
    refuse_letters_of("mask", array, *source);
    check_shape("mask", array, *source);
    if (spec_.arrays == stencil::most_arrays) {
      refuse("mask", "a stencil has at most " + std::to_string(stencil::most_arrays) + " arrays, this one included");
    }
    made_.inputs.arrays.push_back(as_mask(std::move(source), spec_.value, label("mask", array)));
    spec_.mask = spec_.arrays++;
  }

  /// Appends the values of an array of one dimension, one a step.
  void add_series(const std::string& parameter, std::int64_t steps) {
    const std::string& array = settings_.text(parameter);
    std::shared_ptr<io::Source> source = request_.array(array);
    refuse_letters_of(parameter, array, *source);
    constexpr std::int64_t most_steps = std::int64_t{1} << 26;
    if (source->shape().rank() != 1 || source->shape()[0] < steps) {
      refuse(parameter, "'" + array + "' is " + to_string(source->shape()) +
                            ": one dimension, a value a step, is wanted, " + "and there are " +
                            counted(steps, "step"));
    }
    if (steps > most_steps) refuse("steps", "with values a step there are at most 2^26 steps");
    const std::size_t before = spec_.drive.size();
    spec_.drive.resize(before + static_cast<std::size_t>(steps));
    if (steps == 0) return;
    const auto checked = watched(io::convert(std::move(source), ElementType::f64), parameter, array);
    read_values(request_.stage, parameter, [&] { checked->read({{0}, {steps}}, spec_.drive.data() + before); });
  }

  /// The cells that the job writes.
  void define_formulas() {
    const stencil::WrittenText text = formulas_of(request_.stage, made_.inputs.names);
    for (const std::string& name : text.series) add_series("series." + name, text.steps);
    spec_.written = written_formulas(request_.stage, text, spec_);
    spec_.radius = stencil::radius_of(*spec_.written);
  }

  void define_schedule() {
    spec_.schedule = stencil::schedule_from(settings_.text("schedule"));
    if (spec_.schedule == stencil::Schedule::plain) spec_.depth = 1;
    if (settings_.has("tile")) {
      if (spec_.schedule != stencil::Schedule::time_skewed) {
        refuse("tile", "tiles are chosen for `schedule: time_skewed` alone");
      }
      spec_.tile = stencil::skewed_tile_from(settings_.text("tile"));
    }
    if (const auto fault = stencil::schedule_fault(spec_)) {
      refuse(settings_.has(fault->parameter) ? fault->parameter : "schedule", fault->why);
    }
    // The schedules of tiles know sums in the order of the offsets alone.
    const bool any_sum = spec_.schedule == stencil::Schedule::automatic || spec_.schedule == stencil::Schedule::plain;
    made_.separable = settings_.text("arithmetic") == "fast" && any_sum && stencil::separated(spec_);
  }

  void define_events() {
    made_.events.steps = settings_.integer("steps");
    define_snapshots();
    if (settings_.has("until.residual")) {
      made_.events.check_every = settings_.integer("until.every");
      made_.check.residual = settings_.number("until.residual");
      made_.check.norm = settings_.text("until.norm") == "l2" ? stencil::Norm::l2 : stencil::Norm::max;
      spec_.norm = made_.check.norm;
      if (made_.events.check_every > made_.events.steps) {
        warn("until.residual", "`until` is never checked: there are " + counted(made_.events.steps, "step") +
                                   ", and a check after every " + std::to_string(made_.events.check_every));
      }
    }
    constexpr double most_events = 1e6;
    if (count_events(made_.events) > most_events) {
      refuse(settings_.has("snapshots.every") ? "snapshots.every" : "steps",
             "there are more than 10^6 snapshots and checks: ask for fewer");
    }
  }

  void define_snapshots() {
    auto& snapshots = made_.events.snapshots;
    const std::int64_t steps = made_.events.steps;
    if (settings_.has("snapshots.every")) {
      const std::int64_t every = settings_.integer("snapshots.every");
      constexpr std::int64_t most = 1000000;
      if (steps / every > most) refuse("snapshots.every", "there are more than 10^6 snapshots: ask for fewer");
      for (std::int64_t step = every; step <= steps; step += every) snapshots.push_back(step);
      if (snapshots.empty()) {
        warn("snapshots.every", "there are no snapshots: there are " + counted(steps, "step") +
                                    ", and the first one " + "would be after " + std::to_string(every));
      }
    } else if (settings_.has("snapshots")) {
      snapshots = settings_.get<std::vector<std::int64_t>>("snapshots");
      for (std::size_t i = 0; i < snapshots.size(); ++i) {
        if (snapshots[i] > steps) {
          refuse("snapshots", "a snapshot is asked for at step " + std::to_string(snapshots[i]) + ", and there are " +
                                  counted(steps, "step"));
        }
        if (i > 0 && snapshots[i] <= snapshots[i - 1]) {
          refuse("snapshots", "the steps of snapshots ascend, and " + std::to_string(snapshots[i]) + " comes after " +
                                  std::to_string(snapshots[i - 1]));
        }
      }
    }
  }

  /// Warns of a step that is too long for the explicit scheme, if its numbers are in the job.
  void check_stability() {
    if (!settings_.has("dt")) return;
    for (const std::string parameter : {"diffusivity", "speed"}) {
      if (!settings_.holds<double>(parameter)) continue;
      const double courant = courant_factor(parameter) * std::abs(settings_.number(parameter));
      if (courant > 1) made_.warnings.push_back(unstable(request_.stage, courant, ""));
    }
  }

  /// Makes the same warning by the values of an array, when they have been read, and one of a negative diffusivity.
  void watch_stability(const std::string& parameter, std::shared_ptr<const ReadRange> range) {
    made_.read_warnings = [stage = request_.stage, parameter, factor = courant_factor(parameter),
                           range = std::move(range)] {
      std::vector<std::string> warnings;
      const double least = range->least(), largest = std::max(-least, range->most());
      if (least < 0 && parameter == "diffusivity") warnings.push_back(negative(stage, parameter, least));
      if (const double courant = factor * largest; courant > 1) {
        std::ostringstream where;
        where << " where `" << parameter << "` is largest, " << largest;
        warnings.push_back(unstable(stage, courant, where.str()));
      }
      return warnings;
    };
  }

  static std::string negative(const job::Stage& stage, const std::string& parameter, double least) {
    std::ostringstream text;
    text << "stage '" << stage.name << "': `" << parameter << "` is negative in places, the least value is " << least
         << ": the grid grows there without bound";
    return message_at(place_of(stage, parameter), text.str());
  }

  /// The Courant number of the step over the magnitude of the parameter.
  double courant_factor(const std::string& parameter) const {
    const double dt = settings_.number("dt");
    return parameter == "speed" ? dt * std::sqrt(spec_.rank) : 2 * spec_.rank * dt;
  }

  static std::string unstable(const job::Stage& stage, double courant, const std::string& where) {
    std::ostringstream text;
    text << "stage '" << stage.name << "': the step is not stable: its Courant number is " << courant << where
         << ", and at most 1 is; the largest stable `dt` is " << text_at_most(stage.settings.number("dt") / courant);
    return message_at(place_of(stage, "dt"), text.str());
  }

  /// The largest number of six digits that is not above a positive one.
  static std::string text_at_most(double number) {
    const auto text_of = [](double value) {
      std::ostringstream text;
      text << value;
      return text.str();
    };
    std::string text = text_of(number);
    for (double below = number; std::strtod(text.c_str(), nullptr) > number;) text = text_of(below *= 1 - 5e-7);
    return text;
  }

  void warn(const std::string& parameter, const std::string& what) {
    made_.warnings.push_back(
        message_at(place_of(request_.stage, parameter), "stage '" + request_.stage.name + "': " + what));
  }

  /// Refuses numbers of the job that f32 does not hold.
  void check_numbers() const {
    if (spec_.value != ElementType::f32) return;
    const auto check = [&](const std::string& parameter, double number) {
      const auto rounded = static_cast<double>(static_cast<float>(number));
      if (std::isfinite(rounded) && (rounded != 0 || number == 0)) return;
      std::ostringstream text;
      text << number << " is too " << (rounded == 0 ? "small" : "large") << " for f32, the type of the cells: say "
           << "`type: f64`";
      refuse(parameter, text.str());
    };
    for (const char* parameter : {"dt", "diffusivity", "speed"}) {
      if (settings_.holds<double>(parameter)) check(parameter, settings_.number(parameter));
    }
    const bool pair = settings_.has("coefficients.center");
    for (const stencil::Term<double>& term : spec_.terms) {
      if (term.array < 0) check(pair ? "coefficients.center" : "coefficients", term.coefficient);
    }
    for (const Faces& faces : spec_.faces) {
      check("boundary", faces.low_value);
      check("boundary", faces.high_value);
    }
  }

  const Request& request_;
  const Settings& settings_;
  const OperatorInfo& operator_;
  StencilDefinition made_;
  StencilSpec& spec_;
};

}  // namespace

std::string field_parameter(std::size_t fields, const std::string& name) {
  return fields == 1 ? "grid" : "fields." + name;
}

void take_separable(StencilSpec& spec) {
  spec.terms = stencil::separated(spec).value();
  spec.separable = true;
}

StencilDefinition define_stencil(const Request& request) { return Definer(request).define(); }

}  // namespace terrace::stages
