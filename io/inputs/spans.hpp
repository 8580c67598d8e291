// Which bytes of a row-major file make up a box, gathered into spans that are worth a request.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "pipeline/base/box.hpp"

namespace terrace::io {

/// A part of a span: its place in the file, its place in the tightly packed box, its length; all in bytes.
struct SpanPart {
  std::int64_t file;
  std::int64_t target;
  std::int64_t bytes;
};

/// The bytes [begin, end) of a file, and the parts of it that are wanted, in order.
struct Span {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::vector<SpanPart> parts;
};

struct SpanLimits {
  std::int64_t bytes = std::int64_t{1} << 20;  // longest span; longer rows are cut
  std::int64_t gap = 4096;                     // longest run of unwanted bytes that is read along
};

/// Visits spans that together hold each byte of `box` once, in the order of the file.
/// @param shape of the whole array; @param origin byte of its first element in the file
void for_each_span(const Extents& shape, std::int64_t origin, const Box& box, std::int64_t element_size,
                   const SpanLimits& limits, const std::function<void(const Span&)>& visit);

/// Copies the parts of a span from `bytes`, which holds the file's bytes from `begin` on, into a packed box.
void scatter(const Span& span, const void* bytes, std::int64_t begin, void* target);

}  // namespace terrace::io
