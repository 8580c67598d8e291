// `terrace job`: the keys of a job and of every stage, from their declarations.
#include <ostream>

#include "pipeline/app/commands.hpp"
#include "pipeline/app/reference/describe.hpp"
#include "pipeline/app/reference/to_json.hpp"

namespace terrace::app {

int job_keys(Session& session, const Form& form) {
  if (form.json) return session.answer_json(job_json());
  session.out << (form.markdown ? markdown_job() : describe_job(session.columns));
  return exit_done;
}

}  // namespace terrace::app
