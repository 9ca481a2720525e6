#pragma once
#include <algorithm>
#include <vector>

#include "autograd/cpu/jet_series.h"
#include "autograd/ops/jet_table.h"

namespace pinn {

/// All channels of a few vectors of a jet's elements, [channel * strip_vectors + l]; lives in L1.
template <class T> using Strip = std::vector<Vec<T>>;

/// Walks over jets [points, channels, features] strip by strip. Elements are counted through points
/// and features, element e being (e / features, e % features), so lanes are full for any number of
/// features.
template <class T> class Strips {
 public:
  Strips(std::size_t points, std::size_t channels, std::size_t features)
      : channels_(channels), features_(features), left_(points * features) {}

  Strip<T> make() const { return Strip<T>(channels_ * strip_vectors, Vec<T>(0.0)); }

  /// Goes to the next strip; false when there is none.
  bool next() {
    for (vectors_ = 0; vectors_ < strip_vectors && left_ > 0; ++vectors_) {
      places_[vectors_] = {point_, feature_, std::min<std::size_t>(Vec<T>::size, left_)};
      left_ -= places_[vectors_].count;
      feature_ += Vec<T>::size;
      if (feature_ < features_) continue;
      point_ += feature_ / features_;
      feature_ %= features_;
    }
    return vectors_ > 0;
  }

  /// How many vectors of this strip hold elements.
  int vectors() const { return vectors_; }

  /// Reads this strip of a jet whose features are those of the walk, or 1: then it is repeated.
  void load(const T* jet, std::size_t own_features, Strip<T>& strip) const {
    for (int l = 0; l < vectors_; ++l) {
      const Place& at = places_[l];
      const T* from = jet + offset(at.point, at.feature, own_features);
      if (!whole(at))
        gather(jet, at, own_features, &strip[l]);
      else if (own_features == features_)
        for (std::size_t c = 0; c < channels_; ++c)
          strip[c * strip_vectors + l] = Vec<T>::load(from + c * own_features);
      else
        for (std::size_t c = 0; c < channels_; ++c) strip[c * strip_vectors + l] = Vec<T>(from[c]);
    }
  }

  /// Writes this strip of a jet.
  void store(T* jet, const Strip<T>& strip) const {
    for (int l = 0; l < vectors_; ++l) {
      const Place& at = places_[l];
      T* to = jet + offset(at.point, at.feature, features_);
      if (!whole(at))
        scatter(jet, at, &strip[l]);
      else
        for (std::size_t c = 0; c < channels_; ++c)
          strip[c * strip_vectors + l].store(to + c * features_);
    }
  }

 private:
  /// Where lane 0 of a vector stands, and how many lanes hold elements.
  struct Place {
    std::size_t point, feature, count;
  };

  /// The lanes stand side by side in memory.
  bool whole(const Place& at) const {
    return at.count == Vec<T>::size && at.feature + Vec<T>::size <= features_;
  }
  std::size_t offset(std::size_t point, std::size_t feature, std::size_t own_features) const {
    return point * channels_ * own_features + (own_features == 1 ? 0 : feature);
  }
  std::size_t lane_offset(const Place& at, std::size_t lane, std::size_t own_features) const {
    const std::size_t feature = at.feature + lane;
    return offset(at.point + feature / features_, feature % features_, own_features);
  }

  /// Lanes without an element repeat lane 0, so that they do nothing unusual.
  void gather(const T* jet, const Place& at, std::size_t own_features, Vec<T>* strip) const {
    for (std::size_t i = 0; i < Vec<T>::size; ++i) {
      const T* from = jet + lane_offset(at, i < at.count ? i : 0, own_features);
      for (std::size_t c = 0; c < channels_; ++c)
        strip[c * strip_vectors].v[i] = from[c * own_features];
    }
  }
  void scatter(T* jet, const Place& at, const Vec<T>* strip) const {
    for (std::size_t i = 0; i < at.count; ++i) {
      T* to = jet + lane_offset(at, i, features_);
      for (std::size_t c = 0; c < channels_; ++c) to[c * features_] = strip[c * strip_vectors].v[i];
    }
  }

  std::size_t channels_, features_, left_;
  std::size_t point_ = 0, feature_ = 0;
  Place places_[strip_vectors] = {};
  int vectors_ = 0;
};

}  // namespace pinn
