// Arrays that are read when they are opened.
#pragma once

#include <cstdint>
#include <optional>

#include "io/source.hpp"

namespace terrace::io {

/// A source that reads its files when it is opened, and never afterwards.
class HeldSource : public Source {
 public:
  /// Checksum of its elements as they were read; nullopt if it reads some of them on demand.
  virtual std::optional<std::uint64_t> content() const = 0;
};

/// HeldSource::content() of a source; nullopt for a source of another class.
inline std::optional<std::uint64_t> held_content(const Source& source) {
  const auto* held = dynamic_cast<const HeldSource*>(&source);
  return held == nullptr ? std::nullopt : held->content();
}

}  // namespace terrace::io
