// Errors of planning.
#pragma once

#include <cstdint>
#include <string>

#include "io/data_error.hpp"
#include "pipeline/base/error.hpp"
#include "stages/block_memory.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// Throws a JobError at the place of the parameter in the job, or else at the place of the stage's name.
[[noreturn]] void refuse(const job::Stage& stage, const std::string& parameter, const std::string& what);

/// Calls `read`, which reads values of the parameter's array while the stage is made, and turns its errors into
/// refusals.
template <class Read>
void read_values(const job::Stage& stage, const std::string& parameter, const Read& read) {
  try {
    read();
  } catch (const io::DataError& error) {
    throw JobError(error.what());
  } catch (const IoError& error) {
    refuse(stage, parameter, error.what());
  }
}

/// The place of the parameter in the job, or else the place of the stage's name.
const Place& place_of(const job::Stage& stage, const std::string& parameter);

/// The parameter's array, for errors about its elements.
io::DataLabel label_of(const job::Stage& stage, const std::string& parameter);

/// Refuses letters of a sequence if the parameter wants numbers.
void refuse_letters(const Request& request, const std::string& parameter, const io::Source& source);

/// Refuses a list without elements, such as a file without rows is read as, if the parameter wants a grid or a
/// matrix.
/// @param array its name in the job
void refuse_no_rows(const job::Stage& stage, const std::string& parameter, const std::string& array,
                    const io::Source& source);

/// The remedy for a list of numbers in place of a grid, such as a table of one row is read as; empty if the source is
/// no list.
std::string remedy_for_list(const io::Source& source);

/// The largest magnitude of a whole number of the type.
double largest_magnitude(ElementType type);

/// A warning if f32 may not hold sums or products of whole numbers; empty if it holds all of them.
/// @param largest magnitude of a sum or product
std::string warning_of_f32_results(const Place& place, const std::string& stage, double largest);

/// Throws the JobError that names the least budgets for a block.
[[noreturn]] void refuse_budgets(const Resources& resources, const BlockMemory& memory);

/// Likewise.
/// @param least bytes that the smallest block needs on its device; @param workspace bytes in addition
[[noreturn]] void refuse_budgets(const Resources& resources, std::int64_t least, std::int64_t workspace,
                                 std::int64_t tile = 0);

}  // namespace terrace::stages
