#include "io/rounded.hpp"

#include <algorithm>

namespace terrace::io {

std::optional<RoundedElement::Found> RoundedElement::found() const {
  const std::lock_guard lock(mutex_);
  return found_;
}

void RoundedElement::note(const Found& found) {
  const std::lock_guard lock(mutex_);
  const auto& index = found.index;
  const bool first =
      !found_ || std::lexicographical_compare(index.begin(), index.end(), found_->index.begin(), found_->index.end());
  if (first) found_ = found;
}

}  // namespace terrace::io
