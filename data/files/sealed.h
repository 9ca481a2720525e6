#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "data/files/disk.h"

namespace pinn {

/// The content of a file is not what was written: other than one that cannot be read at the moment,
/// it will never be good again.
struct DamagedFile : FileError {
  using FileError::FileError;
};

/// Content of a checkpoint file once every byte of it is verified.
struct Sealed {
  std::int64_t step = 0;
  std::string image;  ///< an HDF5 file
};

/// Writes an HDF5 image behind a 512-byte text that names step, size and SHA-256 of the image and
/// ends with the SHA-256 of itself. `head -5 FILE` tells a person what it is; HDF5 tools open the
/// file as any other, because HDF5 looks for its own beginning at byte 512 too.
///
///   previous  where the file that stood at `path` goes
///   errors    FileError; see write_atomically
void write_sealed(const std::string& path, const Sealed& content, FileSystem& files,
                  const std::string& previous);
/// The same of an image that is given piece by piece; its sum is known last, and written then.
void write_sealed(const std::string& path, std::int64_t step, const GiveBytes& image,
                  FileSystem& files, const std::string& previous);

/// Reads such a file and verifies all of it before HDF5 sees a byte.
///
///   errors   DamagedFile when it is no checkpoint, cut off or damaged; FileError when it cannot be
///            read, or is of another version
Sealed read_sealed(const std::string& path);
/// The same where the image is read in place: the file, open.
struct OpenSealed {
  std::int64_t step = 0;
  std::shared_ptr<const OpenFile> file;
};
OpenSealed open_sealed(const std::string& path);
/// The same of the content of such a file; `path` is where it came from.
Sealed unsealed(std::string content, const std::string& path);

/// Refuses to write another file in place of one that is sealed, be it damaged behind its first
/// words.
///
///   errors   ConfigError
void require_not_sealed(const std::string& path);

}  // namespace pinn
