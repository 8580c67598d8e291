#include "pipeline/app/submit/script.hpp"

#include <fmt/format.h>

namespace terrace::app {
namespace {

/// The attempts of a script that ended because the program was killed.
constexpr int most_attempts = 5;

constexpr const char* loop = R"(
# USR1 comes before the time limit (--signal): the program stops at a checkpoint and ends with 75.
trap 'kill -USR1 "$program" 2>/dev/null' USR1
trap : TERM
code=1
for ((attempt = 1; attempt <= {most}; ++attempt)); do
  "${{run[@]}}" &
  program=$!
  # A signal ends the wait, not the program.
  while kill -0 "$program" 2>/dev/null; do wait "$program"; done
  wait "$program"
  code=$?
  # Above 128: killed by a signal, as when memory is short. Slurm itself starts nothing again that was killed.
  ((code > 128)) || break
  echo "terrace was killed (code $code), attempt $attempt of {most}" >&2
  sleep 1
done
# A job that is being cancelled is not running any more, and stays away.
if [[ $code == 75 && $(squeue -h -j "$SLURM_JOB_ID" -o %T) == RUNNING ]]; then
  scontrol requeue "$id"
fi
exit "$code"
)";

/// A word in single quotes, as bash reads it.
std::string shell_word(const std::string& word) {
  if (word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./=:+,@%-") ==
          std::string::npos &&
      !word.empty()) {
    return word;
  }
  std::string text = "'";
  for (const char letter : word) text += letter == '\'' ? "'\\''" : std::string(1, letter);
  return text + "'";
}

}  // namespace

std::string script_for(const SubmittedRun& run, const SbatchOptions& options) {
  std::string text = "#!/bin/bash\n" + options.lines() + "\n";
  std::string command = shell_word(run.program.string()) + " run " + shell_word(run.job.string());
  for (const std::string& setting : run.settings) command += " --set " + shell_word(setting);
  if (run.threads_of_slurm) command += " --threads \"${SLURM_CPUS_ON_NODE:-1}\"";
  if (run.first_task) {
    text += "id=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID\n";
    command += *run.first_task == 0 ? " --task \"$SLURM_ARRAY_TASK_ID\""
                                    : fmt::format(" --task $(({} + SLURM_ARRAY_TASK_ID))", *run.first_task);
  } else {
    text += "id=$SLURM_JOB_ID\n";
  }
  text += "run=(" + command + ")\n";
  return text + fmt::format(fmt::runtime(loop), fmt::arg("most", most_attempts));
}

}  // namespace terrace::app
