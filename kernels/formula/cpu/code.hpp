// Formulas as instructions over strips of cells, as the kernels of every instruction set read them. Included by files
// that are compiled for newer instruction sets than the rest: no host library header.
#pragma once

#include "kernels/device/integers.hpp"

namespace terrace::formula::strips {

using device::i32;
using device::i64;
using device::u32;
using device::u8;

/// The memory of a program: addresses of rows and buffers, and numbers that all cells of a strip share. Nothing of it
/// changes from strip to strip: loads that wait for such a store would keep strips from overlapping.
struct Word {
  union {
    char* address;  // of a row of the cell 0, of a buffer
    float f32;
    double f64;
    i64 whole;  // of a condition 0 or -1
  };
  i64 moves;  // with an address: -1 of a row, which strips go along; 0 of a buffer
};

/// The place of an operand: in the registers that an instruction hands to the next one, at an address, or a number.
enum class Source : u8 { held, row, number };

/// What the cells of a strip are. Whole numbers have 64 bits. A condition has all bits or none set, as wide as the
/// widest values of its program.
enum class Lanes : u8 { f32, f64, whole, condition };

enum class Code : u8 {
  stop,       // ends a segment
  take,       // from a row or a number into registers
  keep,       // from registers to a row; they stay in registers too
  keep_last,  // the same, and ends a segment
  index,      // min(number a + cell, number b) + number c
  negate,
  absolute,
  root,
  inverse,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  equal,
  not_equal,
  less,
  less_equal,
  both,
  either,
  minimum,
  maximum,
  fused,             // a * b + c, rounded once
  add_product,       // a + b * c, rounded twice
  subtract_product,  // a - b * c, rounded twice
  choose,
  to_f32,
  to_f64,
  to_whole
};

/// The function of an instruction, of a type that its instruction set knows.
using Run = void (*)();

struct Instruction {
  Run run;
  u32 operands[6];  // numbers of words, from the fourth on of the second operation of a pair; of Source::held nothing
};

/// Words at fixed places: the index of the cell 0, and that of the last cell that there is.
inline constexpr u32 first_index = 0, last_index = 1, first_row = 2;

/// A program as it is run.
struct Program {
  const Instruction* instructions;
  const u32* starts;  // first instruction of each segment; a segment finds nothing in registers
  i32 segments;
  i32 value_bytes;  // of the values of rows
  i32 cells;        // of a strip
};

/// The kernels of an instruction set.
struct Kernels {
  i32 vector_bytes;
  /// The function of an instruction on such operands, or null. @param wide true: programs have values of 64 bits
  /// @param lanes of the operands; of `choose` of the values
  Run (*find)(bool wide, Code code, Lanes lanes, const Source (&sources)[3]);
  /// The function of two operations one after the other, the second on what the first leaves in registers, or null if
  /// there is none for both.
  Run (*find_pair)(bool wide, Lanes lanes, Code first, const Source (&sources)[3], Code second,
                   const Source (&second_sources)[3]);
  /// Computes the cells [begin, end), at least a strip. The cell 0 need not be there. The last strip may overlap the
  /// one before.
  void (*run)(const Program& program, const Word* words, i64 begin, i64 end);
};

/// Cells of a strip: as many of the widest values as eight vectors hold.
inline constexpr i32 held_vectors = 8;

namespace sse2 {
Kernels kernels();
}
namespace avx2 {
Kernels kernels();
}
namespace avx512 {
Kernels kernels();
}

}  // namespace terrace::formula::strips
