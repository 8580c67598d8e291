// Whole numbers that lose digits when a stage computes in f32 or f64.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/rounded.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::stages {

struct Request;

/// The arrays that a stage reads as f32 or f64.
class RoundedInputs {
 public:
  explicit RoundedInputs(const job::Stage& stage);

  /// Looks at the elements of an array from now on. @param array the job's name of it
  std::shared_ptr<io::RoundedElement> of(const std::string& array);
  /// A warning for each array of which an element has lost digits so far.
  std::vector<std::string> warnings() const;

 private:
  struct Array {
    std::string name;
    std::shared_ptr<io::RoundedElement> rounded;
  };

  std::string stage_;
  Place place_;  // place of the type in the job, else of the stage
  std::vector<Array> arrays_;
};

/// RoundedInputs::of() the parameter's array; null if nobody asks for warnings.
std::shared_ptr<io::RoundedElement> rounded_of(const Request& request, const std::string& parameter);

}  // namespace terrace::stages
