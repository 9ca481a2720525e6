#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "data/files/confined/confined_child.h"

namespace pinn::confined {
namespace {

#if defined(__x86_64__)
constexpr unsigned machine = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned machine = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned machine = 0;  ///< of another processor nothing is forbidden
#endif

/// The socket and files that are open for reading are all that there is to read and write.
constexpr int allowed[] = {
    SYS_read,          SYS_readv,        SYS_pread64,        SYS_lseek,        SYS_fstat,
    SYS_newfstatat,    SYS_statx,        SYS_close,          SYS_getdents64,   SYS_recvfrom,
    SYS_sendto,        SYS_write,        SYS_writev,         SYS_brk,          SYS_mmap,
    SYS_munmap,        SYS_mremap,       SYS_mprotect,       SYS_madvise,      SYS_futex,
    SYS_clock_gettime, SYS_gettimeofday, SYS_getrandom,      SYS_getpid,       SYS_gettid,
    SYS_sched_yield,   SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack,
    SYS_exit,          SYS_exit_group,   SYS_restart_syscall};

/// A sanitizer asks by a pipe whether memory may be read.
#if defined(__SANITIZE_ADDRESS__) && defined(SYS_pipe)
constexpr std::array<int, 2> of_sanitizers = {SYS_pipe, SYS_pipe2};
#else
constexpr std::array<int, 0> of_sanitizers = {};
#endif

using Rule = sock_filter;

Rule load(std::size_t offset) { return {BPF_LD | BPF_W | BPF_ABS, 0, 0, unsigned(offset)}; }
Rule end_with(unsigned verdict) { return {BPF_RET | BPF_K, 0, 0, verdict}; }
/// Passes over `yes` rules if what was loaded is `value`, over `no` rules if not.
Rule compare(unsigned value, unsigned char yes, unsigned char no) {
  return {BPF_JMP | BPF_JEQ | BPF_K, yes, no, value};
}
Rule any_bit(unsigned bits, unsigned char yes, unsigned char no) {
  return {BPF_JMP | BPF_JSET | BPF_K, yes, no, bits};
}

std::vector<Rule> rules() {
  const Rule pass = end_with(SECCOMP_RET_ALLOW), refuse = end_with(SECCOMP_RET_ERRNO | EPERM);
  std::vector<Rule> all = {load(offsetof(seccomp_data, arch)), compare(machine, 1, 0), refuse,
                           load(offsetof(seccomp_data, nr))};
  const auto allow = [&](int call) {
    all.push_back(compare(unsigned(call), 0, 1));
    all.push_back(pass);
  };
  for (const int call : allowed) allow(call);
  for (const int call : of_sanitizers) allow(call);
  all.push_back(compare(SYS_openat, 1, 0));
  all.push_back(refuse);
  all.push_back(load(offsetof(seccomp_data, args[2])));  // little-endian: the lower half
  all.push_back(any_bit(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND, 1, 0));
  all.push_back(pass);
  all.push_back(refuse);
  return all;
}

}  // namespace

void forbid_calls() {
  if (machine == 0) return;
  std::vector<Rule> all = rules();
  const sock_fprog program{static_cast<unsigned short>(all.size()), all.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
  prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

}  // namespace pinn::confined
