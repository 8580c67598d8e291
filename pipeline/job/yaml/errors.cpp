#include "pipeline/job/yaml/errors.hpp"

#include <algorithm>
#include <set>

#include "pipeline/base/near_name.hpp"

namespace terrace::job {

void Complaints::add(const Position& position, std::string message) {
  entries_.push_back({position, std::move(message), false});
}

void Complaints::add_rendered(const Position& position, std::string message) {
  entries_.push_back({position, std::move(message), true});
}

std::vector<std::string> Complaints::rendered() const {
  std::vector<Complaint> sorted = entries_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Complaint& a, const Complaint& b) { return a.position < b.position; });
  std::set<std::string> seen;
  std::vector<std::string> messages;
  std::size_t left = sorted.size();
  for (const Complaint& complaint : sorted) {
    if (messages.size() == most_messages) break;
    --left;
    std::string message =
        complaint.rendered ? complaint.message : message_at(sources_.place(complaint.position), complaint.message);
    if (seen.insert(message).second) messages.push_back(std::move(message));
  }
  if (left > 0)
    messages.push_back("and " + counted(static_cast<std::int64_t>(left), "more error") + "; mend these first");
  return messages;
}

}  // namespace terrace::job
