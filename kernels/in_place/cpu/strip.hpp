// The interface of the vectorised kernels of in-place sweeps. Sources that are compiled for newer instruction sets
// include it, too: so it includes no library header and leaves no symbol that objects share.
//
// Lanes are sweeps. In pass r over the columns, lane l makes sweep l of a group on row r - l. Lane l - 1 made the row
// below `lag` columns ahead in this pass, and the row itself in the pass before, in which lane l made the row above.
// So at step q lane l is at column q - lag * l, and a pass hands on one pack a step: the *state* after pass r, whose
// lane l has row r - l after sweep l at column q - lag * l.
//
// A band is `passes` consecutive passes side by side, each `lag` steps behind the one before, so that as many chains
// of operations are in flight at a time: at iteration t pass u is at step t - lag * u.
#pragma once

#include "kernels/device/integers.hpp"
#include "kernels/in_place/measured.hpp"

namespace terrace::in_place {

/// Passes of a band, and iterations from one check of the neighbours to the next.
inline constexpr int band_passes = measured::CpuInPlace::band_passes;
inline constexpr device::i64 in_place_chunk = measured::CpuInPlace::chunk;

/// Steps that a lane is behind the lane before: its reads of the row below reach as far to the right.
constexpr int lag_of(bool corners) { return corners ? 2 : 1; }

/// Packs that passes keep from iteration to iteration.
inline constexpr int in_place_registers = 7;

/// Iterations [begin, end) of a band. Arrays of lanes are aligned to 64 bytes.
template <class T>
struct InPlaceStrip {
  device::i64 rows, columns;  // of the grid
  device::i64 first_row;      // row of lane 0 in the first pass
  device::i64 live;           // passes that are made, of band_passes; the others leave the state as it is
  device::i64 begin, end;
  T* state;  // element [step][lane] of the state: of the band before on entry, of this band on return
  const T* in[band_passes + 1];  // element [column] of rows first_row + u before the group's sweeps
  T* out;                        // [pass][iteration - begin][lane]: results of every lane
  T* registers;                  // [in_place_registers][pass][lane], kept from strip to strip of a band
};

template <class T>
using AdvanceInPlace = void (*)(InPlaceStrip<T>& strip, const void* constants);

/// The kernels of one problem for one instruction set. `constants` points to P::Constants<double>.
struct InPlaceKernels {
  AdvanceInPlace<float> advance_f32;
  AdvanceInPlace<double> advance_f64;
};

/// The kernels of problem number `problem` (problem_list.hpp).
namespace sse2 {
InPlaceKernels in_place_kernels(int problem);
}
namespace avx2 {
InPlaceKernels in_place_kernels(int problem);
}
namespace avx512 {
InPlaceKernels in_place_kernels(int problem);
}

}  // namespace terrace::in_place
