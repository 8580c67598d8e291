// Long work that somebody watches, and may stop.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

namespace terrace {

/// Called now and then by work that may take long: `done` of `all` units ("element") of a part ("reading 'm'") are
/// done. It throws where the work is to stop, which then leaves nothing behind. Empty: nobody watches.
using Watch =
    std::function<void(const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all)>;

/// A part of watched work.
class WatchedPart {
 public:
  /// @param watch must outlive it
  WatchedPart(const Watch& watch, std::string part, std::string unit, std::int64_t all)
      : watch_(watch), part_(std::move(part)), unit_(std::move(unit)), all_(all) {}

  /// So many units more are done. @throws what the watch throws
  void advance(std::int64_t units) {
    done_ += units;
    if (watch_) watch_(part_, unit_, done_, all_);
  }

 private:
  const Watch& watch_;
  std::string part_, unit_;
  std::int64_t done_ = 0, all_;
};

}  // namespace terrace
