#pragma once
#include <cstddef>

namespace pinn {

inline constexpr std::size_t piece_alignment = 64;

/// Memory for the small objects that every recorded op makes anew: tensors, nodes and storages,
/// each on cache lines of its own. Freed pieces are kept by the thread that freed them, by size,
/// and handed out again. Under the sanitizers every piece comes from the system, so that they can
/// watch it.
void* take_piece(std::size_t bytes);
void give_piece(void* piece, std::size_t bytes) noexcept;

/// take_piece and give_piece as an allocator, for std::allocate_shared.
template <class T> struct PieceAllocator {
  using value_type = T;
  PieceAllocator() = default;
  template <class U> PieceAllocator(const PieceAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(take_piece(n * sizeof(T))); }
  void deallocate(T* p, std::size_t n) noexcept { give_piece(p, n * sizeof(T)); }
  template <class U> bool operator==(const PieceAllocator<U>&) const { return true; }
};

}  // namespace pinn
