// The stage `wavefront`.
#pragma once

#include "kernels/wavefront/description.hpp"
#include "stages/stage_kind.hpp"
#include "stages/wavefront/counted_letters.hpp"
#include "stages/wavefront/letters.hpp"

namespace terrace::stages {

/// Plans a step of a job. @throws JobError
std::unique_ptr<run::Stage> make_wavefront(const Request& request);

/// The sequence that the stage calls `parameter`, or the sequences of a set one after another, as the codes that
/// letters are compared by. @throws JobError if it is no sequence
std::shared_ptr<io::Source> open_sequence(const Request& request, const std::string& parameter, Side side);

/// The name of a side's sequence in its file, else in the job.
std::string sequence_name(const Request& request, const std::string& parameter);

/// The sequences of both sides, whose letters are counted where the alphabet may be another one than the job means.
struct SequencePair {
  std::shared_ptr<io::Source> rows, columns;
  LetterCounts letters;
};
/// @throws JobError if they are none
SequencePair open_sequences(const Request& request);

/// The problem of a step. Its help, which the datasets' meanings have, names the matrix.
/// @param settings settings_with_scores()
std::shared_ptr<const wavefront::Description> problem_of(const Request& request, const Settings& settings);

}  // namespace terrace::stages
