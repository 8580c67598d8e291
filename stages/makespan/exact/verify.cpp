#include "stages/makespan/exact/verify.hpp"

#include <chrono>

#include "kernels/makespan/completion.hpp"
#include "stages/makespan/exact/definition.hpp"
#include "stages/makespan/results.hpp"
#include "stages/makespan/verify_loads.hpp"

namespace terrace::stages {
namespace {

constexpr int proof_seconds = 10, whole_proof_seconds = 60;  // of a sample, and where all is computed again
constexpr std::size_t proof_bytes = std::size_t{64} << 20;

/// Searches for a schedule of less than `bound`, by one thread, for about so many seconds.
makespan::Completion::End search_below(const makespan::SortedJobs& jobs, std::int64_t bound, int seconds) {
  makespan::FailedSets failed((jobs.count() + 63) / 64, proof_bytes);
  makespan::Completion search(jobs, failed);
  search.start(bound - 1, {});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  return search.run([&] { return std::chrono::steady_clock::now() >= end; });
}

Checked check_bound(const VerifyRequest& request, const ExactDefinition& definition, std::int64_t bound,
                    std::int64_t makespan) {
  Checked checked{"lower_bound", "of the times", "", true};
  if (bound > makespan) {
    checked.difference = text_of(bound) + " is stored, more than the makespan of the assignment";
  } else if (bound < definition.begin.lower) {
    checked.difference = text_of(bound) + " is stored, the times alone prove " + text_of(definition.begin.lower);
  }
  if (!checked.difference.empty() || bound == definition.begin.lower) return checked;
  const int seconds = request.sampler.takes_all() ? whole_proof_seconds : proof_seconds;
  const makespan::Completion::End end = search_below(definition.jobs, bound, seconds);
  checked.what = "proved again";
  if (end == makespan::Completion::End::found) {
    checked.difference = text_of(bound) + " is stored, and there is a schedule of less";
  } else if (end == makespan::Completion::End::left) {
    checked.what = "its proof takes more than " + std::to_string(seconds) + " s";
    checked.sampled = false;
  }
  return checked;
}

}  // namespace

std::vector<Checked> verify_exact(const VerifyRequest& request) {
  const ExactDefinition definition = define_exact(request.request);
  std::vector<Checked> found;
  const std::int64_t makespan = check_loads(request, definition.instance, found);
  const std::int64_t bound = read_all<std::int64_t>(request, "lower_bound").front();
  found.push_back(check_bound(request, definition, bound, makespan));
  found.push_back(check_texts(request, "guarantee", {text_of(guarantee_of(makespan, bound))}, "divided again"));
  return found;
}

}  // namespace terrace::stages
