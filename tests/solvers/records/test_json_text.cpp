#include "solvers/records/logs/json_text.h"

#include <cmath>

#include "solvers/records/logs/metric_record.h"
#include "solvers/records/logs/run_log.h"
#include "tests/catch.h"

using namespace pinn;

TEST_CASE("what was written as JSON is read back", "[train][metrics]") {
  const std::string name = "a \"b\"\\\n\x01 é,{}[]";
  const JsonObject inner = JsonObject().add("step", std::int64_t(7)).add(name, 0.25);
  const std::string json = JsonObject()
                               .add("state", std::string_view(name))
                               .add("best", inner)
                               .add("list", {inner, inner})
                               .add("step", std::int64_t(12))
                               .add("none", std::nan(""))
                               .text();
  CHECK(json_text(json_entry(json, "state")) == name);
  CHECK(json_number(json_entry(json, "step")) == 12);  // its own, not that of `best`
  CHECK(json_number(json_entry(json_entry(json, "best"), name)) == 0.25);
  CHECK(std::isnan(json_number(json_entry(json, "none"))));
  CHECK(json_entry(json, "nothing").empty());
  int values = 0;
  each_json_value(json_entry(json, "list"), [&](std::string_view value) {
    CHECK(json_number(json_entry(value, "step")) == 7);
    return ++values < 5;
  });
  CHECK(values == 2);
}

TEST_CASE("JSON that is cut off anywhere is read as far as it goes", "[train][metrics][errors]") {
  const std::string json = "{\"a\":\"\\\"x\\u00e9\",\"b\":{\"c\":[1,\"]\"]},\"d\":2}";
  for (std::size_t size = 0; size < json.size(); ++size) {
    INFO(json.substr(0, size));
    CHECK(json_entry(json.substr(0, size), "d").empty());
    each_json_value(json.substr(size), [](std::string_view) { return true; });
  }
  CHECK(json_entry(json, "d") == "2");
  CHECK(json_text(json_entry(json, "a")) == "\"xé");
  for (const char* text : {"", "{", "[]", "{}", "{\"a\"}", "{\"a\":}", "{,}", "{\"a\":1]", "null"})
    CHECK(json_text(json_entry(text, "a")) == (std::string(text) == "{\"a\":1]" ? "1" : ""));
  CHECK(json_text("\"\\u00\"") == "u00");
}

TEST_CASE("a record is its line of metrics.jsonl", "[train][metrics]") {
  const MetricRecord record{20, 2, "a \"b\"", {{"loss", 0.1}, {"error:u", 1e-9}, {"seconds", 3}}};
  const std::string line = "{\"step\":20," + to_json(record).text().substr(1);
  CHECK(line ==
        "{\"step\":20,\"window\":2,\"stage\":\"a \\\"b\\\"\",\"loss\":0.1,\"error:u\":1e-09,"
        "\"seconds\":3}");
  const std::optional<MetricRecord> read = record_in(line);
  REQUIRE(read);
  CHECK((read->step == 20 && read->window == 2 && read->stage == record.stage));
  CHECK(read->numbers == record.numbers);
  CHECK(read->seconds() == 3);
  CHECK(std::isnan(read->at("loss:b")));
  CHECK(!record_in(line.substr(0, line.size() - 1)));
  CHECK(!record_in("{}"));
}
