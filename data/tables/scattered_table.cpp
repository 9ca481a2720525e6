#include "data/tables/scattered_table.h"

#include "data/tables/scattered_base.h"
#include "data/tables/table_function.h"

namespace pinn {
namespace {

class NearestTable : public ScatteredTable, public WritesC {
 public:
  using ScatteredTable::ScatteredTable;
  bool vanishes(const MultiIndex& order) const override { return pinn::order(order) > 0; }
  TableText c_text(const std::string& name) const override {
    return nearest_text(name, axes_, points_, values_);
  }

 private:
  double value(const MultiIndex&, const Place& at) const override {
    return values_[tree_->nearest(place(at), 1)[0].point];
  }
};

}  // namespace

TablePtr nearest_table(TableOptions options, std::vector<double> points,
                       std::vector<double> values) {
  return std::make_shared<NearestTable>(options, points, std::move(values));
}

bool is_scattered(const TableFunction& table) {
  return dynamic_cast<const ScatteredTable*>(&table) != nullptr;
}

}  // namespace pinn
