#include "autograd/core/storage.h"

#include <array>
#include <new>

namespace pinn {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool keeps = false;
#else
constexpr bool keeps = true;
#endif
constexpr std::size_t step = piece_alignment, classes = 16;  // pieces of up to 1 KiB
constexpr int most_kept = 4096;                              // of each size

void* piece_from_system(std::size_t bytes) { return ::operator new(bytes, std::align_val_t(step)); }
void piece_to_system(void* piece) { ::operator delete(piece, std::align_val_t(step)); }

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

  ~Lists();
  void clear() {
    for (List& list : lists)
      for (; list.first; --list.count) {
        Free* piece = list.first;
        list.first = piece->next;
        piece_to_system(piece);
      }
  }
};

constinit thread_local Lists* own_lists = nullptr;
constinit thread_local bool lists_gone = false;  // then what is freed goes straight to the system

Lists::~Lists() {
  own_lists = nullptr;
  lists_gone = true;
  clear();
}

[[gnu::noinline]] Lists* made_lists() {
  if (lists_gone) return nullptr;
  static thread_local Lists value;
  return own_lists = &value;
}

/// This thread's lists; null where there are none.
Lists* lists() { return own_lists ? own_lists : made_lists(); }

std::size_t class_of(std::size_t bytes) { return (bytes - 1) / step; }

}  // namespace

void* take_piece(std::size_t bytes) {
  const std::size_t at = class_of(bytes);
  Lists* const here = keeps && at < classes ? lists() : nullptr;
  if (!here) return piece_from_system(bytes);
  Lists::List& list = here->lists[at];
  if (!list.first) return piece_from_system((at + 1) * step);
  Lists::Free* piece = list.first;
  list.first = piece->next;
  --list.count;
  return piece;
}

void give_piece(void* piece, std::size_t bytes) noexcept {
  const std::size_t at = class_of(bytes);
  Lists* const here = keeps && at < classes ? lists() : nullptr;
  if (!here || here->lists[at].count >= most_kept) return piece_to_system(piece);
  Lists::List& list = here->lists[at];
  list.first = new (piece) Lists::Free{list.first};
  ++list.count;
}

void release_free_pieces() {
  if (own_lists) own_lists->clear();
}

}  // namespace pinn
