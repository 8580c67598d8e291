#include "io/read_queue.hpp"

#include <algorithm>
#include <vector>

#include "io/when_all_ended.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t piece_bytes = 4 << 20;  // of a computed array: one thread makes 1 to 8 GB a second

/// A part of a box, and where it lies in the box's buffer.
struct Piece {
  Box box;
  std::int64_t at = 0;  // bytes
};

/// The parts of a box that are read by themselves: of an array that is computed, slices that lie one after another in
/// the buffer; else the box, since disks and decoders want what they get in one piece.
std::vector<Piece> pieces_of(const Source& source, const Box& box) {
  int axis = 0;
  while (axis < box.rank() && box.shape()[axis] <= 1) ++axis;
  if (axis == box.rank() || box.empty() || !source.files().empty()) return {{box}};
  const std::int64_t slice = box.volume() / box.shape()[axis] * static_cast<std::int64_t>(size_of(source.type()));
  const std::int64_t slices = std::max<std::int64_t>(1, piece_bytes / slice);
  std::vector<Piece> pieces;
  for (std::int64_t begin = box.begin[axis]; begin < box.end[axis]; begin += slices) {
    Piece piece{box, (begin - box.begin[axis]) * slice};
    piece.box.begin[axis] = begin;
    piece.box.end[axis] = std::min(box.end[axis], begin + slices);
    pieces.push_back(piece);
  }
  return pieces;
}

}  // namespace

void ReadQueue::submit(std::shared_ptr<Source> source, const Box& box, void* buffer, Done done) {
  const std::vector<Piece> pieces = pieces_of(*source, box);
  const Done ended = when_all_ended(static_cast<int>(pieces.size()), std::move(done));
  for (const Piece& piece : pieces) {
    threads_.post([this, source, box = piece.box, at = static_cast<std::byte*>(buffer) + piece.at, ended] {
      std::exception_ptr failure;
      try {
        if (cancelled_) throw Stopped("the read was cancelled");
        source->read(box, at);
      } catch (...) {
        failure = std::current_exception();
      }
      ended(failure);
    });
  }
}

}  // namespace terrace::io
