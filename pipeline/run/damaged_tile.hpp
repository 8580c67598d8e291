// The error of stored tiles that are not as they were written.
#pragma once

#include <string>

#include "pipeline/base/box.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::run {

/// A tile is not as it was written. If its stage is known, a run with --fresh=changed computes that stage anew.
class DamagedTile : public IoError {
 public:
  /// @param where the file, and the array or dataset in it @param stage of the run; empty: not known
  DamagedTile(const std::string& where, const Box& box, const std::string& stage = {})
      : DamagedTile(where + ", " + to_string(box), stage) {}

  const std::string& stage() const { return stage_; }
  /// The same error once the stage is known.
  DamagedTile of_stage(const std::string& stage) const { return stage_.empty() ? DamagedTile(where_, stage) : *this; }

 private:
  DamagedTile(const std::string& where, const std::string& stage)
      : IoError(where, "came back different from what was written: the disk or the file is damaged; " +
                           (stage.empty() ? "start over with --fresh=all"
                                          : "--fresh=changed computes stage '" + stage +
                                                "' anew, and what reads it, and takes over the rest")),
        where_(where),
        stage_(stage) {}

  std::string where_, stage_;
};

}  // namespace terrace::run
