#pragma once
#include <string>

#include "tests/data/files/folder.h"
#include "tests/docs/markdown.h"

/// Folder in which a page is followed as by a reader, with the files of tests/docs/pages/PAGE, the
/// shipped problems in configs, and the programs in the path. Its pinn-train trains few steps: 5 of
/// each stage of a file, or for 0.3 s where the file leaves the stages to the program; or all of
/// them.
class PageFolder {
 public:
  enum class Steps { few, all };
  explicit PageFolder(const std::string& page, Steps steps = Steps::few);

  void write(const std::string& name, const std::string& text) const;
  bool has(const std::string& name) const;
  std::string read(const std::string& name) const;

  /// Writes the whole problem file that a block stands for; its name.
  ///
  ///   errors   std::runtime_error where the block is of a file that there is not
  std::string written(const pages::Block& block) const;

  /// Output of a shell for commands that stand in the file `name`; "" where they end well.
  std::string told_by(const std::string& shell, const std::string& name) const;
  /// All that the last ones printed.
  std::string printed() const { return read(".told"); }

 private:
  Folder folder_;
};

/// Folder of the files of a page: tests/docs/pages/how_to_resume for docs/how_to/resume.md.
std::string files_of(const std::string& page);
