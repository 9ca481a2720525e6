// Built for the oldest x86-64, whatever the rest is built for. So it uses no inline function of the
// standard library: the linker might take the copy that another file made for a newer processor.
#include "autograd/core/version.h"

#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace {

struct InstructionSet {
  const char* name;
  bool present;
};

/// Does `text`, words between spaces, hold `word`?
bool holds(const char* text, const char* word) {
  const std::size_t size = std::strlen(word);
  for (const char* at = std::strstr(text, word); at; at = std::strstr(at + 1, word))
    if ((at == text || at[-1] == ' ') && (at[size] == ' ' || at[size] == 0)) return true;
  return false;
}

/// Runs before the constructors of global objects, which may use the newer instructions already.
__attribute__((constructor(101))) void stop_on_an_older_processor() {
  const char* lacking = pinn_check_processor(pinn_needed_instructions());
  if (!lacking) return;
  std::fprintf(
      stderr,
      "error: this program was built for another processor: this one lacks %s\n"
      "  fix:   build it on this machine, or with \"cmake --workflow --preset portable\"\n",
      lacking);
  _exit(7);
}

}  // namespace

const char* pinn_needed_instructions() { return PINN_NEEDS; }

#if defined(__x86_64__)
const char* pinn_check_processor(const char* needed) {
  __builtin_cpu_init();
  // F16C, LZCNT and MOVBE come with AVX2, and clang 14 cannot ask for them.
  const InstructionSet known[] = {
      {"__SSE3__", __builtin_cpu_supports("sse3") != 0},
      {"__SSSE3__", __builtin_cpu_supports("ssse3") != 0},
      {"__SSE4_1__", __builtin_cpu_supports("sse4.1") != 0},
      {"__SSE4_2__", __builtin_cpu_supports("sse4.2") != 0},
      {"__POPCNT__", __builtin_cpu_supports("popcnt") != 0},
      {"__AVX__", __builtin_cpu_supports("avx") != 0},
      {"__AVX2__", __builtin_cpu_supports("avx2") != 0},
      {"__FMA__", __builtin_cpu_supports("fma") != 0},
      {"__BMI__", __builtin_cpu_supports("bmi") != 0},
      {"__BMI2__", __builtin_cpu_supports("bmi2") != 0},
      {"__GFNI__", __builtin_cpu_supports("gfni") != 0},
      {"__AVX512F__", __builtin_cpu_supports("avx512f") != 0},
      {"__AVX512CD__", __builtin_cpu_supports("avx512cd") != 0},
      {"__AVX512BW__", __builtin_cpu_supports("avx512bw") != 0},
      {"__AVX512DQ__", __builtin_cpu_supports("avx512dq") != 0},
      {"__AVX512VL__", __builtin_cpu_supports("avx512vl") != 0},
      {"__AVX512IFMA__", __builtin_cpu_supports("avx512ifma") != 0},
      {"__AVX512VBMI__", __builtin_cpu_supports("avx512vbmi") != 0},
      {"__AVX512VBMI2__", __builtin_cpu_supports("avx512vbmi2") != 0},
      {"__AVX512VNNI__", __builtin_cpu_supports("avx512vnni") != 0},
      {"__AVX512BITALG__", __builtin_cpu_supports("avx512bitalg") != 0},
      {"__AVX512VPOPCNTDQ__", __builtin_cpu_supports("avx512vpopcntdq") != 0},
      {"__AVX512BF16__", __builtin_cpu_supports("avx512bf16") != 0},
  };
  for (const InstructionSet& set : known)
    if (!set.present && holds(needed, set.name)) return set.name;
  return nullptr;
}
#else
const char* pinn_check_processor(const char*) { return nullptr; }
#endif
