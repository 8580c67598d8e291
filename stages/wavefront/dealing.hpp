// A wavefront table dealt to several devices: strips of columns, each a few blocks behind the strip before it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "kernels/wavefront/sweep.hpp"
#include "stages/dealing.hpp"
#include "stages/stage_kind.hpp"
#include "stages/wavefront/blocks.hpp"
#include "stages/wavefront/measured.hpp"

namespace terrace::stages {

/// Blocks of a strip that a device works on at a time, at most.
inline constexpr std::int64_t strip_blocks_in_flight = measured::StripSizes::in_flight;

/// Expected seconds of a table that is swept by strips. A device takes its strips one after another. It begins when
/// the device before it has ended the first block of its first strip: bands of rows go over the strip side by side,
/// as many as the device holds, so that this takes the longer, the wider the strip is.
/// @param spec with its strips as blocks @param cell_seconds of one device
double strip_seconds(const wavefront::SweepSpec& spec, double cell_seconds, std::int64_t devices,
                     const device::Limits& limits);

/// Expected seconds of a cell on one device, no faster than the device's ceiling.
double cell_seconds(const wavefront::SweepSpec& spec, const Resources& resources);

/// True if a step compares a pair that is long enough that further devices are worth their opening.
/// @param input by its name in the job; null: it is made by an earlier step
bool is_long_pair(const Settings& settings, const std::function<const io::Source*(const std::string&)>& input);

/// Rows and columns of which those of blocks are multiples, but for the table's last.
struct StripUnits {
  std::int64_t rows = 1, columns = measured::StripSizes::step_columns;
};

/// Bytes of device memory that strips take beside the kernel's workspace: the letters, row borders and kept tiles
/// of the blocks in flight, and the column borders left and right of a strip. @param spec with its strips as blocks
std::int64_t strip_bytes(const wavefront::SweepSpec& spec, const TableNeed& need);

/// Sets the blocks of a sweep that is to be dealt to several devices, or says why one computes all.
/// @param spec in the blocks that one device would take @param fits whether memory holds the strips of a spec
Dealing deal_strips(wavefront::SweepSpec& spec, const StripUnits& units, const Resources& resources,
                    const std::function<bool(const wavefront::SweepSpec&)>& fits);

}  // namespace terrace::stages
