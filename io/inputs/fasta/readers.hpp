// Files of sequences, read record by record, plain or gzip.
#pragma once

#include "io/input_file.hpp"
#include "io/inputs/fasta/record.hpp"
#include "io/kept_memory.hpp"

namespace terrace::io {

/// Reads all records of a file and hands them on.
/// @param check_kept is told now and then what the taker keeps
/// @throws IoError naming line and column of text that is not of the format, or if there is no record
using ReadRecords = void (*)(const InputFile& file, RecordTaker& taker, const CheckKept& check_kept);

/// See FastaScanner.
void read_fasta(const InputFile& file, RecordTaker& taker, const CheckKept& check_kept);
/// Reads records of FASTQ (Cock et al. 2010). Qualities are checked and left out.
void read_fastq(const InputFile& file, RecordTaker& taker, const CheckKept& check_kept);

}  // namespace terrace::io
