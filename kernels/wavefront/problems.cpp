#include "kernels/wavefront/problems.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/problem_list.hpp"

namespace terrace::wavefront {
namespace {

struct Table {
  std::array<ProblemInfo, Problems::size> entries{};
  int count = 0;

  template <class P>
  constexpr void add() {
    if (count > 0 && std::string_view(entries[static_cast<std::size_t>(count - 1)].name) == P::name) return;
    bool counts = false;
    if constexpr (requires { P::counts; }) counts = P::counts;
    entries[static_cast<std::size_t>(count++)] = {P::name, P::help, P::items, P::report, P::parameters, counts};
  }
};

constexpr Table make_table() {
  Table table;
  Problems::for_each([&]<class P>(P) { table.add<P>(); });
  return table;
}

constexpr Table table = make_table();

/// True if value times scale is whole, up to the rounding of decimal fractions.
bool whole(double value, double scale) {
  const double scaled = value * scale;
  return std::abs(scaled - std::round(scaled)) <= 1e-15 * std::max(1.0, std::abs(scaled));
}

/// The least scale for one value; nullopt if three decimals are not enough.
std::optional<std::int64_t> scale_of(double value) {
  for (std::int64_t scale : {1, 10, 100, 1000}) {
    if (whole(value, static_cast<double>(scale))) return scale;
  }
  return std::nullopt;
}

/// A number of at most three decimals as a job has it: "3", "0.5".
std::string in_words(double value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

void check_gaps(const Settings& settings, std::vector<ParameterError>& errors) {
  const bool linear = settings.has("gap");
  const bool open = settings.has("gap_open"), extend = settings.has("gap_extend");
  if (linear && (open || extend)) {
    errors.push_back(
        {"gap", "gap stands for linear gaps, gap_open and gap_extend for affine ones: give one or the other"});
  } else if (!linear && !open && !extend) {
    errors.push_back({"", "gaps have no cost: give gap (linear), or gap_open and gap_extend (affine)"});
  } else if (open != extend) {
    errors.push_back(
        {open ? "gap_open" : "gap_extend", std::string("affine gaps need both gap_open and gap_extend: ") +
                                               (open ? "gap_extend" : "gap_open") + " is missing"});
  }
}

/// The letters are those of the matrix.
void check_alphabet(const Settings& settings, std::vector<ParameterError>& errors) {
  if (!settings.has("alphabet")) return;
  const std::string& matrix = settings.text("matrix");
  if (find_matrix(matrix) == nullptr) {
    errors.push_back({"alphabet", "the letters are those of the matrix '" + matrix + "': leave alphabet out"});
  } else if (settings.text("alphabet") != "protein") {
    errors.push_back(
        {"alphabet", "matrix " + matrix + " scores letters of proteins: say `alphabet: protein`, or leave it out"});
  }
}

void check_scores(const Settings& settings, std::vector<ParameterError>& errors) {
  const bool match = settings.has("match"), mismatch = settings.has("mismatch");
  if (settings.has("matrix")) {
    if (match || mismatch) {
      errors.push_back({"matrix", "matrix stands in place of match and mismatch: give one or the other"});
    } else {
      check_alphabet(settings, errors);
    }
  } else if (!match && !mismatch) {
    errors.push_back({"", "letters have no scores: give match and mismatch, or matrix"});
  } else if (match != mismatch) {
    errors.push_back({match ? "match" : "mismatch", std::string("scores of letters need both match and mismatch: ") +
                                                        (match ? "mismatch" : "match") + " is missing"});
  }
}

void check_range(const Settings& settings, std::vector<ParameterError>& errors) {
  if (!settings.has("range")) return;
  const auto& range = settings.get<std::vector<double>>("range");
  const bool fits = range.size() == 2 && std::isfinite(range[0]) && std::isfinite(range[1]) && range[0] < range[1] &&
                    std::isfinite(range[1] - range[0]);
  if (!fits)
    errors.push_back({"range", "range is two numbers whose difference is a number, the lower first: [0, 256]"});
}

/// A window is around the diagonal from the first cell to the last, which free ends leave.
void check_window(const Settings& settings, std::vector<ParameterError>& errors) {
  if (!settings.has("window") || !settings.has("free_ends") || settings.text("free_ends") == "none") return;
  errors.push_back({"window",
                    "with `free_ends: columns` the rows are found anywhere in the columns, and a window around the "
                    "diagonal would hide most of these: leave out window, or free_ends"});
}

bool declares(const ProblemInfo& info, const char* name) {
  for (const Parameter& parameter : info.parameters) {
    if (std::strcmp(parameter.name, name) == 0) return true;
  }
  return false;
}

}  // namespace

std::span<const ProblemInfo> problems() { return {table.entries.data(), static_cast<std::size_t>(table.count)}; }

const ProblemInfo* find_problem(std::string_view name) {
  for (const ProblemInfo& info : problems()) {
    if (name == info.name) return &info;
  }
  return nullptr;
}

std::vector<ParameterError> parameter_errors(const std::string& problem, const Settings& settings) {
  const ProblemInfo* info = find_problem(problem);
  if (info == nullptr) return {{"", "there is no wavefront problem '" + problem + "'"}};
  std::vector<ParameterError> errors;
  if (declares(*info, "matrix")) check_scores(settings, errors);
  if (declares(*info, "gap") && declares(*info, "gap_open")) check_gaps(settings, errors);
  if (declares(*info, "range")) check_range(settings, errors);
  if (declares(*info, "window")) check_window(settings, errors);
  for (const Parameter& parameter : info->parameters) {
    if (parameter.kind != ParameterKind::number || !settings.has(parameter.name)) continue;
    if (!scale_of(settings.number(parameter.name))) {
      errors.push_back({parameter.name, std::string(parameter.name) + " has more than three decimals; round it"});
    }
  }
  return errors;
}

std::vector<ParameterError> parameter_warnings(const Settings& settings) {
  std::vector<ParameterError> warnings;
  const auto number = [&](const char* name) { return settings.find<double>(name).value_or(0); };
  const double match = number("match"), mismatch = number("mismatch");
  if (mismatch > 0) {
    warnings.push_back(
        {"mismatch", "a mismatch above 0 is a reward for letters that differ, not a penalty: to take " +
                         in_words(mismatch) + " off for each, say `mismatch: -" + in_words(mismatch) + "`"});
  }
  if (match < 0) {
    warnings.push_back({"match",
                        "a match below 0 takes points off for letters that are equal: to reward them, say "
                        "`match: " +
                            in_words(-match) + "`"});
  }
  return warnings;
}

std::int64_t score_scale(const std::string& problem, const Settings& settings) {
  std::int64_t scale = 1;
  const ProblemInfo* info = find_problem(problem);
  if (info == nullptr) throw JobError("there is no wavefront problem '" + problem + "'");
  for (const Parameter& parameter : info->parameters) {
    if (parameter.kind != ParameterKind::number || !settings.has(parameter.name)) continue;
    const auto own = scale_of(settings.number(parameter.name));
    if (!own) throw JobError(std::string(parameter.name) + " has more than three decimals; round it");
    scale = std::max(scale, *own);
  }
  return scale;
}

std::int64_t score_bound(const std::string& problem, const Settings& settings, std::int64_t rows,
                         std::int64_t columns) {
  return describe(problem, settings)->bound(rows, columns);
}

ElementType narrowest_value(const std::string& problem, const Settings& settings, std::int64_t rows,
                            std::int64_t columns) {
  return narrowest_value(*describe(problem, settings), rows, columns);
}

std::int64_t ScaledSettings::scaled(const char* name) const {
  return std::llround(settings_.number(name) * static_cast<double>(scale_));
}

}  // namespace terrace::wavefront
