// The times of blocks and copies as a picture.
#pragma once

#include <iosfwd>
#include <vector>

#include "pipeline/app/pictures/profile_rows.hpp"
#include "pipeline/app/pictures/queues.hpp"

namespace terrace::app {

/// One attempt of a run, from its first block or copy to its last.
struct AttemptSpan {
  double number = 0, begin = 0, end = 0;
  double rows = 0, blocks = 0, operations = 0;  // of its blocks
};

/// The attempts that computed or moved something, in order. Copies are of the last one: of earlier ones no copies are
/// recorded. @param last number of the last attempt
std::vector<AttemptSpan> attempts_of(const ProfileRows& profile, double last);

/// Writes a picture (SVG) of what each queue of each device did in an attempt. A few happenings of a queue are drawn
/// one by one. Many are merged: a column of the picture is coloured by the stage that takes most of its time, the
/// more strongly the more of its time is busy. @param columns into which the time is divided where happenings are
/// merged
void write_timeline(std::ostream& out, const ProfileRows& profile, const std::vector<Queue>& queues,
                    const AttemptSpan& attempt, bool is_last, int columns);

}  // namespace terrace::app
