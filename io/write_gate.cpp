#include "io/write_gate.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace terrace::io {

namespace {
constexpr std::int64_t largest_folio = std::int64_t{2} << 20;
}

void WriteGate::enter(Kind kind, std::int64_t begin, std::int64_t end, std::function<void(Ticket)> start) {
  Ticket ticket;
  {
    const std::lock_guard lock(mutex_);
    ticket = next_ticket_++;
    entries_.push_back({ticket, kind, begin / largest_folio, (end - 1) / largest_folio, {}, true});
    if (!may_start(std::prev(entries_.end()))) {
      entries_.back().started = false;
      entries_.back().start = std::move(start);
      return;
    }
  }
  start(ticket);
}

void WriteGate::leave(Ticket ticket) {
  std::vector<std::pair<Ticket, std::function<void(Ticket)>>> ready;
  {
    const std::lock_guard lock(mutex_);
    entries_.remove_if([ticket](const Entry& entry) { return entry.ticket == ticket; });
    for (auto entry = entries_.begin(); entry != entries_.end(); ++entry) {
      if (entry->started || !may_start(entry)) continue;
      entry->started = true;
      ready.emplace_back(entry->ticket, std::move(entry->start));
    }
  }
  for (auto& [ready_ticket, start] : ready) start(ready_ticket);
}

bool WriteGate::may_start(std::list<Entry>::const_iterator entry) const {
  return std::none_of(entries_.begin(), entry, [&](const Entry& earlier) {
    return earlier.kind != entry->kind && earlier.first <= entry->last && entry->first <= earlier.last;
  });
}

}  // namespace terrace::io
