// The disk space of a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/base/rounding.hpp"
#include "pipeline/run/run_plan.hpp"

namespace terrace::run {

/// A file that holds slots of an array or of several, or all of a result that is temporary or whose length is found,
/// after a header of one page.
struct ScratchFile {
  std::size_t stage;
  std::vector<std::size_t> arrays;
  std::string name;  // unique in the stage
  std::int64_t slots, slot_bytes, home_bytes;
  bool grows = false;  // the result takes space only where it is written
  std::int64_t bytes() const { return page_bytes + slots * slot_bytes + home_bytes; }
  /// Bytes for which there is space from the start.
  std::int64_t reserved() const { return grows ? bytes() - home_bytes : bytes(); }
};

/// All scratch files of a plan, in order.
std::vector<ScratchFile> scratch_files(const RunPlan& plan);

/// Disk space that a plan takes.
struct DiskNeed {
  std::int64_t result = 0, scratch = 0;
  std::int64_t taken = 0;  // of the result, what is taken over from another one
};
DiskNeed disk_need(const RunPlan& plan);
/// Checks that the disks have room for a run that begins. @param folder of the run, which need not exist
/// @param shared bytes of the result that take no space, since it shares them with the result that is there
/// @throws IoError naming the place, the needed and the free bytes
void check_disk(const RunPlan& plan, const std::filesystem::path& folder, std::int64_t shared);

}  // namespace terrace::run
