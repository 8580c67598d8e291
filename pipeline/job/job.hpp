// A checked job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/settings.hpp"
#include "pipeline/job/declaration.hpp"

namespace terrace::job {

struct Task;

enum class Backend { automatic, cuda, cpu };

/// An array that the job reads.
struct Input {
  std::string name;
  std::string kind;  // `fasta`; see io::InputKind
  Settings settings;
  Place place;                                        // of its name in the job
  std::vector<std::string> arrays;                    // settings that name other inputs: array_names()
  std::vector<std::string> files;                     // settings that are paths (absolute)
  std::vector<EarlierDefault> earlier_defaults = {};  // of its settings
};

/// One step of the job.
struct Stage {
  std::string name;
  std::string kind;                  // `wavefront`; see StageDeclaration
  std::string problem;               // empty for kinds without
  Settings settings;                 // `schedule` is always there
  Place place;                       // of its kind in the job
  bool temporary = false;            // its outputs are not part of the result
  std::vector<std::string> arrays;   // settings that name inputs or earlier stages' outputs: array_names()
  std::vector<std::string> sets;     // of these, settings that may name a set of sequences or series
  std::vector<std::string> files;    // settings that are paths (absolute)
  std::vector<std::string> outputs;  // the arrays that these settings write, in the order of declaration
  bool ties = false;                 // another back end may choose other, equally good values of one of them
  std::vector<EarlierDefault> earlier_defaults;  // of settings that are left to their defaults
  int results = 1;                               // ProblemDeclaration::results of this version
  std::string results_change = {};               // ProblemDeclaration::results_change
  InWordsOf in_words_of = nullptr;               // ProblemDeclaration::in_words_of
};

/// An array that a setting names: an input, or "stage/output" of an earlier stage.
struct ArrayName {
  std::string setting;
  std::size_t entry = 0;  // its index in the setting, if that is a list
  std::string name;
};

/// The arrays that settings name, setting by setting, in the order of their entries; repeated as they are.
/// @param arrays names of settings: Input::arrays, Stage::arrays
std::vector<ArrayName> array_names(const std::vector<std::string>& arrays, const Settings& settings);

/// The number of an entry of a setting of kind `quantities`; nullopt if the entry is an array's name.
std::optional<double> number_of_entry(const std::string& entry);

struct Scratch {
  std::optional<std::filesystem::path> path;  // absolute; default: the run's folder
  std::optional<std::int64_t> size;           // bytes
  Place path_place, size_place;               // in the job; empty if not given
};

/// The contents of a job file, every value checked, defaults filled in.
struct Job {
  std::string name;
  std::filesystem::path file;          // as it was named
  std::filesystem::path folder;        // of the file, absolute
  std::string source;                  // the text of the file
  std::vector<std::string> overrides;  // settings of the command line, "key=value"
  std::string task;                    // of a batch: Task::in_words(); empty: the job is no task

  std::optional<std::int64_t> host_memory, device_memory;  // budgets in bytes; nothing: the program chooses
  Place host_memory_place;                                 // in the job; empty if not given
  Scratch scratch;
  Backend backend = Backend::automatic;
  Place backend_place, devices_place;       // in the job; empty if not given
  bool compiles = true;                     // kernels may be compiled for the run
  std::optional<double> checkpoint_every;   // seconds; nothing: the program chooses
  std::optional<std::vector<int>> devices;  // nothing: all
  std::optional<int> threads;               // of the CPU, that compute; nothing: all that the process may use
  std::vector<Input> inputs;                // in the order of the file
  std::vector<Stage> stages;                // in the order of the file, which is the order of the run
  std::filesystem::path output;             // absolute
  Place output_place;                       // in the job

  std::vector<std::string> warnings;  // valid settings that are probably not intended, with places

  const Input* find_input(std::string_view name) const;
  const Stage* find_stage(std::string_view name) const;
};

/// Reads and checks a job.
/// @param path      the job's file
/// @param overrides settings of the command line, each "key=value"; paths in them start at the current folder,
///                  those in the file at the file's folder
/// @param kinds     all kinds of input: io::input_kinds()
/// @throws JobError with all errors, each message `file:line:column: what`, the line and a caret
Job load(const std::filesystem::path& path, const std::vector<std::string>& overrides, const StageTable& stages,
         std::span<const io::InputKind> kinds);

/// The output that a file names if it is a job, right or wrong but for its syntax: nullopt if it is none.
std::optional<std::filesystem::path> output_of_job(const std::filesystem::path& file);

/// A job and its inputs, by name.
struct OpenJob {
  Job job;
  std::map<std::string, std::shared_ptr<io::Source>> inputs;
};

/// Like `load`, and opens the inputs: an error there (a missing or damaged file) is reported at the input's place
/// together with all others. @throws JobError; io::DiskError if a disk fails
/// @param to_run else the job is only checked: lengths that take long to find are estimated
/// @param task   of a batch, which is loaded; null: the file is one job
OpenJob load_and_open(const std::filesystem::path& path, const std::vector<std::string>& overrides,
                      const StageTable& stages, std::span<const io::InputKind> kinds, bool to_run = true,
                      const Task* task = nullptr);

}  // namespace terrace::job
