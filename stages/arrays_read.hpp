// The arrays that a stage reads.
#pragma once

#include <memory>
#include <string>

#include "io/source.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::stages {

/// The setting of a stage that names an array, the first if there are several; empty: none does.
std::string setting_that_names(const std::string& array, const job::Stage& stage);

/// An array as the stage reads it: unpacked (io/packing.hpp), with NaN for missing elements if the stage has a key
/// `nan`. @param name of the array in the job @throws JobError if it is a set, and the stage takes one array there
std::shared_ptr<io::Source> as_read_by(const job::Stage& stage, const std::string& name,
                                       std::shared_ptr<io::Source> array);

}  // namespace terrace::stages
