#pragma once
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "autograd/core/error.h"

namespace pinn {

/// The processes that train one run together; this one is among them. All ranks make the same calls
/// in the same order, each from one thread at a time, so that a call is one act of all.
///
///   errors   RankError when another rank has failed, or is silent for too long
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int rank() const = 0;  ///< of this process, from 0
  virtual int count() const = 0;
  /// The name of the machine where a rank runs.
  virtual std::string host(int rank) const = 0;

  /// Gives all ranks the shares of each: `first` has count() + 1 entries, and rank r comes with
  /// numbers first[r] ... first[r + 1] - 1. They arrive bit for bit, whatever they mean.
  virtual void gather(std::span<double> numbers, std::span<const std::size_t> first) = 0;
  /// Gives all ranks the bytes of rank 0, as many as they have room for.
  virtual void broadcast(std::span<char> bytes) = 0;

  /// Waits until `done`, which is asked again and again, says so: for what the ranks do together by
  /// other means than these calls.
  virtual void wait_until(const std::function<bool()>& done) = 0;

  /// How long others are waited for, in seconds.
  virtual void set_patience(double seconds) = 0;

  /// How the work of all ranks ended.
  struct Ending {
    int code = 0;     ///< for the shell, from every rank
    int teller = -1;  ///< the rank whose failure it is, and which tells; -1: none failed
  };
  /// The last act of every rank: its exit code, and of one that failed the text of that;
  /// `by_another`: it did because another rank did. The failure that came first decides, of several
  /// that of the lowest rank; else the code of rank 0.
  virtual Ending end(int code, const std::string& failure, bool by_another) = 0;

  /// A word of this rank, that from now on goes around with every gather, and takes no message.
  virtual void say(double word) = 0;
  /// Words of the ranks at the latest gather, in their order; empty before the first.
  virtual std::span<const double> said() const = 0;
};

/// Another rank failed, or is silent; exit code 9.
struct RankError : Error {
  using Error::Error;
};

/// This process alone.
Ranks& alone();

/// The numbers of all ranks, in their order; all come with equally many.
std::vector<double> gathered(Ranks& ranks, std::span<const double> own);
/// The texts of all ranks, in their order.
std::vector<std::string> gathered(Ranks& ranks, const std::string& own);
/// The text of rank 0.
std::string from_first(Ranks& ranks, std::string text);

/// Gives all ranks what each has of some numbers: of rank r they stand in by_rank[r].
void share_out(Ranks& ranks, const std::vector<std::vector<std::span<double>>>& by_rank);
/// Gives all ranks the numbers of one.
void share_out(Ranks& ranks, int owner, std::span<double> numbers);

/// "rank 2 of 4, on node7"
std::string rank_text(const Ranks& ranks, int rank);

/// How many threads this rank may use: as available_threads(), where ranks of one machine share it.
int available_threads(Ranks& ranks);

/// How many processes the launcher of this one says that it started together, mpirun or one like
/// it; 0 where there was none.
int launched_together();

}  // namespace pinn
