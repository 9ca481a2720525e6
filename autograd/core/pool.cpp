#include "autograd/core/pool.h"

#include <array>
#include <new>

#include "autograd/core/free_memory.h"

namespace pinn {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool keeps = false;
#else
constexpr bool keeps = true;
#endif
constexpr std::size_t step = piece_alignment, classes = 16;  // pieces of up to 1 KiB
constexpr int most_kept = 4096;                              // of each size

void* from_system(std::size_t bytes) { return ::operator new(bytes, std::align_val_t(step)); }
void to_system(void* piece) { ::operator delete(piece, std::align_val_t(step)); }

/// The free pieces of one thread, by size; a free piece holds the address of the next one.
struct Lists {
  struct Free {
    Free* next;
  };
  struct List {
    Free* first = nullptr;
    int count = 0;
  };
  std::array<List, classes> lists;

  ~Lists() {
    alive() = false;
    clear();
  }
  void clear() {
    for (List& list : lists)
      for (; list.first; --list.count) {
        Free* piece = list.first;
        list.first = piece->next;
        to_system(piece);
      }
  }
  /// False once this thread's lists are gone: what is freed later goes straight to the system.
  static bool& alive() {
    static thread_local bool value = true;
    return value;
  }
};

Lists& lists() {
  static thread_local Lists value;
  return value;
}

std::size_t class_of(std::size_t bytes) { return (bytes - 1) / step; }

}  // namespace

void* take_piece(std::size_t bytes) {
  const std::size_t at = class_of(bytes);
  if (!keeps || at >= classes || !Lists::alive()) return from_system(bytes);
  Lists::List& list = lists().lists[at];
  if (!list.first) return from_system((at + 1) * step);
  Lists::Free* piece = list.first;
  list.first = piece->next;
  --list.count;
  return piece;
}

void give_piece(void* piece, std::size_t bytes) noexcept {
  const std::size_t at = class_of(bytes);
  if (!keeps || at >= classes || !Lists::alive()) return to_system(piece);
  Lists::List& list = lists().lists[at];
  if (list.count >= most_kept) return to_system(piece);
  list.first = new (piece) Lists::Free{list.first};
  ++list.count;
}

void release_free_pieces() {
  if (Lists::alive()) lists().clear();
}

}  // namespace pinn
