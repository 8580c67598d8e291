// The input kind `generate`: arrays that are computed. Nothing is held in memory: any box is made alone, by any
// thread, the same on every machine.
#include <algorithm>
#include <cmath>
#include <limits>

#include "io/files/box_runs.hpp"
#include "io/input_file.hpp"
#include "io/inputs/mutated.hpp"
#include "io/inputs/numbers.hpp"
#include "io/item_set.hpp"
#include "io/kept_memory.hpp"
#include "io/kinds.hpp"
#include "io/random.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

constexpr Parameter generate_parameters[] = {
    {"generate", ParameterKind::choice, "what to make", nullptr, "dna, uniform, constant, ramp"},
    {"shape", ParameterKind::integers, "extents, slowest first (all but dna)", "", nullptr, 0},
    {"type", ParameterKind::type, "element type, f64 where absent (all but dna)", ""},
    {"length", ParameterKind::count, "letters (dna)", "", nullptr, 0},
    {"seed", ParameterKind::integer, "another seed gives other random values; 0 where absent (dna, uniform)", ""},
    {"minimum", ParameterKind::number, "least value; 0 where absent (uniform)", ""},
    {"maximum", ParameterKind::number,
     "largest value of integers, 99 where absent; end of floating point, never reached, 1 where absent (uniform)",
     ""},
    {"value", ParameterKind::number, "the value (constant)", ""},
    {"start", ParameterKind::number, "the first value; 0 where absent (ramp)", ""},
    {"step", ParameterKind::number, "from an element to the next, row-major; 1 where absent (ramp)", ""},
    {"mutate.of", ParameterKind::array, "the input to mutate, in place of a length (dna)", ""},
    {"mutate.rate", ParameterKind::number, "share of the letters to mutate (dna)", "", nullptr, 0, 1},
};

/// Makes the `count` elements from the flat index `first` on.
using Fill = std::function<void(std::int64_t first, std::int64_t count, void* out)>;

/// The function that makes an array, and its range by the settings; nullopt for letters.
struct Recipe {
  Fill fill;
  std::optional<KnownRange> range = std::nullopt;
};

class GeneratedSource : public Source {
 public:
  GeneratedSource(ElementType type, const Extents& shape, Recipe recipe)
      : type_(type), shape_(shape), fill_(std::move(recipe.fill)), range_(std::move(recipe.range)) {}

  ElementType type() const override { return type_; }
  const Extents& shape() const override { return shape_; }
  std::optional<KnownRange> known_range() const override { return range_; }
  void read(const Box& box, void* buffer) override {
    const BoxRuns runs(shape_, 1, box);
    const std::int64_t bytes = runs.run_bytes() * static_cast<std::int64_t>(size_of(type_));
    for (std::int64_t run = 0; run < runs.count(); ++run) {
      fill_(runs.offset(run), runs.run_bytes(), static_cast<char*>(buffer) + run * bytes);
    }
  }

 private:
  ElementType type_;
  Extents shape_;
  Fill fill_;
  std::optional<KnownRange> range_;
};

/// @param ends  the least and the largest value that can be, in any order
/// @param exact whether both are elements
template <class T>
KnownRange range_between(T one, T other, bool exact) {
  const auto [least, most] = std::minmax(one, other);
  return {static_cast<long double>(least), static_cast<long double>(most), {}, false, exact, "`generate`"};
}

template <class T, class ValueAt>
Fill fill_with(ValueAt value_at) {
  return [value_at](std::int64_t first, std::int64_t count, void* out) {
    for (std::int64_t i = 0; i < count; ++i) static_cast<T*>(out)[i] = value_at(first + i);
  };
}

/// A number of the job as an element: whole and in range for integers.
template <class T>
T element(const Settings& settings, const std::string& key, double fallback) {
  const double value = settings.find<double>(key).value_or(fallback);
  const std::string shown = key + ": " + format_number(value);
  if constexpr (std::is_integral_v<T>) {
    // A double holds whole numbers only up to 2^53.
    const double low = std::max(-0x1p53, static_cast<double>(std::numeric_limits<T>::min()));
    const double high = std::min(0x1p53, static_cast<double>(std::numeric_limits<T>::max()));
    if (!(value >= low && value <= high) || value != std::floor(value)) {
      fail_setting(
          settings, key,
          shown + " is no " + std::string(name_of(element_type_of<T>())) + " (whole, and at most 2^53 from 0)");
    }
  } else if (!(std::abs(value) <= static_cast<double>(std::numeric_limits<T>::max()))) {
    fail_setting(settings, key, shown + " does not fit " + std::string(name_of(element_type_of<T>())));
  }
  return static_cast<T>(value);
}

std::int64_t seed_of(const Settings& settings) { return settings.find<std::int64_t>("seed").value_or(0); }

/// Real numbers from `from` on, less than `width` more, at most `last`.
template <class T>
struct UniformReals {
  Random random;
  double from, width;
  T last;

  /// One rounding, asked for by name, so that no compiler's choice changes a bit.
  [[gnu::always_inline]] void fill(std::int64_t first, std::int64_t count, T* out) const {
    for (std::int64_t i = 0; i < count; ++i) {
      out[i] = std::min(last, static_cast<T>(std::fma(random.fraction(first + i), width, from)));
    }
  }
};

template <class T>
void fill_reals(const UniformReals<T>& reals, std::int64_t first, std::int64_t count, T* out) {
  reals.fill(first, count, out);
}

#ifdef __x86_64__
/// The same where the processor multiplies and adds at once, which takes a sixth of the time.
template <class T>
[[gnu::target("avx512f,avx512dq,avx512vl,fma")]] void fill_reals_avx512(const UniformReals<T>& reals,
                                                                        std::int64_t first, std::int64_t count,
                                                                        T* out) {
  reals.fill(first, count, out);
}
template <class T>
[[gnu::target("avx2,fma")]] void fill_reals_avx2(const UniformReals<T>& reals, std::int64_t first, std::int64_t count,
                                                 T* out) {
  reals.fill(first, count, out);
}
#endif

template <class T>
Fill fill_with_reals(const UniformReals<T>& reals) {
  auto fill = fill_reals<T>;
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    fill = fill_reals_avx512<T>;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    fill = fill_reals_avx2<T>;
  }
#endif
  return [=](std::int64_t first, std::int64_t count, void* out) { fill(reals, first, count, static_cast<T*>(out)); };
}

template <class T>
Recipe uniform(const Settings& settings, const Extents&) {
  const T minimum = element<T>(settings, "minimum", 0);
  const T maximum = element<T>(settings, "maximum", std::is_integral_v<T> ? 99 : 1);
  const bool endless = std::isinf(static_cast<double>(maximum) - static_cast<double>(minimum));
  if (maximum < minimum || endless) {
    fail_setting(settings, settings.has("minimum") ? "minimum" : "maximum",
                 endless ? "minimum: lies too far below the maximum" : "minimum: is larger than the maximum");
  }
  const Random random(seed_of(settings), RandomStream::values);
  if constexpr (std::is_integral_v<T>) {
    const std::uint64_t count = static_cast<std::uint64_t>(maximum) - static_cast<std::uint64_t>(minimum) + 1;
    return {fill_with<T>([=](std::int64_t i) {
              return static_cast<T>(static_cast<std::uint64_t>(minimum) + random.below(count, i));
            }),
            range_between(minimum, maximum, false)};
  } else {
    const double from = minimum, width = static_cast<double>(maximum) - static_cast<double>(minimum);
    const T last = minimum == maximum ? minimum : std::nextafter(maximum, minimum);
    return {fill_with_reals<T>({random, from, width, last}), range_between(minimum, last, false)};
  }
}

template <class T>
Recipe constant(const Settings& settings, const Extents& shape) {
  if (!settings.has("value")) fail_setting(settings, "generate", "value: is missing; a constant needs it");
  const T value = element<T>(settings, "value", 0);
  return {fill_with<T>([=](std::int64_t) { return value; }), range_between(value, value, volume(shape) > 0)};
}

template <class T>
Recipe ramp(const Settings& settings, const Extents& shape) {
  const std::int64_t steps = std::max<std::int64_t>(volume(shape) - 1, 0);
  const bool exact = volume(shape) > 0;
  if constexpr (std::is_integral_v<T>) {
    const auto start = element<T>(settings, "start", 0);
    const auto step = element<std::int64_t>(settings, "step", 1);
    T last = start;
    std::int64_t rise = 0;
    if (__builtin_mul_overflow(step, steps, &rise) || __builtin_add_overflow(start, rise, &last)) {
      fail_setting(settings, settings.has("step") ? "step" : "generate",
                   "step: the ramp's last value does not fit " + std::string(name_of(element_type_of<T>())));
    }
    return {fill_with<T>([=](std::int64_t i) {
              return static_cast<T>(static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(step * i));
            }),
            range_between(start, last, exact)};
  } else {
    const double start = element<T>(settings, "start", 0), step = element<T>(settings, "step", 1);
    const auto value_at = [=](std::int64_t i) {
      return static_cast<T>(std::fma(step, static_cast<double>(i), start));
    };
    return {fill_with<T>(value_at), range_between(value_at(0), value_at(steps), exact)};
  }
}

class GeneratedLetters : public GeneratedSource {
 public:
  GeneratedLetters(const Extents& shape, Fill fill) : GeneratedSource(ElementType::u8, shape, {std::move(fill)}) {}
  bool letters() const override { return true; }
};

/// 32 letters from 64 random bits, the lowest two first.
Fill random_letters(const Random& random) {
  return [random](std::int64_t first, std::int64_t count, void* out) {
    std::uint64_t bits = 0;
    for (std::int64_t i = first; i < first + count; ++i, bits >>= 2) {
      if (i == first || i % 32 == 0) bits = random.bits(i / 32) >> (2 * (i % 32));
      static_cast<char*>(out)[i - first] = "ACGT"[bits & 3];
    }
  };
}

std::shared_ptr<Source> random_dna(const Settings& settings, const OpenContext&) {
  if (!settings.has("length")) fail_setting(settings, "generate", "length: is missing; dna needs it, or 'mutate'");
  const std::int64_t length = settings.integer("length");
  if (length < 0) fail_setting(settings, "length", "length: is negative");
  if (length > most_elements) {
    fail_setting(settings, "length",
                 "length: " + std::to_string(length) + " letters are more than any machine holds");
  }
  const Random random(seed_of(settings), RandomStream::letters);
  return std::make_shared<GeneratedLetters>(Extents{length}, random_letters(random));
}

std::shared_ptr<Source> mutated_dna(const Settings& settings, const OpenContext& context) {
  if (!settings.has("mutate.of") || !settings.has("mutate.rate")) {
    fail_setting(settings, "generate", "mutate: needs both 'of' (an input) and 'rate' (a share of the letters)");
  }
  if (settings.has("length")) {
    fail_setting(settings, "length", "length: what is mutated has a length of its own; leave this out");
  }
  const double rate = settings.number("mutate.rate");
  if (!(rate >= 0 && rate <= 1)) fail_setting(settings, "mutate.rate", "mutate.rate: must lie between 0 and 1");
  auto original = context.input(settings.text("mutate.of"));
  if (original->type() != ElementType::u8 || original->shape().rank() != 1) {
    fail_setting(
        settings, "mutate.of",
        "mutate.of: '" + settings.text("mutate.of") + "' is no sequence: one dimension of letters (u8) is wanted");
  }
  if (const auto items = original->items()) {
    fail_setting(settings, "mutate.of",
                 "mutate.of: '" + settings.text("mutate.of") + "' is a set of " + counted(items->count(), "item") +
                     ", and one sequence is mutated: `record: NAME` in place of `records: all` takes one");
  }
  // To run, all of them are looked at once, to know where each block of the mutant begins.
  constexpr std::int64_t most = std::int64_t{1} << 40;
  if (original->shape()[0] > most) {
    fail_setting(settings, "mutate.of",
                 "mutate.of: '" + settings.text("mutate.of") + "' has " + std::to_string(original->shape()[0]) +
                     " letters; at most " + std::to_string(most) + " can be mutated");
  }
  kept_check(settings, "mutate.of", context)(mutated_memory(original->shape()[0]));
  return mutated(std::move(original), rate, seed_of(settings),
                 context.to_run ? MutantLength::counted : MutantLength::expected);
}

std::shared_ptr<Source> array(const Settings& settings, const std::string& kind) {
  if (!settings.has("shape")) fail_setting(settings, "generate", "shape: is missing; " + kind + " needs it");
  const Extents shape = shape_setting(settings, "shape");
  const ElementType type = type_setting(settings, "type").value_or(ElementType::f64);
  return dispatch(type, [&](auto zero) -> std::shared_ptr<Source> {
    using T = decltype(zero);
    const auto make = kind == "uniform" ? uniform<T> : kind == "constant" ? constant<T> : ramp<T>;
    return std::make_shared<GeneratedSource>(type, shape, make(settings, shape));
  });
}

struct Generator {
  const char* name;
  std::vector<std::string> keys;
};

void check_keys(const Settings& settings, const std::string& kind) {
  static const std::vector<Generator> generators{{"dna", {"length", "seed", "mutate.of", "mutate.rate"}},
                                                 {"uniform", {"shape", "type", "seed", "minimum", "maximum"}},
                                                 {"constant", {"shape", "type", "value"}},
                                                 {"ramp", {"shape", "type", "start", "step"}}};
  const auto known = std::find_if(generators.begin(), generators.end(), [&](auto& g) { return g.name == kind; });
  if (known == generators.end()) {
    fail_setting(settings, "generate",
                 "generate: there is no '" + kind + "'; there are dna, uniform, constant, ramp" +
                     did_you_mean(kind, {"dna", "uniform", "constant", "ramp"}));
  }
  for (const Parameter& parameter : std::span(generate_parameters).subspan(1)) {
    const bool taken = std::find(known->keys.begin(), known->keys.end(), parameter.name) != known->keys.end();
    if (taken || !settings.has(parameter.name)) continue;
    fail_setting(
        settings, parameter.name,
        std::string(parameter.name) + ": '" + kind + "' does not take it; it takes " + quote_names(known->keys));
  }
}

std::shared_ptr<Source> open_generate(const Settings& settings, const OpenContext& context) {
  const std::string kind = settings.text("generate");
  check_keys(settings, kind);
  if (kind != "dna") return array(settings, kind);
  const bool mutate = settings.has("mutate.of") || settings.has("mutate.rate");
  return mutate ? mutated_dna(settings, context) : random_dna(settings, context);
}

}  // namespace

InputKind generate_kind() {
  return {"generate", "an array that is computed", generate_parameters, open_generate,
          "{generate: dna, length: 1000, seed: 7}\n"
          "{generate: uniform, shape: [20, 30], type: i32, minimum: -5, maximum: 5}\n"
          "{generate: ramp, shape: [20, 30], start: 1, step: 0.5}\n"
          "{generate: constant, shape: [20, 30], value: 1}\n"
          "{generate: dna, mutate: {of: reference, rate: 0.1}}"};
}

}  // namespace terrace::io
