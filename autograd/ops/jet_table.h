#pragma once
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "autograd/ops/multi_index.h"

namespace pinn {

/// Content of one channel of a jet: sum_a c_a d^a of a function, as a -> c_a. A single derivative
/// is one index with coefficient 1, the value is the index 0; anything else is an operator channel.
using Channel = std::map<MultiIndex, double>;

/// The channel of one derivative.
Channel single(const MultiIndex& a);

/// The smallest set of channels that gives the single derivatives and the operators asked for; the
/// value comes first, single derivatives by order, operator channels last. An operator's part that
/// is needed on its own, or lies below another needed index, stays a single channel and is left out
/// of the operator's: what is left are maximal indices, and only those may travel as a sum, because
/// what the sum forgets is then an ideal and the quotient is an algebra again.
///
///   source   collapsed Taylor mode, arXiv 2505.13644, for any order and several operators
std::vector<Channel> channels(const std::vector<MultiIndex>& singles,
                              const std::vector<Channel>& operators);

/// Reading of a derivative or an operator from channels: the sum of weight times channel.
struct Read {
  int channel;
  double weight;
};

/// The algebra of jets with given channels: Leibniz' rule as a sparse table of weights,
///
///   (a b)_k = sum_{i,j} w[i,j,k] a_i b_j,
///
/// in plain derivatives, not divided by factorials. From it follow f(h) = sum_m f^(m)(h_0) n^m / m!
/// with the nilpotent n = h - h_0, and the reverse sweep hbar_i = sum_{j,k} w[i,j,k] ybar_k
/// f'(h)_j. Immutable; shared by all that work on such jets.
class JetTable {
 public:
  /// a_i b_j contributes with this weight to (a b)_k. (Weights that vary from point to point would
  /// be one more number here: which column of a weight array to multiply with.)
  struct Term {
    int i, j, k;
    double weight;
  };
  using Terms = std::vector<Term>;

  /// The power n^m = n^(m-1) n of a nilpotent jet: its terms, without those that are 0, and the
  /// channels that may be other than 0.
  struct Power {
    Terms terms;
    std::vector<int> channels;
  };

  ///   errors   EngineError when the channels are not as channels() makes them: the value first, a
  ///            downward closed set of single derivatives, operators over maximal indices
  explicit JetTable(std::vector<Channel> channels);

  int size() const { return int(channels_.size()); }
  /// The highest order of a derivative in any channel; n^(order + 1) = 0.
  int order() const { return int(powers_.size()) - 1; }
  const std::vector<Channel>& channels() const { return channels_; }
  /// Sorted by k, so that a result is made from start to end; every k has one.
  const Terms& terms() const { return terms_; }
  /// The transpose y_i = sum w[i,j,k] g_k b_j in the same form: its entries are
  /// {k, j, i, w}, sorted by i.
  const Terms& transposed() const { return transposed_; }
  /// n^m for m = 1 ... order; n^1 has channels and no terms.
  const Power& power(int m) const { return powers_[std::size_t(m)]; }

  /// The channel that is this single derivative; -1 when there is none.
  int find(const MultiIndex& a) const;
  /// The channels whose weighted sum is this operator; EngineError when they cannot express it.
  std::vector<Read> read(const Channel& form) const;

  bool operator==(const JetTable& other) const { return channels_ == other.channels_; }
  std::size_t hash() const;

 private:
  void add_terms();
  void add_powers();

  std::vector<Channel> channels_;
  std::map<MultiIndex, int> singles_;
  Terms terms_, transposed_;
  std::vector<Power> powers_;
};

using JetTablePtr = std::shared_ptr<const JetTable>;

/// The table for what is asked: channels() and their products.
JetTablePtr jet_table(const std::vector<MultiIndex>& singles,
                      const std::vector<Channel>& operators = {});

/// The highest derivative of an op that a jet can ask for.
inline constexpr int max_derivative = 7;
/// Errors: EngineError when derivative m of this op of Unary is a higher one.
void must_have_derivative(int op, int m);
/// Errors: ShapeError when two jets have different numbers of features and neither has one.
void must_have_matching_features(std::int64_t a, std::int64_t b);

}  // namespace pinn
