#pragma once
#include <map>
#include <string>

#include "solvers/verify/claims.h"

namespace pinn {

/// Ending of the name of a receipt.
inline constexpr const char* receipt_ending = ".pinn";

/// All that it takes to verify a result elsewhere: the checkpoint, without what only going on
/// needs; the files that its problem names; and what is claimed, as `program` computed it.
struct Receipt {
  Checkpoint checkpoint;
  Claims claims;
  std::string program, instruction_set;      ///< that computed the claims
  std::map<std::string, std::string> files;  ///< content by name, as the problem file has that
};

/// Requires that a receipt can hold the files that a problem names.
///
///   errors   ConfigError for one that is named by a path from the root
void require_relative_files(const Run& run);

/// The receipt of a finished run, with its claims computed anew. Files of more than 64 MiB in all
/// stay out, the largest first: their hashes are in the record.
///
///   run      as the checkpoint, out of `file`, has it, on the CPU
///   errors   ConfigError for a run that is not done, and for files that the problem names by a
///            path from the root; FileError
Receipt receipt_of(const Run& run, Checkpoint checkpoint, const std::string& file,
                   ThreadPool& pool);

/// Writes it as a sealed HDF5 file: a checkpoint with a group `/receipt`.
void write_receipt(const std::string& path, const Receipt& receipt);
/// Errors: FileError for a file that is none, or damaged.
Receipt read_receipt(const std::string& path);

/// Puts the files of a receipt into a folder, and those that it only knows by their hashes as links
/// to files beside it. Gives the path of the problem file there, which is not written.
///
///   errors   ConfigError for names that lead out of the folder, and for files that are not there
std::string unpacked(const Receipt& receipt, const std::string& from, const std::string& folder);

}  // namespace pinn
