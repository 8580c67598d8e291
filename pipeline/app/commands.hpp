// The commands of the program, one file each, with the arguments that each is given. They return an exit code, or
// throw; command_line.hpp has the syntax of their arguments.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/app/session.hpp"
#include "pipeline/job/batch.hpp"

namespace terrace::app {

/// The arguments of commands that read a job.
struct JobArguments {
  std::string path;
  std::vector<std::string> settings;                // KEY=VALUE each
  std::shared_ptr<const job::Task> task = nullptr;  // of a batch; null: the file is one job
};

/// The arguments of commands that answer about a job.
struct PlanArguments {
  JobArguments job;
  bool json = false;
  bool explain = false;    // of a plan: all methods of each stage
  std::string fresh = {};  // as RunArguments::fresh
  std::string task = {};   // as RunArguments::task
};

/// `terrace check job.yaml`: reports every error of a job.
int check(Session& session, const PlanArguments& arguments);

/// `terrace plan job.yaml`: describes how the job would be run.
int plan(Session& session, const PlanArguments& arguments);

struct RunArguments {
  JobArguments job;
  bool dry = false;        // only plan
  std::string fresh;       // as --fresh was given, see wish_from(); empty: not at all
  std::string time_limit;  // "3h50m"; empty: none
  bool json = false;
  std::string task;         // of a batch: "17" or "10-19"; empty: all
  bool keep_going = false;  // of a batch: go on after a task that has failed
  bool again = false;       // of a batch: list its tasks anew
};

/// `terrace run job.yaml`: runs a job or a batch, or resumes a stopped one.
int run(Session& session, const RunArguments& arguments);

struct SubmitArguments {
  JobArguments job;
  bool print = false;                // the script, in place of submitting it
  bool again = false;                // as RunArguments::again
  std::vector<std::string> options;  // of sbatch
};

/// `terrace submit job.yaml`: hands a job, or a batch as an array, to Slurm.
int submit(Session& session, const SubmitArguments& arguments);

struct ShowArguments {
  std::string path;       // a result, an output that is not there yet, or the folder of its run
  std::string stage;      // of a result: show only this stage; empty: all
  bool paf = false;       // its alignment as a line of PAF
  bool tsv = false;       // its pairs of sets as lines of fields between tabs
  bool xdmf = false;      // grids as XDMF
  bool kerchunk = false;  // a reference of its datasets
  bool json = false;
};

/// `terrace show result.h5 [STAGE]`: describes a result, or the state of a run.
int show(Session& session, const ShowArguments& arguments);

struct VerifyArguments {
  std::string path;
  double sample = 0;      // the fraction that is computed again; 0: none
  std::int64_t seed = 1;  // of the choice of the sample
  bool all = false;       // compute everything again that no sample covers
  bool json = false;
};

/// `terrace verify result.h5`: checks that a result is undamaged, and that it is correct.
int verify(Session& session, const VerifyArguments& arguments);

/// The arguments of commands that make a file of a result.
struct PictureArguments {
  std::string path;    // the result
  std::string output;  // the file to be written
};

/// `terrace trace result.h5 -o trace.json`: writes the profile for trace viewers.
int trace(Session& session, const PictureArguments& arguments);

/// `terrace report result.h5 -o page.html`: writes a page about a result and its profile.
int report(Session& session, const PictureArguments& arguments);

struct PlotArguments {
  PictureArguments picture;
  std::string dataset;  // "STAGE/DATASET", "STAGE", or empty: the most telling one
  std::string reduce;   // mean, min, max, nearest; empty: as suits the dataset
  std::string at;       // "3,5": indices in the dimensions before the last two; empty: as suits the dataset
  std::string range;    // "-5,5": of the colours or values; empty: that of the values
  std::string path_of;  // the stage whose alignment is drawn over a table; empty: it is found
};

/// `terrace plot result.h5 [STAGE/DATASET] -o picture.png`: draws a dataset.
int plot(Session& session, const PlotArguments& arguments);

struct CompleteArguments {
  std::string command;  // plot or show
  std::string result;
};

/// `terrace complete COMMAND RESULT`: prints the words that may follow, for the scripts of shells.
int complete(Session& session, const CompleteArguments& arguments);

/// The form of an answer.
struct Form {
  bool markdown = false;
  bool json = false;
};

struct ProblemsArguments {
  std::string selector;  // "problem" or "operator"
  std::string name;      // empty: all
  Form form;
};

/// `terrace problems [NAME]` and, if the program has operators, `terrace operators [NAME]`: describes the problems of
/// stages, from their declarations.
int problems(Session& session, const ProblemsArguments& arguments);

struct InputsArguments {
  std::string kind;  // empty: all
  Form form;
};

/// `terrace inputs [KIND]`: describes the inputs that a job can read, from the declarations of the kinds of input.
int inputs(Session& session, const InputsArguments& arguments);

/// `terrace job`: describes the keys at the top of a job and of every stage, from their declarations.
int job_keys(Session& session, const Form& form);

/// `terrace reference`: everything that job_keys(), inputs() and problems() say, as one page of Markdown.
int reference(Session& session);

/// `terrace schema`: prints the JSON Schema of jobs.
int schema(Session& session);

struct MethodsArguments {
  std::string stage;  // empty: all
  Form form;
};

/// `terrace methods [STAGE]`: lists the kernels that could compute stages, from the tables that choose among them.
int methods(Session& session, const MethodsArguments& arguments);

struct DevicesArguments {
  bool json = false;
};

/// `terrace devices`: lists the devices of this machine.
int devices(Session& session, const DevicesArguments& arguments);

/// `terrace measure`: measures the times of launches on the GPUs of this machine, and keeps them for later plans.
int measure(Session& session);

}  // namespace terrace::app
