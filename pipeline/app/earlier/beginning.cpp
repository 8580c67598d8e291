#include "pipeline/app/earlier/beginning.hpp"

#include <algorithm>

#include "io/data_error.hpp"
#include "io/results/reader.hpp"
#include "pipeline/app/earlier/unfinished_run.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// "Terrace 0.1.0 (ebc618a52b2f)": the version that made a result.
std::string maker_of(const fs::path& output) {
  const auto texts = io::root_texts(output, {"version", "commit"});
  return "Terrace " + texts[0].value_or("?") + " (" + texts[1].value_or("?") + ")";
}

JobError other_result(const job::Job& job, const Difference& difference, const std::string& loss = "") {
  const std::string by =
      difference.of_version ? maker_of(job.output) + ", and" : "another job, or from other inputs:";
  return output_error(job, job.output.string() + " was made by " + by + " " + difference.text + loss +
                               "; name another output, or replace it with --fresh");
}

/// @param loss TakenOver::loss
JobError loses(const job::Job& job, const Difference& difference, const Loss& loss) {
  const std::string what = loss.why == difference.text ? loss.what : loss.in_words();
  return other_result(job, difference,
                      "; " + what + " (--fresh=changed computes what has changed, and takes over the rest)");
}

/// "result.h5.run holds a run of another job, or from other inputs: ..."
std::string describe_other(const run::RunFolder& folder, const Difference& difference) {
  const std::string of = difference.of_version ? "another version, and" : "another job, or from other inputs:";
  return folder.path().string() + " holds a run of " + of + " " + difference.text;
}

/// @param plan of the other run
JobError other_run(const run::RunFolder& folder, const job::Job& job, const Difference& difference,
                   const Json& plan) {
  return output_error(job, describe_other(folder, difference) + "; " + advice_to_keep(folder, plan) +
                               "; go on with that one as it was, name another output, or discard it with "
                               "--fresh=all");
}

/// Resumes an unfinished run of this job, unless its result is there already. With `fresh` the run was begun with it.
/// @throws JobError if another file has the output's name
Beginning resume(const run::RunFolder& folder, const job::Job& job, Json plan, const ExistingOutput& output,
                 Fresh fresh) {
  const bool is_fresh = run::RunFolder::is_fresh(plan);
  if (output.there && !folder.may_replace(plan)) {
    if (!is_fresh && output.difference) throw other_result(job, *output.difference);
    if (!is_fresh) {
      return {true, std::nullopt,
              job.output.string() + " is there already, made by this job; the unfinished run in " +
                  folder.path().string() + " is left as it is (--fresh=all discards it)",
              std::nullopt};
    }
    if (fresh == Fresh::nothing) {
      throw output_error(job, job.output.string() + " is not the file that the unfinished run in " +
                                  folder.path().string() +
                                  " was begun to replace; move it away, or let the run replace it with --fresh");
    }
  }
  std::string note = "going on with the run in " + folder.path().string();
  if (is_fresh) note += ", which was begun with --fresh (--fresh=all starts over)";
  return {false, std::move(plan), note, output.there};
}

/// The plan of the unfinished run, unless it is damaged and `fresh` lets it be discarded.
std::optional<Json> plan_in(const run::RunFolder& folder, Fresh fresh) {
  try {
    return folder.plan();
  } catch (const IoError&) {
    if (fresh == Fresh::nothing) throw;
    return std::nullopt;
  }
}

/// @throws JobError if a file has the output's name that is not the one which the noted wish may replace
void check_replaced(const run::RunFolder& folder, const job::Job& job) {
  const std::optional<Json> wish = folder.wish();
  if (wish && folder.may_replace(*wish)) return;
  throw output_error(job, job.output.string() +
                              " is not the file that was there when a run with --fresh was stopped before its "
                              "first block; move it away, or replace it with --fresh");
}

/// True if a command resumes the unfinished run of its job. @param plan of the run
bool goes_on(const Json& plan, Fresh fresh) {
  return fresh <= Fresh::changed || (fresh < Fresh::all && run::RunFolder::is_fresh(plan));
}

/// A new run that takes over parts of the result. @param wish at least Fresh::changed, unless nothing may be lost
Beginning taking_over(const job::OpenJob& open, const Signature& now, const Wish& wish, const ExistingOutput& output,
                      ReadAgain& again, Beginning beginning) {
  beginning.taken = taken_over(open, now, wish.anew(), again);
  const std::optional<Loss>& loss = beginning.taken.loss;
  if (wish.fresh == Fresh::nothing && loss && output.difference) throw loses(open.job, *output.difference, *loss);
  for (const std::string& text : {beginning.taken.in_words(), loss ? loss->in_words() : ""}) {
    beginning.note += (beginning.note.empty() || text.empty() ? "" : "; ") + text;
  }
  return beginning;
}

/// True if that run's result has its name already: a kill between the last two steps leaves both.
bool has_finished(const std::optional<Json>& plan, const fs::path& output) {
  return plan && io::root_text(output, "run") == plan->value("run", "");
}

void discard_if_nothing_is_done(run::RunFolder& folder) noexcept {
  try {
    const run::Progress progress = run::Ledger::read(folder.ledger());
    const std::optional<Json> plan = folder.plan();
    const bool none = std::all_of(progress.completed.begin(), progress.completed.end(), [&](const auto& stage) {
      return !plan || run::is_taken(plan->at("stages").at(stage.first));
    });
    if (none && !progress.current) folder.clear();
  } catch (const std::exception&) {
    return;  // its files stay for the same command, and its error says more than this one
  }
}

}  // namespace

run::RunFolder take_folder(const job::Job& job) {
  try {
    return run::RunFolder(job.output);
  } catch (const run::UnfitOutput& error) {
    throw output_error(job, error.what());
  }
}

bool resumes_on_cpu(const run::RunFolder& folder, Fresh fresh) {
  if (fresh == Fresh::all) return false;
  try {
    const std::optional<Json> plan = folder.plan();
    if (!plan || !goes_on(*plan, fresh)) return false;
    return read_json(plan_file(folder), remedy_for_runs,
                     [&] { return plan->at("fixed").value("backend", "") == "cpu"; });
  } catch (const IoError&) {
    return false;  // it is damaged, which is reported elsewhere
  }
}

Beginning begin_at(run::RunFolder& folder, const job::OpenJob& open, const Signature& now, const Wish& wish,
                   ReadAgain& again) {
  const job::Job& job = open.job;
  const Fresh fresh = wish.fresh;
  std::optional<Json> plan = plan_in(folder, fresh);
  const ExistingOutput output = look_at_output(open, now, fresh, again);
  if (wish.noted && output.there) check_replaced(folder, job);
  Beginning anew{false, std::nullopt,
                 wish.noted ? "starting over: a run with --fresh was stopped before its first block" : "",
                 output.there};
  if (fresh == Fresh::all) return anew;
  const bool other = output.difference && plan && !folder.may_replace(*plan);  // made by neither
  const bool resumes = plan && goes_on(*plan, fresh) && !(fresh == Fresh::changed && other);
  const bool finished = output.there && has_finished(plan, job.output);
  if (plan && !finished) {
    const auto found =
        read_json(plan_file(folder), remedy_for_runs, [&] { return difference(signature_in(*plan), now); });
    if (found && fresh == Fresh::changed) {
      Beginning ends_other{false, std::move(plan), "", output.there};
      ends_other.unfit = describe_other(folder, *found);
      return ends_other;
    }
    if (found) throw other_run(folder, job, *found, *plan);
    if (resumes) return resume(folder, job, *std::move(plan), output, fresh);
  }
  if (!output.there) return fresh < Fresh::result ? taking_over(open, now, wish, output, again, anew) : anew;
  const bool wanted = finished && resumes && !output.difference;  // the result of the run that this command resumes
  if (fresh == Fresh::result && !wanted) return anew;
  if (output.difference || (fresh == Fresh::stage && !wanted)) {
    return taking_over(open, now, wish, output, again, anew);
  }
  folder.clear();  // debris, or the rest of a run that ended just after its result had its name
  folder.drop_kept();
  return {true, std::nullopt, job.output.string() + " is there already, made by this job", std::nullopt};
}

void plan_attempt(const Beginning& beginning, const Wish& wish, const Signature& now, run::RunFolder& folder,
                  const std::function<void()>& plan) {
  if (beginning.begun || wish.fresh == Fresh::nothing) return plan();
  folder.note_wish(note_of(wish, now), beginning.replaces);
  try {
    plan();
  } catch (const Stopped&) {
    throw;
  } catch (const io::DataError&) {
    folder.forget_wish();
    throw;
  } catch (const IoError&) {
    throw;  // the same command resumes when the disk works again
  } catch (const std::exception&) {
    folder.forget_wish();
    throw;
  }
}

run::RunReport execute_attempt(const Beginning& beginning, Fresh fresh, run::RunPlan& plan, run::RunFolder& folder,
                               const run::RunSettings& settings) {
  if (beginning.begun) {
    folder.resume(*beginning.begun, beginning.replaces);
  } else {
    folder.start_over(fresh != Fresh::nothing, beginning.replaces);
    if (fresh >= Fresh::result) folder.drop_kept();
  }
  try {
    return run::execute(plan, folder, settings);
  } catch (const Stopped&) {
    throw;
  } catch (const io::DataError&) {
    discard_if_nothing_is_done(folder);
    throw;
  } catch (const IoError&) {
    // The run resumes when the disk works again; this folder alone records that it was begun with --fresh.
    if (!folder.fresh()) discard_if_nothing_is_done(folder);
    throw;
  } catch (const std::exception&) {
    discard_if_nothing_is_done(folder);
    throw;
  }
}

}  // namespace terrace::app
