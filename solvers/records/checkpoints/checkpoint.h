#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/files/disk.h"
#include "models/network.h"
#include "solvers/records/checkpoints/record.h"
#include "solvers/residual/loss/loss.h"
#include "solvers/state/state.h"

namespace pinn {

/// Contents of a checkpoint file. docs/output_files.md describes its layout.
struct Checkpoint {
  TrainState state;
  RunRecord record;
  std::vector<ParameterBlock> blocks;      ///< the network's arrays, stored by name too
  std::map<std::string, double> unknowns;  ///< as the physics has them, of the latest network
  std::map<std::string, double> best_unknowns = {};  ///< of the best one
  // For people who rebuild a network elsewhere; written, not read back.
  std::vector<InputRange> inputs = {};  ///< the coordinates
};

/// The names of the newest checkpoint in a run folder and of the one before it.
inline constexpr const char* checkpoint_name = "checkpoint.h5";
inline constexpr const char* previous_name = "checkpoint.prev.h5";

/// Writes `checkpoint.h5` of a run folder; the one that stood there becomes `checkpoint.prev.h5`.
/// When this returns, the state is on the disk.
///
///   errors   FileError; then the older checkpoint is intact
void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint, FileSystem& files);
/// The same with what ranks share out, which of the checkpoint's own memory is but a part.
class SharedTensors;
void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint, FileSystem& files,
                     const SharedTensors& shared);
void save_checkpoint(const std::string& folder, const Checkpoint& checkpoint);

/// Reads one file, every byte of it verified; the state is the saved one bit for bit.
///
///   errors   FileError that says what is wrong
Checkpoint load_checkpoint(const std::string& file);

/// A checkpoint as bytes, for ranks that do not see its file, without what is left out of it; and
/// back, of one that came from the file at `path`. `add`: more for the same HDF5 file.
class H5Writer;
std::string without_file(const Checkpoint& checkpoint,
                         const std::function<void(H5Writer&)>& add = {});
Checkpoint checkpoint_without_file(const std::string& bytes, const std::string& path);

/// A tensor of an optimizer's memory that a checkpoint's file has and that was not read: one that
/// ranks share out, each to read its part (shared_tensors.h).
struct LeftOut {
  std::size_t stage = 0;  ///< from 0
  std::string name = {};
  std::size_t elements = 0;

  std::string path() const;  ///< in the file
};

/// How much of a checkpoint is read: what ranks share out is large, and for going on alone.
enum class Contents { all, without_shared };

/// The newest good checkpoint of a run folder, and what a user should know about the choice.
struct Found {
  std::optional<Checkpoint> checkpoint;         ///< none when the folder holds none
  std::string file;                             ///< it came from
  std::vector<std::string> skipped;             ///< files passed over
  std::vector<std::string> messages;            ///< which were passed over and why
  std::vector<LeftOut> left_out = {};           ///< of the file, which ...
  std::shared_ptr<const OpenFile> opened = {};  ///< ... is open here
};

/// Looks at checkpoint.h5, then, when that is missing or damaged, at checkpoint.prev.h5.
///
///   errors   FileError when one cannot be read, which says nothing of its content, or when there
///            are checkpoints but none is good
Found newest_checkpoint(const std::string& folder, Contents contents = Contents::all);

// The seal of a checkpoint says that the file is as it was written, not by which program: what it
// holds is checked before it is used.

/// Which parts of a checkpoint contradict each other in what they say there is, in words: one says
/// "nothing yet", and another has it. Empty where none do.
std::string disagreement(const Checkpoint& checkpoint);

/// Requires what must be true of any checkpoint: counts within bounds, lists that go together of
/// one length, numbers finite that have to be.
///
///   errors   FileError that names what is not
void require_sense(const Checkpoint& checkpoint, const std::string& file);

}  // namespace pinn
