// Kept tables of a nest, computed again tile by tile from what is stored beside them.
#pragma once

#include "stages/nest/definition.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// Checks the tables that the sample takes tiles of: of each element the statement is computed again, over stored
/// elements of tables and inputs. Says of other results that --all computes them again.
std::vector<Checked> verify_tables(const VerifyRequest& request, const NestDefinition& definition);

}  // namespace terrace::stages
