// Settings of the command line, laid over the tree of a job.
#pragma once

#include "pipeline/job/yaml/errors.hpp"
#include "pipeline/job/yaml/node.hpp"

namespace terrace::job {

/// Lays the settings of `complaints.sources()` over the job: `memory.device=1GiB`, `inputs.a.fasta=x.fa`,
/// `stages.align.match=2` (a stage by its name; its keys without the name of its kind),
/// `stages.heat.sources[0].at=[1]` (an entry that a list has). A value of a setting replaces the value of the file,
/// so that the same checks see both; the nodes name the setting as their place.
void apply_overrides(Node& root, Complaints& complaints);

}  // namespace terrace::job
