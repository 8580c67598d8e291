// `terrace schema`: the JSON Schema of jobs, from their declarations.
#include "pipeline/app/reference/schema.hpp"
#include "pipeline/app/commands.hpp"

namespace terrace::app {

int schema(Session& session) { return session.answer_json(job_schema(session.stages.declarations(), session.kinds)); }

}  // namespace terrace::app
