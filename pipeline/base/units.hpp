// Sizes, counts and times as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace terrace {

/// "4GiB", "500MB", "4096", "1.5GiB": bytes. nullopt if the text is no size or exceeds 63 bits.
std::optional<std::int64_t> parse_size(std::string_view text);
/// "1000", "1e9", "64Ki", "2M": a whole count. nullopt if the text is no number, or not whole.
std::optional<std::int64_t> parse_count(std::string_view text);
/// "30s", "500ms", "10min", "1d", "2h 5min": seconds. nullopt if the text is no duration.
/// @param takes_m true: "m" is a minute, too, as in "3h50m"
std::optional<double> parse_duration(std::string_view text, bool takes_m = false);

/// "4.0 GiB", "512 B".
std::string format_size(double bytes);
/// "1.04 M", "17": of whole things, without a fraction below 1000.
std::string format_count(double count);
/// The same with the name of the things: "1.04 Mcells", "17 cells", "1 cell".
/// @param thing one of them
std::string format_count(double count, std::string_view thing);
/// "1.20 s", "35 ms", "2 h 05 min"; "under 1 us" of less than that, "0 s" of nothing.
std::string format_duration(double seconds);
/// A share of a whole, 0 to 1: "12%", "0.3%"; "under 0.01%" of less than that, "0%" of nothing.
std::string format_share(double share);
/// A measured quantity: the scaled number, its SI prefix and the unit, "3.34 Tcell/s".
std::string format_rate(double per_second, std::string_view unit);

}  // namespace terrace
