#include "kernels/graph/tiling/strips.hpp"

#include <algorithm>
#include <utility>

namespace terrace::graph {
namespace {

Bytes joined(const Bytes& a, const Bytes& b) {
  if (a.size() <= 0) return b;
  return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

i64 common(const Bytes& a, const Bytes& b) {
  return std::max<i64>(0, std::min(a.end, b.end) - std::max(a.begin, b.begin));
}

/// The largest number up to `most` that fits, if all smaller ones fit, too; `none` if none above it does.
/// @param guess where the search begins
template <class Fits>
i64 largest(i64 none, i64 most, i64 guess, const Fits& fits) {
  i64 least = none, beyond = most + 1, stride = 1;
  for (i64 tried = guess; least + 1 < beyond; stride *= 2) {
    tried = std::clamp(tried, least + 1, beyond - 1);
    if (fits(tried)) least = tried;
    else beyond = tried;
    if (beyond > most) tried = least + stride;
    else tried = least == none ? beyond - stride : least + (beyond - least) / 2;
  }
  return least;
}

}  // namespace

StripCutter::StripCutter(const TileGraph& graph, const TimeTable& times, i64 grain)
    : graph_(graph), times_(times), grain_(grain), pieces_(as_index(graph.pieces())) {}

const std::vector<StripCutter::PieceBytes>& StripCutter::bytes_of(int step, Range rows) {
  own_.clear();
  const std::vector<RowTouch>& touches = graph_.touches(step);
  for (std::size_t n = 0; n < touches.size(); ++n) {
    const Bytes bytes = touches[n].of(rows);
    if (bytes.size() <= 0) continue;
    const int piece = graph_.pieces(step)[n];
    const auto same = std::ranges::find(own_, piece, &PieceBytes::piece);
    if (same == own_.end()) own_.push_back({piece, bytes});
    else same->bytes = joined(same->bytes, bytes);
  }
  return own_;
}

Tiling StripCutter::whole(int step) {
  const Range rows = graph_.step(step).rows;
  i64 bytes = 0;
  for (const PieceBytes& own : bytes_of(step, rows)) bytes += own.bytes.size();
  return {{{step, rows}}, times_.seconds(static_cast<double>(bytes), 0)};
}

std::optional<Tiling> StripCutter::all_in_cache() {
  Members members;
  Ends none, all;
  for (int step = 0; step < graph_.size(); ++step) {
    members.push_back({step, {}});
    none.push_back(graph_.step(step).rows.begin);
    all.push_back(graph_.step(step).rows.end);
  }
  if (bytes_touched(members, none, all) > times_.cache_bytes) return std::nullopt;
  Tiling tiling;
  emit(members, none, all, tiling);
  return tiling;
}

std::optional<double> StripCutter::estimate(const std::vector<int>& cluster) {
  constexpr i64 rounds = 4;
  const std::optional<Tiling> begun = cut(cluster, rounds);
  return begun ? std::optional(begun->seconds) : std::nullopt;
}

std::optional<Tiling> StripCutter::cut(const std::vector<int>& cluster, i64 most_rounds) {
  const Members members = members_of(cluster);
  i64 shares = 1;
  Ends made, ends;
  for (const Member& member : members) {
    const Range rows = graph_.step(member.step).rows;
    made.push_back(rows.begin);
    if (!member.has_dependents) shares = std::max(shares, (rows.size() + grain_ - 1) / grain_);
  }
  const auto fits = [&](i64 share) {
    ends = grown(members, made, share, shares);
    return bytes_touched(members, made, ends) <= times_.cache_bytes;
  };
  Tiling tiling;
  i64 share = 0, step = 1;
  while (share < shares) {
    const i64 least = largest(share, shares, share + step, fits);
    if (least == share) return std::nullopt;
    fits(least);
    const double before = tiling.seconds;
    emit(members, made, ends, tiling);
    made = ends;
    step = least - share;
    share = least;
    if (--most_rounds > 0) continue;
    tiling.seconds += (tiling.seconds - before) * static_cast<double>(shares - share) / static_cast<double>(step);
    break;
  }
  return tiling;
}

StripCutter::Members StripCutter::members_of(const std::vector<int>& cluster) const {
  Members members;
  std::vector<std::pair<int, std::size_t>> places;
  places.reserve(cluster.size());
  for (const int step : cluster) places.emplace_back(step, places.size());
  std::ranges::sort(places);
  for (const int step : cluster) {
    members.push_back({step, {}});
    for (const Dependence& own : graph_.dependences(step)) {
      const auto at = std::ranges::lower_bound(places, own.on, {}, &std::pair<int, std::size_t>::first);
      if (at == places.end() || at->first != own.on) continue;
      members.back().before.emplace_back(at->second, &own);
      members[at->second].has_dependents = true;
    }
  }
  return members;
}

StripCutter::Ends StripCutter::grown(const Members& members, const Ends& made, i64 share, i64 shares) const {
  Ends ends = made;
  for (std::size_t n = members.size(); n-- > 0;) {
    const Range rows = graph_.step(members[n].step).rows;
    if (share == shares) ends[n] = rows.end;
    else if (!members[n].has_dependents) ends[n] = std::max(ends[n], rows.begin + rows.size() * share / shares);
    if (ends[n] == made[n]) continue;
    for (const auto& [before, dependence] : members[n].before) {
      ends[before] = std::max(ends[before], dependence->rows_before(ends[n]));
    }
  }
  extend(members, ends);
  return ends;
}

void StripCutter::extend(const Members& members, Ends& ends) const {
  for (std::size_t n = 0; n < members.size(); ++n) {
    const auto is_ready = [&](i64 end) {
      return std::ranges::all_of(members[n].before, [&](const auto& before) {
        return before.second->rows_before(end) <= ends[before.first];
      });
    };
    i64 beyond = graph_.step(members[n].step).rows.end + 1;
    if (members[n].before.empty() || ends[n] + 1 >= beyond || !is_ready(ends[n] + 1)) continue;
    while (ends[n] + 1 < beyond) {
      const i64 middle = ends[n] + (beyond - ends[n]) / 2;
      if (is_ready(middle)) ends[n] = middle;
      else beyond = middle;
    }
  }
}

double StripCutter::bytes_touched(const Members& members, const Ends& made, const Ends& ends) {
  clear_pieces();
  for (std::size_t n = 0; n < members.size(); ++n) {
    for (const PieceBytes& own : bytes_of(members[n].step, {made[n], ends[n]})) {
      Bytes& all = pieces_[as_index(own.piece)];
      if (all.size() <= 0) touched_.push_back(own.piece);
      all = joined(all, own.bytes);
    }
  }
  double bytes = 0;
  for (const int piece : touched_) bytes += static_cast<double>(pieces_[as_index(piece)].size());
  return bytes;
}

void StripCutter::emit(const Members& members, const Ends& made, const Ends& ends, Tiling& tiling) {
  clear_pieces();
  for (std::size_t n = 0; n < members.size(); ++n) {
    if (ends[n] == made[n]) continue;
    i64 bytes = 0, cached = 0;
    for (const PieceBytes& own : bytes_of(members[n].step, {made[n], ends[n]})) {
      Bytes& before = pieces_[as_index(own.piece)];
      if (before.size() <= 0) touched_.push_back(own.piece);
      bytes += own.bytes.size();
      cached += common(before, own.bytes);
      before = joined(before, own.bytes);
    }
    tiling.sequence.push_back({members[n].step, {made[n], ends[n]}});
    tiling.seconds += times_.seconds(static_cast<double>(bytes), static_cast<double>(cached));
  }
}

void StripCutter::clear_pieces() {
  for (const int piece : touched_) pieces_[as_index(piece)] = {};
  touched_.clear();
}

}  // namespace terrace::graph
