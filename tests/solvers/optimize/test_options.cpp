#include <fmt/ranges.h>

#include <functional>

#include "autograd/core/error.h"
#include "solvers/optimize/kinds.h"
#include "tests/catch.h"
#include "tests/solvers/optimize/problems.h"

using namespace pinn;

namespace {

/// The report of the error that these options and that many parameters give.
Report complaint(const std::function<void(OptimizerOptions&)>& change,
                 std::size_t parameters = 10) {
  OptimizerOptions options;
  change(options);
  try {
    make_optimizer(options, parameters);
  } catch (const ConfigError& error) {
    return error.report;
  }
  return {"no error", "", ""};
}

}  // namespace

TEST_CASE("the defaults of every kind and every schedule are possible", "[optimize]") {
  for (const std::string& kind : optimizer_kinds())
    for (const std::string& schedule : schedule_kinds()) {
      OptimizerOptions options;
      options.kind = kind;
      options.schedule.kind = schedule;
      CHECK(make_optimizer(options, 10) != nullptr);
    }
}

TEST_CASE("an unknown kind is refused with the ones there are", "[optimize]") {
  const Report optimizer = complaint([](auto& o) { o.kind = "adan"; });
  CHECK(optimizer.what == "there is no optimizer 'adan'");
  CHECK(optimizer.fix == fmt::format("choose one of {}", fmt::join(optimizer_kinds(), ", ")));
  const Report schedule = complaint([](auto& o) { o.schedule.kind = "cosin"; });
  CHECK(schedule.what == "there is no schedule 'cosin'");
  CHECK(schedule.fix == "choose one of constant, exponential, cosine, inverse_time, step");
}

TEST_CASE("an impossible number is refused with the condition it must satisfy", "[optimize]") {
  const Report rate = complaint([](auto& o) { o.rate = -0.001; });
  CHECK(rate.what == "rate = -0.001 is not possible");
  CHECK(rate.fix == "choose rate > 0");
  const Report final = complaint([](auto& o) { o.schedule.final = 2; });
  CHECK(final.what == "schedule.final = 2 is not possible");
  CHECK(final.fix == "choose schedule.final between 0 and 1");
}

TEST_CASE("every number is checked", "[optimize]") {
  const auto infinite = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<const char*, std::function<void(OptimizerOptions&)>>> mistakes = {
      {"steps", [](auto& o) { o.steps = -1; }},
      {"rate", [=](auto& o) { o.rate = infinite; }},
      {"beta1", [](auto& o) { o.beta1 = 1; }},
      {"beta2", [](auto& o) { o.beta2 = -0.1; }},
      {"epsilon", [](auto& o) { o.epsilon = 0; }},
      {"weight_decay", [](auto& o) { o.weight_decay = -1; }},
      {"momentum", [](auto& o) { o.momentum = 1; }},
      {"clip", [](auto& o) { o.clip = -1; }},
      {"history", [](auto& o) { o.history = 0; }},
      {"tolerance", [](auto& o) { o.tolerance = -1; }},
      {"schedule.warm_up", [](auto& o) { o.schedule.warm_up = -1; }},
      {"schedule.every", [](auto& o) { o.schedule.every = 0; }},
      {"schedule.decay", [](auto& o) { o.schedule.decay = 0; }},
      {"schedule.final", [](auto& o) { o.schedule.final = -1; }}};
  for (const auto& [name, mistake] : mistakes) {
    const Report report = complaint(mistake);
    CHECK(report.what.starts_with(name + std::string(" = ")));
    CHECK(report.what.ends_with(" is not possible"));
  }
}

TEST_CASE("weight decay is refused where it would have no effect", "[optimize]") {
  const Report report = complaint([](auto& o) { o.weight_decay = 0.1; });
  CHECK(report.what == "weight_decay = 0.1 is not possible with adam");
  CHECK(report.fix == "use adamw or sgd, or leave weight_decay out");
}

TEST_CASE("a dense method that would not fit in memory is refused with what to use instead",
          "[optimize]") {
  const auto dense = [](OptimizerOptions& o) { o.kind = "ssbroyden"; };
  const Report report = complaint(dense, 100000);
  CHECK(report.what ==
        "ssbroyden would need 74.5 GiB for what it learns of 100000 parameters; the limit is "
        "4 GiB");
  CHECK(report.fix == "use lbfgs, or a network of at most 23169 parameters");
  CHECK(complaint(dense, 23169).what == "no error");
  CHECK(complaint(dense, 23170).what != "no error");
  const auto halved = [&](OptimizerOptions& o) { dense(o), o.curvature = "float32"; };
  CHECK(complaint(halved, 26754).what == "no error");
  CHECK(complaint(halved, 26755).what != "no error");
}

TEST_CASE("every kind that may need too much is refused beyond that, with what to use instead",
          "[optimize]") {
  TrainedSize size{500, 2000};
  size.matrices = {{0, 20, 25}};
  for (const std::string& name : optimizer_kinds()) {
    const OptimizerKind& kind = optimizer_kind(name);
    OptimizerOptions options;
    options.kind = name;
    const OptimizerNeeds needs = kind.needs(options, size);
    const double bytes = 8 * (needs.remembers + needs.works_with);
    const auto complaint_within = [&](double memory) -> Report {
      options.memory = memory;
      try {
        make_optimizer(options, size);
      } catch (const ConfigError& error) {
        return error.report;
      }
      return {"no error", "", ""};
    };
    INFO(name);
    CHECK(complaint_within(bytes).what == "no error");
    const Report report = complaint_within(0.99 * bytes);
    if (kind.instead) {
      const std::string rows = kind.asks_for_rows ? " and 2000 rows" : "";
      CHECK(report.what.starts_with(name + " would need "));
      CHECK(report.what.find(" of 500 parameters" + rows + "; the limit is ") != std::string::npos);
      CHECK(report.fix.starts_with(std::string("use ") + kind.instead + ", or a"));
    } else {
      CHECK(report.what == "no error");
    }
  }
}
