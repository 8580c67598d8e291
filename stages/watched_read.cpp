#include "stages/watched_read.hpp"

#include <algorithm>

namespace terrace::stages {

std::string reading_part(const std::string& name) { return "reading '" + name + "' to plan"; }

void read_watched(io::Source& source, void* buffer, const std::string& name, const Watch& watch) {
  constexpr std::int64_t most_bytes = 4 << 20;  // beyond one slice of the slowest dimension
  const Box whole = Box::whole(source.shape());
  if (whole.empty()) return;
  if (whole.rank() == 0) return source.read(whole, buffer);
  WatchedPart part(watch, reading_part(name), "element", whole.volume());
  const std::int64_t slice = whole.volume() / whole.end[0] * static_cast<std::int64_t>(size_of(source.type()));
  const std::int64_t most = std::max<std::int64_t>(1, most_bytes / slice);
  char* at = static_cast<char*>(buffer);
  for (Box piece = whole; piece.begin[0] < whole.end[0]; piece.begin[0] = piece.end[0]) {
    piece.end[0] = std::min(whole.end[0], piece.begin[0] + most);
    source.read(piece, at);
    at += (piece.end[0] - piece.begin[0]) * slice;
    part.advance(piece.volume());
  }
}

}  // namespace terrace::stages
