#include "configs/choice.h"

namespace pinn::config {

void fill(Node& tree, const Node& chosen) {
  for (const Entry& e : chosen.entries) {
    Node* said = tree.find(e.key);
    if (!said) {
      tree.entries.push_back(e);
    } else if (said->kind == Node::table && e.value.kind == Node::table) {
      fill(*said, e.value);
    } else if (said->kind == Node::array && e.value.kind == Node::array) {
      for (std::size_t i = 0; i < e.value.items.size(); ++i) {
        const Node& item = e.value.items[i];
        if (item.kind != Node::table) break;  // a value, and it is said
        if (i == said->items.size())
          said->items.push_back(item);
        else
          fill(said->items[i], item);
      }
    }
  }
}

}  // namespace pinn::config
