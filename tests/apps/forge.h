#pragma once
#include <string>
#include <vector>

/// Checkpoints that are forged entry by entry and sealed again, as a hostile hand would.
namespace pinn::test {

/// One falsehood about one array, text, group or attribute of an HDF5 image.
struct Forgery {
  std::string path;
  std::string attribute;  ///< empty: the object itself
  std::string kind;       ///< "missing", "shorter", "longer", "empty", "more axes", "other type",
                          ///< "negative", "huge", "not a number", "garbage", "long text", "extra"
  std::string text() const {
    return path + (attribute.empty() ? "" : "@" + attribute) + " " + kind;
  }
};

/// Every forgery that applies to what the image holds: walks all of it.
std::vector<Forgery> forgeries(const std::string& image);

/// The image with that one falsehood.
std::string forged(const std::string& image, const Forgery& forgery);

/// The content of a checkpoint, and a checkpoint at `path` with another content, sealed well.
std::string content_of(const std::string& checkpoint);
void reseal(const std::string& path, const std::string& checkpoint, const std::string& image);

}  // namespace pinn::test
