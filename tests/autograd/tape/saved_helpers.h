#pragma once
#include "autograd/tape/saved_hooks.h"
#include "tests/autograd/tape/helpers.h"

namespace pinn::test {

/// Hooks that keep pack(t) and hand out unpack of it.
template <class Pack, class Unpack> SavedHooksPtr hooks(Pack pack, Unpack unpack) {
  SavedHooks h;
  h.name = "test";
  h.pack = [pack](const Tensor& t, const SavedContext&) { return Packed{{pack(t)}, nullptr}; };
  h.unpack = [unpack](const Packed& p) { return unpack(p.tensors[0]); };
  return std::make_shared<const SavedHooks>(h);
}

/// Hooks that multiply by one number when packing and by another when unpacking.
inline SavedHooksPtr scaling(double pack, double unpack) {
  return hooks([pack](const Tensor& t) { return t * pack; },
               [unpack](const Tensor& t) { return t * unpack; });
}
inline SavedHooksPtr identity() {
  return hooks([](const Tensor& t) { return t; }, [](const Tensor& t) { return t; });
}

}  // namespace pinn::test
