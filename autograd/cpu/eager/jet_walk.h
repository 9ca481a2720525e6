#pragma once
#include <algorithm>
#include <array>

#include "autograd/cpu/block/jet_strip.h"

namespace pinn::cpu {

/// Walks over jets [points, channels, features] strip by strip. A vector holds features of one
/// point that stand side by side; the last one of a point is moved back to end with the features,
/// so that a few are computed twice, with equal results. Where a point has fewer features than a
/// vector has lanes, elements are counted through points and features instead, so that no lane is
/// idle.
template <class T> class Strips {
 public:
  Strips(std::size_t points, std::size_t channels, std::size_t features)
      : points_(features > 0 ? points : 0), channels_(channels), features_(features) {}

  /// Goes to the next strip; false when there is none.
  bool next() {
    for (vectors_ = 0; vectors_ < strip_vectors && point_ < points_; ++vectors_)
      places_[vectors_] = rows() ? next_in_row() : next_across_points();
    return vectors_ > 0;
  }

  /// How many vectors of this strip hold elements.
  int vectors() const { return vectors_; }

  /// Reads this strip of a jet whose features are those of the walk, or 1: then it is repeated.
  void load(const T* jet, std::size_t own_features, Strip<T>& strip) const {
    for (int l = 0; l < vectors_; ++l) {
      const Place& at = places_[l];
      const T* from = jet + offset(at.point, at.feature, own_features);
      if (!rows())
        gather(jet, at, own_features, l, strip);
      else if (own_features == features_)
        for (std::size_t c = 0; c < channels_; ++c)
          strip[c].v[l] = Vec<T>::load(from + c * own_features);
      else
        for (std::size_t c = 0; c < channels_; ++c) strip[c].v[l] = Vec<T>(from[c]);
    }
  }

  /// Writes this strip of a jet.
  void store(T* jet, const Strip<T>& strip) const {
    for (int l = 0; l < vectors_; ++l) {
      const Place& at = places_[l];
      T* to = jet + offset(at.point, at.feature, features_);
      if (!rows())
        scatter(jet, at, l, strip);
      else
        for (std::size_t c = 0; c < channels_; ++c) strip[c].v[l].store(to + c * features_);
    }
  }

 private:
  /// Position of lane 0 of a vector, and how many lanes hold elements.
  struct Place {
    std::size_t point, feature, count;
  };

  static constexpr std::size_t lanes = Vec<T>::size;

  bool rows() const { return features_ >= lanes; }

  Place next_in_row() {
    const Place place = {point_, std::min(feature_, features_ - lanes), lanes};
    feature_ += lanes;
    if (feature_ >= features_) {
      feature_ = 0;
      ++point_;
    }
    return place;
  }

  Place next_across_points() {
    const std::size_t left = (points_ - point_) * features_ - feature_;
    const Place place = {point_, feature_, std::min(lanes, left)};
    feature_ += lanes;
    point_ += feature_ / features_;
    feature_ %= features_;
    return place;
  }

  std::size_t offset(std::size_t point, std::size_t feature, std::size_t own_features) const {
    return point * channels_ * own_features + (own_features == 1 ? 0 : feature);
  }
  /// The offsets of all lanes; lanes without an element repeat lane 0, so that they do nothing
  /// unusual.
  using Offsets = std::array<std::size_t, lanes>;
  Offsets offsets(Place at, std::size_t own_features) const {
    Offsets all;
    all.fill(offset(at.point, at.feature, own_features));
    for (std::size_t i = 1; i < at.count; ++i) {
      if (++at.feature == features_) {
        at.feature = 0;
        ++at.point;
      }
      all[i] = offset(at.point, at.feature, own_features);
    }
    return all;
  }

  void gather(const T* jet, const Place& at, std::size_t own_features, int l,
              Strip<T>& strip) const {
    const Offsets from = offsets(at, own_features);
    for (std::size_t c = 0; c < channels_; ++c, jet += own_features) {
      T values[lanes];
      for (std::size_t i = 0; i < lanes; ++i) values[i] = jet[from[i]];
      strip[c].v[l] = Vec<T>::load(values);
    }
  }
  void scatter(T* jet, const Place& at, int l, const Strip<T>& strip) const {
    const Offsets to = offsets(at, features_);
    for (std::size_t c = 0; c < channels_; ++c, jet += features_) {
      T values[lanes];
      strip[c].v[l].store(values);
      for (std::size_t i = 0; i < at.count; ++i) jet[to[i]] = values[i];
    }
  }

  std::size_t points_, channels_, features_;
  std::size_t point_ = 0, feature_ = 0;
  Place places_[strip_vectors] = {};
  int vectors_ = 0;
};

}  // namespace pinn::cpu
