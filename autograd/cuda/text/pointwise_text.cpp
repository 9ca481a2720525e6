#include "autograd/cuda/text/pointwise_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "autograd/ops/float_format.h"
#include "autograd/ops/jet_compose.h"

namespace pinn::cuda {

Numbers::Numbers(const Program& program) {
  for (const auto& [at, number] : program.constants) known_[at] = number;
}

std::string Numbers::read(const Operand& o, int count, int element, int stride) {
  const auto known = known_.find(o.at + element * o.stride);
  if ((stride == 0 || o.stride == 0) && known != known_.end() && std::isfinite(known->second))
    return literal(known->second);
  const int length = o.stride == 0 ? 1 : count;
  const auto [found, is_new] = at_.try_emplace({o.at, o.stride, length}, size_);
  if (is_new) {
    runs_.push_back({o.at, o.stride, length, size_});
    size_ += length;
  }
  if (stride == 0 || o.stride == 0)
    return fmt::format("s.numbers[{}]", found->second + (o.stride == 0 ? 0 : element));
  return fmt::format("s.numbers[{} + {} * thread]", found->second + element, stride);
}

std::string type_name_of(std::string_view op) {
  std::string name = "pinn::op::";
  bool capital = true;
  for (const char c : op) {
    if (c != '_') name += capital ? char(std::toupper(c)) : c;
    capital = c == '_';
  }
  return name;
}

std::string literal(double x) { return fmt::format("T({:#})", x); }

std::string title(const Instruction& i) {
  std::string s = name_of(i);
  if (i.opcode == Opcode::jet && i.derivative > 0)
    s += fmt::format(", derivative {}", i.derivative);
  if (i.opcode == Opcode::product || i.opcode == Opcode::contract)
    return s + fmt::format(" [{} x {}], {} channels", i.k, i.n, i.channels);
  if (is_jet(i.opcode)) return s + fmt::format(", {} features of {} channels", i.count, i.channels);
  return i.count > 1 ? s + fmt::format(", {} lanes", i.count) : s;
}

std::string packed_lanes_text(const Instruction& i) {
  return fmt::format("pinn::cuda::PackedLanes<{}, T>(arena + {} * points, {}, points)", i.format,
                     i.opcode == Opcode::pack ? i.out.at : i.a.at, i.codes);
}

namespace {

/// ", 3.0", or nothing.
std::string parameter_text(const Elementwise& f) {
  return f.parameter == 0 ? "" : fmt::format(", {:#}", f.parameter);
}

}  // namespace

std::string elementwise_text(const Elementwise& f, const std::string& a, const std::string& b,
                             const std::string& c) {
  const std::string op = type_name_of(name_of_op(f));
  switch (f.kind) {
    case Elementwise::copy:
      return a;
    case Elementwise::unary:
      return fmt::format("pinn::value_of<{}>({}{})", op, a, parameter_text(f));
    case Elementwise::unary_pullback:
      return fmt::format("pinn::pullback_of<{}>({}, {}, {}{})", op, a.empty() ? c : a,
                         b.empty() ? c : b, c, parameter_text(f));
    case Elementwise::binary:
      return fmt::format("{}::value({}, {})", op, a, b);
    default:
      return fmt::format("{}::value({}, {}, {})", op, a, b, c);
  }
}

namespace {

/// Writes the statements of one thread. What it has read or computed stays in variables; what
/// other phases need is stored at the end.
class PhaseWriter {
 public:
  PhaseWriter(const Phase& phase, const Program& program, Numbers& numbers, int indent)
      : phase_(phase),
        program_(program),
        numbers_(numbers),
        indent_(std::size_t(indent), ' '),
        threads_(phase.threads) {}

  std::string run() {
    for (const Instruction& i : phase_.instructions) {
      line("// {}", title(i));
      const int share = i.count / threads_;
      if (i.opcode == Opcode::pack || i.opcode == Opcode::unpack) find_codes(i);
      for (int k = 0; k < share; ++k) {
        if (i.opcode == Opcode::pack)
          pack(i, k, share);
        else if (i.opcode == Opcode::unpack)
          unpack(i, k, share);
        else if (!is_jet(i.opcode))
          elementwise(i, k, share);
        else if (i.opcode == Opcode::jet || i.opcode == Opcode::jet_pullback)
          function(i, k, share);
        else
          product(i, k, share);
      }
    }
    for (const Place& p : changed_)
      if (is_live(p)) line("{} = {};", address(p), values_.at(p));
    return text_;
  }

 private:
  template <class... V> void line(fmt::format_string<V...> text, V&&... values) {
    text_ += indent_ + fmt::format(text, std::forward<V>(values)...) + "\n";
  }
  std::string fresh(const char* kind) { return fmt::format("{}{}", kind, next_++); }

  Place place(const Operand& o, int element, int share, int channel = 0) const {
    return {o.at + element * o.stride + channel, threads_ == 1 ? 0 : share * o.stride};
  }
  static std::string address(const Place& p) {
    return p.stride == 0 ? fmt::format("lanes[{} * points]", p.base)
                         : fmt::format("lanes[({} + {} * thread) * points]", p.base, p.stride);
  }
  bool is_live(const Place& p) const {
    for (int f = 0; f < threads_; ++f)
      if (phase_.live[std::size_t(p.base + f * p.stride)]) return true;
    return false;
  }

  std::string read(const Place& p) {
    const auto [at, is_new] = values_.try_emplace(p, "");
    if (is_new) {
      at->second = fresh("x");
      line("const T {} = {};", at->second, address(p));
    }
    return at->second;
  }
  std::string make(const std::string& expression) {
    const std::string name = fresh("y");
    line("const T {} = {};", name, expression);
    return name;
  }
  void write(const Place& p, const std::string& variable) {
    values_[p] = variable;
    changed_.insert(p);
  }

  std::string element(const Operand& o, int count, int k, int share) {
    if (o.memory == Memory::none) return "";
    if (o.memory == Memory::fixed)
      return numbers_.read(o, count, k, threads_ == 1 ? 0 : share * o.stride);
    return read(place(o, k, share));
  }

  void elementwise(const Instruction& i, int k, int share) {
    const std::string a = element(i.a, i.count, k, share), b = element(i.b, i.count, k, share),
                      c = element(i.c, i.count, k, share);
    write(place(i.out, k, share), make(elementwise_text(i.function, a, b, c)));
  }

  void find_codes(const Instruction& i) {
    codes_ = fresh("codes");
    line("const auto {} = {};", codes_, packed_lanes_text(i));
    scale_ = fresh("scale");
    line("const T {} = {}.scale({});", scale_, codes_, i.opcode == Opcode::pack ? "1" : "-1");
  }
  /// Index of an element's code.
  std::string code_at(int k, int share) const {
    return threads_ == 1 ? fmt::format("{} * points + p", k)
                         : fmt::format("({} + {} * thread) * points + p", k, share);
  }
  void pack(const Instruction& i, int k, int share) {
    const std::string a = element(i.a, i.count, k, share);
    line("{}.put({}, {} * {});", codes_, code_at(k, share), a, scale_);
  }
  void unpack(const Instruction& i, int k, int share) {
    write(place(i.out, k, share),
          make(fmt::format("{}.get({}) * {}", codes_, code_at(k, share), scale_)));
  }

  /// A channel of a jet as a text of products and sums (jet_compose.h).
  struct Text {
    std::string s;
    PhaseWriter* writer = nullptr;

    friend Text operator*(const Text& a, const Text& b) { return {a.s + " * " + b.s, a.writer}; }
    friend Text weighted(double w, const Text& a) {
      return w == 1 ? a : Text{literal(w), a.writer} * a;
    }
    friend Text multiply_add(const Text& a, const Text& b, const Text& c) {
      return {c.s + " + " + (a * b).s, a.writer};
    }
    friend Text kept(const Text& a) { return a.as_variable(); }
    Text as_variable() const { return {writer->make(s), writer}; }
  };
  using JetText = std::vector<Text>;

  JetText jet(const Operand& o, int channels, int k, int share) {
    JetText all;
    for (int c = 0; c < channels; ++c) all.push_back({read(place(o, k, share, c)), this});
    return all;
  }

  /// f^(k)(h) of the instruction's f.
  JetText composed(const Instruction& i, const JetTable& table, int k, const JetText& h) {
    const std::string series = fresh("s");
    line("const auto {} = pinn::apply<{}>(pinn::Series<T, {}>::line({}){});", series,
         type_name_of(name_of_op(i.function)), k + std::max(1, table.order()), h[0].s,
         parameter_text(i.function));
    const auto coefficient = [&](int m) {
      return kept(
          weighted(series_factor(k, m), Text{fmt::format("{}.c[{}]", series, k + m), this}));
    };
    const auto powers = [&](int m) -> const auto& { return table.power(m).terms; };
    JetText y(h.size()), work = y, next = y;
    compose_jet(table.size(), table.order(), coefficient, powers, h.data(), work.data(),
                next.data(), y.data());
    for (std::size_t c = 1; c < y.size(); ++c) y[c] = kept(y[c]);
    return y;
  }

  void function(const Instruction& i, int k, int share) {
    const JetTable& table = *program_.tables[std::size_t(i.table)];
    const JetText h = jet(i.a, i.channels, k, share);
    if (i.opcode == Opcode::jet_pullback) {
      const JetText ybar = jet(i.b, i.channels, k, share);
      return product(i, table.transposed(), ybar, composed(i, table, i.derivative + 1, h), k,
                     share);
    }
    const JetText y = composed(i, table, i.derivative, h);
    for (int c = 0; c < i.channels; ++c) write(place(i.out, k, share, c), y[std::size_t(c)].s);
  }

  void product(const Instruction& i, const JetTable::Terms& terms, const JetText& a,
               const JetText& b, int k, int share) {
    multiply_jets(terms, a, b,
                  [&](int c, const Text& sum) { write(place(i.out, k, share, c), make(sum.s)); });
  }
  void product(const Instruction& i, int k, int share) {
    const JetTable& table = *program_.tables[std::size_t(i.table)];
    product(i, i.opcode == Opcode::jet_mul ? table.terms() : table.transposed(),
            jet(i.a, i.channels, k, share), jet(i.b, i.channels, k, share), k, share);
  }

  const Phase& phase_;
  const Program& program_;
  Numbers& numbers_;
  const std::string indent_;
  const int threads_;
  std::string text_;
  std::map<Place, std::string> values_;
  std::set<Place> changed_;
  std::string codes_, scale_;  ///< of the pack or unpack that is being written
  int next_ = 0;
};

}  // namespace

std::string pointwise_text(const Phase& phase, const Program& program, Numbers& numbers,
                           int indent) {
  return PhaseWriter(phase, program, numbers, indent).run();
}

}  // namespace pinn::cuda
