#include "io/rounded.hpp"

#include <algorithm>

namespace terrace::io {

std::optional<RoundedElement::Found> RoundedElement::found() const {
  const std::lock_guard lock(mutex_);
  return found_;
}

Extents RoundedElement::index_in(const Box& box, std::int64_t n) {
  Extents index = box.begin;
  for (int d = box.rank() - 1; d >= 0; --d) {
    const std::int64_t extent = box.end[d] - box.begin[d];
    index[d] += n % extent;
    n /= extent;
  }
  return index;
}

void RoundedElement::note(const Found& found) {
  const std::lock_guard lock(mutex_);
  const auto& index = found.index;
  const bool first =
      !found_ || std::lexicographical_compare(index.begin(), index.end(), found_->index.begin(), found_->index.end());
  if (first) found_ = found;
}

}  // namespace terrace::io
