#pragma once
#include <cstddef>
#include <map>

/// The memory of a simulated GPU: memory of the host that nothing but a simulated kernel or copy
/// can touch. What was not written, and what was freed, is not-a-number.
class SimulatedMemory {
 public:
  explicit SimulatedMemory(std::size_t bytes);
  ~SimulatedMemory();
  SimulatedMemory(const SimulatedMemory&) = delete;
  SimulatedMemory& operator=(const SimulatedMemory&) = delete;

  void* allocate(std::size_t bytes);  ///< null when there is not enough in one piece
  bool release(void* block);          ///< false when there is no such block
  bool contains(const void* place) const;
  std::size_t free_bytes() const { return capacity_ - taken_; }

  /// While one of these lives the memory can be touched.
  class Open {
   public:
    explicit Open(SimulatedMemory& memory);
    ~Open();
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

   private:
    SimulatedMemory& memory_;
  };

 private:
  void protect(int how);

  const std::size_t capacity_;
  char* const base_;
  std::map<std::size_t, std::size_t> used_;  // from where, how many bytes
  std::size_t taken_ = 0, highest_ = 0;
  int open_ = 0;
};
