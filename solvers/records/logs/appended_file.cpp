#include "solvers/records/logs/metric_record.h"

#include <unistd.h>

#include <cerrno>

namespace pinn {

AppendedFile::AppendedFile(const std::string& path, FileSystem& files)
    : path_(path), files_(files), file_(open_to_append(path, files)) {}

AppendedFile::~AppendedFile() { files_.close(file_); }

void AppendedFile::append(std::string_view piece) {
  const off_t before = ::lseek(file_, 0, SEEK_END);
  for (std::string_view rest = piece; !rest.empty();) {
    const ssize_t count = files_.write(file_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int code = count < 0 ? errno : ENOSPC;
      if (rest.size() < piece.size()) files_.truncate(file_, before);
      throw_file_error("cannot append to the file", path_, code);
    }
    rest.remove_prefix(std::size_t(count));
  }
}

}  // namespace pinn
