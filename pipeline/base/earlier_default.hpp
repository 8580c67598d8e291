// Defaults of earlier versions.
#pragma once

#include <string>

namespace terrace {

/// A default of an earlier version: a result may have been made by it.
struct EarlierDefault {
  std::string parameter;
  std::string value;  // as written in a job, which keeps it
};

/// A setting that is left to its default, which was another one before.
struct ChangedDefault {
  EarlierDefault earlier;
  std::string now;
};

}  // namespace terrace
