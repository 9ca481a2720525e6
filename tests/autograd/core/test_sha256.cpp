#include "autograd/core/sha256.h"

#include "tests/catch.h"

using namespace pinn;

TEST_CASE("sha256 gives the digests of FIPS 180-4's examples", "[autograd][core]") {
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256(std::string(1000000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("sha256 of pieces equals sha256 of the whole, wherever it is cut", "[autograd][core]") {
  std::string text;
  for (int i = 0; i < 200; ++i) text += char(i);

  for (std::size_t length = 0; length <= text.size(); length += 7)
    for (std::size_t cut = 0; cut <= length; cut += 5) {
      const std::string_view whole = std::string_view(text).substr(0, length);
      Sha256 sum;
      sum.add(whole.substr(0, cut));
      sum.add(whole.substr(cut));
      REQUIRE(sum.hex() == sha256(whole));
    }
}
