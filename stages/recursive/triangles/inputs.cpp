#include "stages/recursive/triangles/inputs.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "io/convert.hpp"
#include "io/memory_source.hpp"
#include "kernels/recursive/interval_rules.hpp"
#include "pipeline/base/error.hpp"
#include "stages/recursive/triangles/convex.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

// Represents each whole number of up to 64 bits exactly, and sums below that.
using Number = long double;

std::shared_ptr<io::Source> open_vector(const Request& request, const char* parameter) {
  const std::string& name = request.stage.settings.text(parameter);
  std::shared_ptr<io::Source> source = request.array(name);
  if (source->shape().rank() != 1) {
    refuse(request.stage, parameter,
           "'" + name + "' is " + to_string(source->shape()) + "; give numbers in one dimension");
  }
  constexpr std::int64_t most = 1 << 24;
  if (source->shape()[0] > most) {
    refuse(request.stage, parameter, "'" + name + "' has more than 2^24 elements, which no disk holds the table of");
  }
  return source;
}

/// Numbers that are neither negative nor infinite.
std::vector<Number> read_numbers(const Request& request, const char* parameter, IntervalInputs& inputs) {
  const std::shared_ptr<io::Source> source = open_vector(request, parameter);
  refuse_letters(request, parameter, *source);
  std::vector<Number> numbers(static_cast<std::size_t>(source->shape()[0]));
  dispatch(source->type(), [&](auto value) {
    using T = decltype(value);
    std::vector<T> values(numbers.size());
    read_values(request.stage, parameter, [&] {
      if (!values.empty()) source->read(Box::whole(source->shape()), values.data());
    });
    std::copy(values.begin(), values.end(), numbers.begin());
  });
  inputs.whole &= !is_floating(source->type());
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    const Number number = numbers[n];
    const char* fault = std::isnan(number)   ? "is no number (NaN)"
                        : std::isinf(number) ? "is infinite"
                        : number < 0         ? "is negative"
                                             : nullptr;
    if (fault != nullptr) {
      read_values(request.stage, parameter, [&] {
        label_of(request.stage, parameter)
            .fail(*source, {static_cast<std::int64_t>(n)},
                  std::string(fault) + "; give finite numbers that are not negative");
      });
    }
    inputs.fractions |= number != std::floor(number);
  }
  const auto files = source->files();
  inputs.files.insert(inputs.files.end(), files.begin(), files.end());
  return numbers;
}

Number largest_of(const std::vector<Number>& numbers) {
  return numbers.empty() ? 0 : *std::max_element(numbers.begin(), numbers.end());
}

/// A chain of m items has m - 1 products, none larger than the cube of the largest size.
IntervalInputs read_chain(const Request& request, const char* parameter) {
  IntervalInputs inputs;
  inputs.first = read_numbers(request, parameter, inputs);
  if (inputs.first.empty()) {
    refuse(request.stage, parameter,
           "'" + request.stage.settings.text(parameter) + "' is empty; give at least one number");
  }
  inputs.nodes = static_cast<std::int64_t>(inputs.first.size());
  const Number size = largest_of(inputs.first);
  inputs.largest = static_cast<Number>(inputs.nodes) * size * size * size;
  return inputs;
}

/// Refuses points that are no convex polygon: a triangle of theirs may lie outside of it, and count.
void check_convex(const Request& request, const io::Source& source, const IntervalInputs& inputs) {
  const Number roundoff = source.type() == ElementType::f32 ? 0x1p-24L : 0x1p-53L;
  const std::optional<PolygonFault> fault = polygon_fault(inputs.first, inputs.second, roundoff);
  if (!fault) return;
  read_values(request.stage, "vertices", [&] {
    label_of(request.stage, "vertices").fail(source, {fault->vertex, 0}, fault->what);
  });
}

/// Triangulations of n points have less than 6 n sides, none longer than the extents of the points together.
IntervalInputs read_points(const Request& request, const std::shared_ptr<io::Source>& source) {
  const std::string& name = request.stage.settings.text("vertices");
  if (source->shape()[0] == 0 || source->shape()[1] != 2) {
    refuse(request.stage, "vertices",
           "'" + name + "' is " + to_string(source->shape()) + "; give numbers, or points as vertices x 2");
  }
  IntervalInputs inputs;
  inputs.nodes = source->shape()[0];
  inputs.points = true;
  inputs.whole = false;
  inputs.fractions = true;
  inputs.files = source->files();
  std::vector<double> values(2 * static_cast<std::size_t>(inputs.nodes));
  const std::shared_ptr<io::Source> numbers = io::convert(source, ElementType::f64);
  read_values(request.stage, "vertices", [&] { numbers->read(Box::whole(source->shape()), values.data()); });
  Number extent = 0;
  for (std::size_t n = 0; n < values.size(); ++n) {
    if (!std::isfinite(values[n])) {
      const auto at = static_cast<std::int64_t>(n);
      read_values(request.stage, "vertices", [&] {
        label_of(request.stage, "vertices")
            .fail(*source, {at / 2, at % 2},
                  std::string(std::isnan(values[n]) ? "is no number (NaN)" : "is infinite") +
                      "; give finite coordinates");
      });
    }
    (n % 2 == 0 ? inputs.first : inputs.second).push_back(values[n]);
    extent = std::max(extent, std::abs(static_cast<Number>(values[n])));
  }
  check_convex(request, *source, inputs);
  // Distances are roots of sums of squares, which must not leave the type.
  inputs.largest = 8 * extent * std::max<Number>(extent, 6 * static_cast<Number>(inputs.nodes));
  return inputs;
}

/// Every key and gap lies in at most one tree of each level.
IntervalInputs read_search_tree(const Request& request) {
  IntervalInputs inputs;
  const std::vector<Number> keys = read_numbers(request, "keys", inputs);
  std::vector<Number> gaps(keys.size() + 1);
  if (request.stage.settings.has("gaps")) gaps = read_numbers(request, "gaps", inputs);
  if (gaps.size() != keys.size() + 1) {
    refuse(request.stage, "gaps",
           "'" + request.stage.settings.text("gaps") + "' has " + std::to_string(gaps.size()) + " elements, and '" +
               request.stage.settings.text("keys") + "' " + std::to_string(keys.size()) +
               "; there is a gap before the first key, between two, and behind the last one");
  }
  inputs.nodes = static_cast<std::int64_t>(gaps.size()) + 1;
  Number sum = 0;
  for (std::size_t node = 0; node <= gaps.size(); ++node) {
    inputs.first.push_back(sum);
    if (node > 0 && node <= keys.size()) sum += keys[node - 1];
    inputs.second.push_back(sum);
    if (node < gaps.size()) sum += gaps[node];
  }
  inputs.leaf = gaps;
  inputs.largest = sum * static_cast<Number>(inputs.nodes);
  return inputs;
}

IntervalInputs read_polygon(const Request& request) {
  const std::shared_ptr<io::Source> source = request.array(request.stage.settings.text("vertices"));
  return source->shape().rank() == 2 ? read_points(request, source) : read_chain(request, "vertices");
}

/// The code of each letter; bases that are not known pair with nothing.
std::array<std::int16_t, 256> base_codes() {
  std::array<std::int16_t, 256> codes;
  codes.fill(-1);
  const auto set = [&](char letter, int code) {
    codes[static_cast<unsigned char>(letter)] = static_cast<std::int16_t>(code);
    codes[static_cast<unsigned char>(letter - 'A' + 'a')] = static_cast<std::int16_t>(code);
  };
  for (const char letter : std::string("NRYSWKMBDHV")) set(letter, 0);
  set('A', recursive::base_a);
  set('C', recursive::base_c);
  set('G', recursive::base_g);
  set('U', recursive::base_u);
  set('T', recursive::base_u);
  return codes;
}

IntervalInputs read_sequence(const Request& request) {
  IntervalInputs inputs;
  const std::string& name = request.stage.settings.text("sequence");
  std::shared_ptr<io::Source> source = open_vector(request, "sequence");
  if (source->type() != ElementType::u8) {
    refuse(request.stage, "sequence",
           "'" + name + "' is an array of " + std::string(name_of(source->type())) +
               "; a sequence is one of letters (u8), as from a FASTA file");
  }
  source = io::translate(std::move(source), base_codes(), label_of(request.stage, "sequence"), [](unsigned char) {
    return "is no base of RNA (A, C, G, U or T, and the IUPAC codes, which pair with nothing)";
  });
  std::vector<std::uint8_t> codes(static_cast<std::size_t>(source->shape()[0]));
  read_values(request.stage, "sequence", [&] {
    if (!codes.empty()) source->read(Box::whole(source->shape()), codes.data());
  });
  inputs.first.assign(codes.begin(), codes.end());
  inputs.nodes = source->shape()[0] + 1;
  inputs.largest = static_cast<Number>(codes.size() / 2 + 1);
  inputs.files = source->files();
  return inputs;
}

bool holds(ElementType type, const IntervalInputs& inputs) {
  if (type == ElementType::f64) {
    return inputs.whole ? inputs.largest <= 0x1p53L : inputs.largest < 0x1p1022L;
  }
  if (inputs.fractions) return false;
  const auto bits = static_cast<int>(8 * size_of(type) - 2);  // twice the infinity of the algebra fits
  return inputs.largest < std::ldexp(Number(1), bits) - 1;
}

}  // namespace

IntervalInputs read_intervals(const Request& request) {
  const std::string& problem = request.stage.problem;
  IntervalInputs inputs = problem == "nussinov"       ? read_sequence(request)
                          : problem == "optimal_bst"  ? read_search_tree(request)
                          : problem == "matrix_chain" ? read_chain(request, "dimensions")
                                                      : read_polygon(request);
  for (auto* terms : {&inputs.first, &inputs.second, &inputs.leaf}) {
    terms->resize(static_cast<std::size_t>(inputs.nodes));
  }
  return inputs;
}

ElementType interval_type(const Request& request, const IntervalInputs& inputs) {
  const std::string& wanted = request.stage.settings.text("type");
  std::vector<ElementType> types = {ElementType::i32, ElementType::f64, ElementType::i64};
  if (request.stage.problem == "nussinov") types = {ElementType::i16, ElementType::i32};
  else if (!inputs.whole) types = {ElementType::f64};
  const auto found = std::find_if(types.begin(), types.end(), [&](ElementType type) { return holds(type, inputs); });
  if (wanted == "auto" && found != types.end()) return *found;
  if (wanted != "auto" && holds(*element_type_from(wanted), inputs)) return *element_type_from(wanted);
  const std::string advice = found != types.end() ? "say `type: " + std::string(name_of(*found)) + "`"
                             : inputs.whole       ? "divide the numbers by a common factor, or give them as f64, "
                                                    "with results that are rounded"
                                                  : "divide the numbers by a constant";
  const bool fractions = inputs.fractions && wanted != "auto" && wanted != "f64";
  refuse(request.stage, "type",
         fractions ? "there are numbers that are not whole: " + advice
                   : "costs may leave " + (wanted == "auto" ? "every type that is exact" : wanted) + ": " + advice);
}

std::shared_ptr<io::Source> interval_terms(const IntervalInputs& inputs, ElementType type) {
  std::vector<std::byte> bytes(3 * static_cast<std::size_t>(inputs.nodes) * size_of(type));
  dispatch(type, [&](auto value) {
    using T = decltype(value);
    std::vector<T> values;
    for (const auto* terms : {&inputs.first, &inputs.second, &inputs.leaf}) {
      for (const Number term : *terms) values.push_back(static_cast<T>(term));
    }
    std::memcpy(bytes.data(), values.data(), bytes.size());
  });
  return std::make_shared<io::MemorySource>(type, Extents{3, inputs.nodes}, std::move(bytes), inputs.files);
}

}  // namespace terrace::stages
