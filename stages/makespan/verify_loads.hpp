// Verifies what follows from the assignment of a schedule alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stages/makespan/instance.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// Values as the texts of a result have them.
std::vector<std::string> texts_of(const std::vector<std::int64_t>& values);

/// Looks up each job, adds up the loads, and takes the largest one. Adds what it finds. @return the largest load
std::int64_t check_loads(const VerifyRequest& request, const Instance& instance, std::vector<Checked>& found);

}  // namespace terrace::stages
