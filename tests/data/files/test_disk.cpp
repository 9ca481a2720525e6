#include "data/files/disk.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "autograd/core/error.h"
#include "data/files/h5_reader.h"
#include "tests/catch.h"
#include "tests/data/files/faults.h"
#include "tests/data/files/folder.h"

using namespace pinn;
using Catch::Matchers::Contains;

namespace {

bool exists(const std::string& path) { return std::filesystem::exists(path); }

}  // namespace

TEST_CASE("a file is read up to the length that it may have", "[data][files][errors]") {
  const Folder folder;
  const std::string path = folder.file("a", "0123456789");
  CHECK(read_file(path, 10, "") == "0123456789");
  CHECK_THROWS_WITH(read_file(path, 9, "cut it"),
                    Contains("has 10 bytes; it may have 9") && Contains("fix:   cut it"));
  CHECK(OpenFile(path).beginning(4) == "0123");
  CHECK(OpenFile(path).beginning(40) == "0123456789");
  CHECK(file_hash(path) == "84d89877f0d4041efb6bf91a16f0248f2fd573e6af05c19f96bedb9f882f7882");
}

TEST_CASE("a file is written whole and replaces the one before", "[data][files]") {
  const Folder folder;
  write_atomically(folder / "a", {"first"});
  write_atomically(folder / "a", {"sec", "", "ond"});

  CHECK(read_file(folder / "a") == "second");
  CHECK(drafts(folder.path).empty());
}

TEST_CASE("the file before stays under its other name when asked", "[data][files]") {
  const Folder folder;
  for (const char* text : {"1", "2", "3"}) write_atomically(folder / "a", {text}, folder / "b");

  CHECK(read_file(folder / "a") == "3");
  CHECK(read_file(folder / "b") == "2");
}

TEST_CASE("whichever call fails, the error names it and the old content stays",
          "[data][files][errors]") {
  struct Case {
    std::string call;
    int code;
    std::string words;
  };
  const auto c = GENERATE(values<Case>({{"open", EACCES, "Permission denied"},
                                        {"write", ENOSPC, "No space left on device"},
                                        {"write", EFBIG, "File too large"},
                                        {"write", EIO, "Input/output error"},
                                        {"fsync", EIO, "Input/output error"},
                                        {"close", EIO, "Input/output error"},
                                        {"rename", EIO, "Input/output error"}}));
  const bool lasting = GENERATE(false, true);
  const std::string older(2500, 'o'), newer(5500, 'n');
  int n = 1;
  for (bool fired = true; fired; ++n) {
    const Folder folder;
    write_atomically(folder / "a", {older});
    Faults faults(c.call, n, c.code, lasting);
    INFO(c.call << " number " << n);

    std::string message;
    try {
      write_atomically(folder / "a", {"", newer}, faults, folder / "previous");
    } catch (const FileError& error) {
      message = error.what();
    }

    fired = faults.fired;
    const bool in_place = exists(folder / "a") && read_file(folder / "a") == newer;
    const bool harmless = c.call == "close" && in_place;  // of the folder, after all is done
    if (fired && !harmless) {
      CHECK_THAT(message, Contains(c.words) && Contains(folder.path) && Contains("fix:"));
      const bool kept = (exists(folder / "a") && read_file(folder / "a") == older) ||
                        (exists(folder / "previous") && read_file(folder / "previous") == older);
      CHECK(kept);
      CHECK(drafts(folder.path).empty());
    } else {
      CHECK(message.empty());
      CHECK(in_place);
    }
  }
  CHECK(n > 2);
}

TEST_CASE("a write error tells how far it came", "[data][files][errors]") {
  const Folder folder;
  Faults faults("write", 3, ENOSPC);
  CHECK_THROWS_WITH(write_atomically(folder / "a", {std::string(5000, 'x')}, faults),
                    Contains("cannot write byte 2000 of 5000") && Contains("make room"));
}

TEST_CASE("an interrupted write goes on", "[data][files]") {
  const Folder folder;
  Faults faults("write", 2, EINTR);
  write_atomically(folder / "a", {std::string(3000, 'x')}, faults);
  CHECK(read_file(folder / "a") == std::string(3000, 'x'));
}

TEST_CASE("a folder that cannot be synchronized is no error where the disk does not know how",
          "[data][files]") {
  const Folder folder;
  Faults faults("fsync", 2, EINVAL);
  write_atomically(folder / "a", {"text"}, faults);
  CHECK(faults.fired);
  CHECK(read_file(folder / "a") == "text");
}

TEST_CASE("the limit on file sizes is an error with a remedy, not a signal",
          "[data][files][errors]") {
  const Folder folder;
  write_atomically(folder / "a", {"older"});
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit tight{4096, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &tight);

  std::string message;
  try {
    write_atomically(folder / "a", {std::string(10000, 'x')});
  } catch (const FileError& error) {
    message = error.what();
  }
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  CHECK_THAT(message,
             Contains("byte 4096 of 10000") && Contains("File too large") && Contains("ulimit -f"));
  CHECK(read_file(folder / "a") == "older");
}

TEST_CASE("reading what is missing or a folder says so", "[data][files][errors]") {
  const Folder folder;
  CHECK_THROWS_WITH(read_file(folder / "absent"), Contains("absent") && Contains("No such file"));
  CHECK_THROWS_WITH(read_file(folder.path), Contains("Is a directory"));
}

TEST_CASE("bytes of every value and names with blanks and line ends survive", "[data][files]") {
  const Folder folder;
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += char(i);
  const std::string path = folder / "a name\nof two lines";
  write_atomically(path, {bytes});
  CHECK(read_file(path) == bytes);
}

TEST_CASE("a link in the place of a file is replaced, and what it leads to is left alone",
          "[data][files]") {
  const Folder folder;
  folder.file("target", "mine");
  for (const char* leads_to : {"target", "nothing"}) {
    std::filesystem::create_symlink(folder / leads_to, folder / "a");
    write_atomically(folder / "a", {"ours"});
    CHECK(read_file(folder / "a") == "ours");
    CHECK(read_file(folder / "target") == "mine");
    CHECK_FALSE(exists(folder / "nothing"));
    std::filesystem::remove(folder / "a");
  }
}

TEST_CASE("no link is written through by the name of a draft", "[data][files]") {
  struct Guessing : FileSystem {  // somebody who knows the name of the draft in advance, once
    int open(int folder, const char* name, int flags, int mode) override {
      if (!guessed.empty()) return FileSystem::open(folder, name, flags, mode);
      guessed = name;
      REQUIRE(::symlinkat("target", folder, name) == 0);
      return FileSystem::open(folder, name, flags, mode);
    }
    std::string guessed;
  } files;
  const Folder folder;
  write_atomically(folder / "a", {"ours"}, files);
  CHECK(read_file(folder / "a") == "ours");
  CHECK_FALSE(exists(folder / "target"));
}

TEST_CASE("drafts have names of their own, and only those nobody writes are removed",
          "[data][files]") {
  struct Looking : FileSystem {
    int rename(int folder, const char* from, const char* to) override {
      seen = from;
      removed = remove_drafts(folder, {"a"});  // as another process would
      return FileSystem::rename(folder, from, to);
    }
    int fsync(int file) override {
      while_written = remove_drafts(folder, {"a"});
      return FileSystem::fsync(file);
    }
    int open_folder(const char* path) override { return folder = FileSystem::open_folder(path); }
    int folder = -1;
    std::string seen;
    std::vector<std::string> removed, while_written;
  } files;
  const Folder folder;
  CHECK_THROWS_AS(write_atomically(folder / "a", {"x"}, files), FileError);  // it was taken away
  CHECK(files.while_written.empty());
  CHECK(files.removed == std::vector<std::string>{files.seen});
  CHECK_THAT(files.seen, Catch::Matchers::Matches("a\\.pinn-[0-9a-f]{16}\\.tmp"));

  const char* const others[] = {"a.tmp", "b.pinn-0123456789abcdef.tmp", "a.pinn-0123.tmp",
                                "a.pinn-0123456789abcdeg.tmp", "a.pinn-0123456789abcdef.txt"};
  for (const char* name : others) folder.file(name, "of somebody else");
  folder.file("a.pinn-0123456789abcdef.tmp", "half");
  std::filesystem::create_symlink("a.tmp", folder / "a.pinn-ffffffffffffffff.tmp");
  const int descriptor = FileSystem().open_folder(folder.path.c_str());
  CHECK(remove_drafts(descriptor, {"a"}) ==
        std::vector<std::string>{"a.pinn-0123456789abcdef.tmp"});
  ::close(descriptor);
  for (const char* name : others) CHECK(exists(folder / name));
}

TEST_CASE("no file takes the place of a device or a pipe", "[data][files][errors]") {
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0666) == 0);
  std::filesystem::create_symlink("pipe", folder / "link");
  std::filesystem::create_symlink("/proc/self/fd/1", folder / "stdout");
  for (const std::string& path :
       {folder / "pipe", folder / "link", folder / "stdout", std::string("/dev/null")}) {
    CHECK_THROWS_WITH(write_atomically(path, {"x"}),
                      Contains("a device or a pipe stands there") && Contains("where: " + path));
    CHECK_FALSE(std::filesystem::is_regular_file(std::filesystem::symlink_status(path)));
  }
  std::filesystem::create_symlink("pipe", folder / "pipe.h5");
  CHECK_THROWS_WITH(read_file(folder / "pipe"), Contains("a device or a pipe and no file"));
  CHECK_THROWS_WITH(H5Reader(folder / "pipe.h5"), Contains("a device or a pipe and no file"));
}

TEST_CASE("what is appended to is no link", "[data][files][errors]") {
  const Folder folder;
  FileSystem files;
  folder.file("target", "mine");
  std::filesystem::create_symlink("target", folder / "link");
  CHECK_THROWS_WITH(open_to_append(folder / "link", files),
                    Contains("cannot open the file") && Contains("a link stands where"));
}

TEST_CASE("a file's hash is the hash of its bytes", "[data][files]") {
  const Folder folder;
  CHECK(file_hash(folder.file("a.csv", "abc")) ==
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}
