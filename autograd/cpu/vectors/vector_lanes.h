#pragma once
#include <cmath>

#include "autograd/cpu/vectors/vector_register.h"

/// Functions of vectors, lane by lane with the functions of numbers: for machines without libmvec.
namespace pinn {

template <class T, class F> Vec<T> by_lanes(F f, Vec<T> x) {
  for (int i = 0; i < Vec<T>::size; ++i) x.v[i] = f(x.v[i]);
  return x;
}
template <class T, class F> Vec<T> by_lanes(F f, Vec<T> x, Vec<T> y) {
  for (int i = 0; i < Vec<T>::size; ++i) x.v[i] = f(x.v[i], y.v[i]);
  return x;
}

template <class T> Vec<T> sqrt(Vec<T> x) {
  return by_lanes([](T a) { return std::sqrt(a); }, x);
}
template <class T> Vec<T> exp(Vec<T> x) {
  return by_lanes([](T a) { return std::exp(a); }, x);
}
template <class T> Vec<T> log(Vec<T> x) {
  return by_lanes([](T a) { return std::log(a); }, x);
}
template <class T> Vec<T> log1p(Vec<T> x) {
  return by_lanes([](T a) { return std::log1p(a); }, x);
}
template <class T> Vec<T> sin(Vec<T> x) {
  return by_lanes([](T a) { return std::sin(a); }, x);
}
template <class T> Vec<T> cos(Vec<T> x) {
  return by_lanes([](T a) { return std::cos(a); }, x);
}
template <class T> Vec<T> tan(Vec<T> x) {
  return by_lanes([](T a) { return std::tan(a); }, x);
}
template <class T> Vec<T> atan(Vec<T> x) {
  return by_lanes([](T a) { return std::atan(a); }, x);
}
template <class T> Vec<T> sinh(Vec<T> x) {
  return by_lanes([](T a) { return std::sinh(a); }, x);
}
template <class T> Vec<T> cosh(Vec<T> x) {
  return by_lanes([](T a) { return std::cosh(a); }, x);
}
template <class T> Vec<T> tanh(Vec<T> x) {
  return by_lanes([](T a) { return std::tanh(a); }, x);
}
template <class T> Vec<T> erf(Vec<T> x) {
  return by_lanes([](T a) { return std::erf(a); }, x);
}
template <class T> Vec<T> pow(Vec<T> x, Vec<T> y) {
  return by_lanes([](T a, T b) { return std::pow(a, b); }, x, y);
}
template <class T> Vec<T> atan2(Vec<T> x, Vec<T> y) {
  return by_lanes([](T a, T b) { return std::atan2(a, b); }, x, y);
}

}  // namespace pinn
