#pragma once
#include <set>
#include <string>
#include <vector>

#include "solvers/sweep/child.h"
#include "solvers/sweep/member_record.h"
#include "solvers/sweep/sweep.h"

namespace pinn::sweep {

/// This process at work on a sweep, beside others of its kind: what is to be done stands in the
/// folders of the members, and who does it holds their locks.
class Conductor {
 public:
  Conductor(const Sweep& sweep, const Work& work);
  ~Conductor();
  Conductor(const Conductor&) = delete;

  /// Goes on with the work. True if there is more to do: for this process, or to wait for.
  bool advance();
  /// Asks all children to save and to end; none is started from now on.
  void stop();
  bool has_children() const { return !busy_.empty(); }

 private:
  /// A member that a child of this process trains.
  struct Busy {
    std::size_t member = 0;
    Lock lock;
    MemberRecord record;
    std::size_t log_before = 0;  ///< bytes of its log that are of earlier sittings
    Child child;
  };

  std::string folder(std::size_t member) const;
  bool is_open(std::size_t member, const MemberRecord& record) const;
  void reap();
  void end(Busy& busy, int code);
  void fill();
  bool start(std::size_t member);
  std::vector<std::string> words(const Member& member) const;
  void require_same_problem() const;

  const Sweep& sweep_;
  const Work& work_;
  std::vector<std::int64_t> ended_;  ///< sittings of each member when this process began, if they
                                     ///< had ended; else 0
  std::set<std::size_t> tried_;      ///< members that it had
  std::vector<Busy> busy_;
  double looked_at_ = -1;     ///< when all members were looked at last
  bool others_busy_ = false;  ///< then some were at work elsewhere
  bool stopping_ = false;
};

}  // namespace pinn::sweep
