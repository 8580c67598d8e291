#include "pipeline/base/units.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace terrace {
namespace {

struct Suffix {
  std::string_view name;
  double factor;
};

constexpr double ki = 1024;
constexpr std::array<Suffix, 9> prefixes = {{{"", 1},
                                             {"k", 1e3},
                                             {"K", 1e3},
                                             {"M", 1e6},
                                             {"G", 1e9},
                                             {"T", 1e12},
                                             {"Ki", ki},
                                             {"Mi", ki* ki},
                                             {"Gi", ki* ki* ki}}};
constexpr double ti = ki * ki * ki * ki;
constexpr std::array<Suffix, 5> times = {{{"s", 1}, {"ms", 1e-3}, {"min", 60}, {"h", 3600}, {"d", 86400}}};

struct Quantity {
  double number;
  std::string_view suffix;
};

std::optional<Quantity> split(std::string_view text) {
  double number = 0;
  if (text.empty() || !(text[0] >= '0' && text[0] <= '9')) return std::nullopt;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || !std::isfinite(number)) return std::nullopt;
  std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  return Quantity{number, rest};
}

std::optional<double> factor_of(std::string_view prefix) {
  if (prefix == "Ti") return ti;
  for (const Suffix& suffix : prefixes) {
    if (suffix.name == prefix) return suffix.factor;
  }
  return std::nullopt;
}

std::optional<std::int64_t> whole(std::string_view text, std::string_view prefix, double number) {
  auto factor = factor_of(prefix);
  if (!factor) return std::nullopt;
  // Plain digits are exact beyond 2^53.
  std::int64_t exact = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exact);
  if (error == std::errc{} && end == text.data() + text.size()) return exact;
  const double value = number * *factor;
  if (value >= 9.2e18) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::string format(const char* pattern, double number, std::string_view suffix) {
  std::array<char, 64> buffer;
  std::snprintf(buffer.data(), buffer.size(), pattern, number);
  return std::string(buffer.data()) + std::string(suffix);
}

std::string three_digits(double number) {
  const double size = std::fabs(number);
  return format(size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f", number, "");
}

struct Scaled {
  double number;
  std::string_view prefix;  // of SI
};

/// A number of at least 1000 as one below that, in the three digits that are shown.
Scaled scaled(double number) {
  static constexpr std::array<std::string_view, 6> names = {"", "k", "M", "G", "T", "P"};
  std::size_t step = 0;
  while (std::fabs(number) >= 999.5 && step + 1 < names.size()) number /= 1000, ++step;
  return {number, names[step]};
}

}  // namespace

std::optional<std::int64_t> parse_size(std::string_view text) {
  auto quantity = split(text);
  if (!quantity) return std::nullopt;
  std::string_view suffix = quantity->suffix;
  if (!suffix.empty() && suffix.back() == 'B') suffix.remove_suffix(1);
  return whole(text, suffix, quantity->number);
}

std::optional<std::int64_t> parse_count(std::string_view text) {
  auto quantity = split(text);
  if (!quantity) return std::nullopt;
  auto factor = factor_of(quantity->suffix);
  if (!factor || std::floor(quantity->number * *factor) != quantity->number * *factor) return std::nullopt;
  return whole(text, quantity->suffix, quantity->number);
}

std::optional<double> parse_duration(std::string_view text, bool takes_m) {
  double seconds = 0;
  do {
    const auto quantity = split(text);
    if (!quantity) return std::nullopt;
    const std::string_view rest = quantity->suffix;
    const std::size_t length = std::min(rest.find_first_of("0123456789 "), rest.size());
    const std::string_view name = rest.substr(0, length);
    const auto* const unit = std::ranges::find(times, takes_m && name == "m" ? "min" : name, &Suffix::name);
    if (unit == times.end()) return std::nullopt;
    seconds += quantity->number * unit->factor;
    text = rest.substr(std::min(rest.find_first_not_of(' ', length), rest.size()));
  } while (!text.empty());
  return seconds;
}

std::string format_size(double bytes) {
  static constexpr std::array<std::string_view, 6> names = {" B", " KiB", " MiB", " GiB", " TiB", " PiB"};
  std::size_t step = 0;
  while (bytes >= ki && step + 1 < names.size()) bytes /= ki, ++step;
  return step == 0 ? format("%.0f", bytes, names[0]) : three_digits(bytes) + std::string(names[step]);
}

std::string format_count(double count) {
  const Scaled shown = scaled(std::round(count));
  return shown.prefix.empty() ? format("%.0f", shown.number, "")
                              : three_digits(shown.number) + " " + std::string(shown.prefix);
}

std::string format_count(double count, std::string_view thing) {
  const std::string number = format_count(count);
  const bool scaled = number.find(' ') != std::string::npos;
  return number + (scaled ? "" : " ") + std::string(thing) + (number == "1" ? "" : "s");
}

std::string format_duration(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds < 1e-6) return "under 1 us";
  if (seconds < 1e-3) return three_digits(seconds * 1e6) + " us";
  if (seconds < 1) return three_digits(seconds * 1e3) + " ms";
  if (seconds < 120) return three_digits(seconds) + " s";
  constexpr double year = 365.25 * 24 * 3600;
  if (!(seconds < 100 * year)) return format("%.3g", seconds / year, " years");
  const auto minutes = static_cast<long>(std::lround(seconds / 60));
  if (minutes < 120) return std::to_string(minutes) + " min";
  return std::to_string(minutes / 60) + " h " + std::to_string(minutes % 60) + " min";
}

std::string format_share(double share) {
  constexpr double least = 1e-4;
  if (share <= 0) return "0%";
  if (share < least) return "under 0.01%";
  return format(share < 0.00995 ? "%.1g" : "%.0f", 100 * share, "%");
}

std::string format_rate(double per_second, std::string_view unit) {
  const Scaled shown = scaled(per_second);
  const bool plain = shown.prefix.empty() && std::floor(shown.number) == shown.number;
  return (plain ? format("%.0f", shown.number, "") : three_digits(shown.number)) + " " + std::string(shown.prefix) +
         std::string(unit);
}

}  // namespace terrace
