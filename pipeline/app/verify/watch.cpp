#include "pipeline/app/verify/watch.hpp"

#include <unistd.h>

#include "pipeline/app/progress/terminal.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {

VerifyWatch::VerifyWatch(Session& session, std::vector<std::string>* answers)
    : session_(session),
      answers_(answers),
      progress_(session.err, progress_style(STDERR_FILENO, session.quiet), nullptr,
                [] { return terminal_columns(STDERR_FILENO); }),
      parts_(progress_),
      signals_(
          [this] {
            const std::string text = notice();
            progress_.say(text);
            session_.record(text);
          },
          Left::nothing) {}

std::string VerifyWatch::notice() const {
  if (!keeps_) return "stopping; nothing is kept";
  return runs_ ? outlook_.notice() : "stopping; what was computed again is kept";
}

void VerifyWatch::keep(bool kept) {
  keeps_ = kept;
  signals_.leaves(kept ? Left::checkpoint : Left::nothing);
}

void VerifyWatch::check_stop() const {
  if (signals_.flag() == 0) return;
  if (keeps_) {
    throw Stopped("stopped before all was compared; the same command goes on with what was computed again");
  }
  throw Error("stopped before all was compared; nothing is kept, the same command begins anew");
}

void VerifyWatch::advance(const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
  runs_ = false;
  check_stop();
  parts_.show(part, unit, done, all);
}

Watch VerifyWatch::watch() {
  return [this](const std::string& part, const std::string& unit, std::int64_t done, std::int64_t all) {
    advance(part, unit, done, all);
  };
}

void VerifyWatch::show(const run::RunPlan& plan, const std::string& stage, const run::StageProgress& state,
                       const run::Prediction& prediction) {
  outlook_.note(state);
  runs_ = true;
  progress_.show(shown_progress(plan, stage, state, prediction));
}

void VerifyWatch::answer(const std::string& text) {
  progress_.finish();
  if (answers_ == nullptr) return session_.answer(text);
  answers_->push_back(text.ends_with('\n') ? text.substr(0, text.size() - 1) : text);
}

void VerifyWatch::note(const std::string& text) {
  progress_.finish();
  session_.note(text);
}

void VerifyWatch::warn(const std::string& text) {
  progress_.finish();
  session_.warn(text);
}

}  // namespace terrace::app
