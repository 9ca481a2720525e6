#include <clocale>
#include <csignal>
#include <filesystem>
#include <thread>

#include "tests/catch.h"
#include "tests/door/opened.h"

using namespace pinn;
using namespace pinn::test;
using Catch::Matchers::Contains;

namespace {

/// Record of what a progress function saw, and when it is to say stop.
struct Seen {
  std::vector<pinn_progress> views;
  std::vector<std::string> stages;
  std::int64_t stop_at = -1;  ///< the step
};

int look(const pinn_progress* progress, void* user) {
  Seen& seen = *static_cast<Seen*>(user);
  seen.views.push_back(*progress);
  seen.stages.push_back(progress->stage);
  return seen.stop_at >= 0 && progress->step >= seen.stop_at;
}

std::vector<double> u_of(const RunHandle& run) {
  return values(compiled(run, "u, u_xx"), {-0.5, 0.1, 0.9}, 3);
}

}  // namespace

TEST_CASE("training from memory gives the bits that pinn-train gives", "[door]") {
  Folder place;
  place.file("small.toml", small_problem);
  REQUIRE(pinn_train(place, {"small.toml", "--quiet"}).code == 0);
  const auto [run, answer] = trained(request_of(small_problem));
  REQUIRE(answer.code == PINN_DONE);
  CHECK(answer.error == "");
  CHECK(u_of(run) == u_of(loaded(place / "runs/small")));
}

TEST_CASE("overrides change a problem from memory, and mistakes have places", "[door]") {
  const char* overrides[] = {"stage.1.steps=30"};
  pinn_request request = request_of(small_problem);
  request.overrides = overrides;
  request.override_count = 1;
  CHECK(number(trained(request).first, PINN_FACTS, "steps") == 30);
  overrides[0] = "stage.1.stesp=30";
  const auto [none, answer] = trained(request);
  CHECK(!none);
  CHECK(answer.code == PINN_WRONG_INPUT);
  CHECK_THAT(answer.error, Contains("did you mean") || Contains("steps"));
  const std::string wrong = std::string(small_problem) + "\n[nonsense]\nx = 1\n";
  const Answer refused = trained(request_of(wrong.c_str())).second;
  CHECK(refused.code == PINN_WRONG_INPUT);
  CHECK_THAT(refused.error, Contains("problem.toml:") && Contains("nonsense"));
}

TEST_CASE("a plan can be had without training", "[door]") {
  pinn_request request = request_of(small_problem);
  char* plan = nullptr;
  REQUIRE(pinn_check(&request, &plan, nullptr) == PINN_DONE);
  CHECK_THAT(plan, Contains("poisson") && Contains("19 parameters"));
  pinn_free(plan);
  request.text = "[problem]";
  CHECK(pinn_check(&request, &plan, nullptr) == PINN_WRONG_INPUT);
}

TEST_CASE("progress is told to the end of each stage", "[door]") {
  Seen seen;
  pinn_request request = request_of(small_problem);
  request.progress = look;
  request.user = &seen;
  const auto [run, answer] = trained(request);
  REQUIRE(answer.code == PINN_DONE);
  REQUIRE(!seen.views.empty());
  const pinn_progress& last = seen.views.back();
  CHECK(last.step == 20);
  CHECK(last.steps == 20);
  CHECK(last.stages == 1);
  CHECK(seen.stages.back() == "descent");
  CHECK(last.loss > 0);
  CHECK(last.held_out > 0);
}

TEST_CASE("a training that is stopped goes on to the same bits", "[door]") {
  const Folder place;
  const char* overrides[] = {"stage.1.steps=400"};
  pinn_request request = request_of(small_problem);
  request.overrides = overrides;
  request.override_count = 1;
  const auto [whole, done] = trained(request);
  REQUIRE(done.code == PINN_DONE);
  Seen seen;
  seen.stop_at = 1;
  const std::string folder = place / "run";
  request.folder = folder.c_str();
  request.progress = look;
  request.user = &seen;
  const auto [part, stopped] = trained(request);
  REQUIRE(stopped.code == PINN_INTERRUPTED);
  CHECK_THAT(stopped.error, Contains("stopped"));
  REQUIRE(part);
  CHECK(number(part, PINN_FACTS, "steps") < 400);
  const Answer again = trained(request).second;
  CHECK(again.code == PINN_WRONG_INPUT);  // there is a run already
  seen.stop_at = -1;
  request.resume = 1;
  const auto [rest, finished] = trained(request);
  INFO(finished.error);
  REQUIRE(finished.code == PINN_DONE);
  CHECK(u_of(rest) == u_of(whole));
}

TEST_CASE("a run without a folder leaves nothing behind", "[door]") {
  auto [run, answer] = trained(request_of(small_problem));
  REQUIRE(answer.code == PINN_DONE);
  const std::string folder = text(run, PINN_FOLDER);
  CHECK(std::filesystem::exists(folder));
  run.reset();
  CHECK(!std::filesystem::exists(std::filesystem::path(folder).parent_path()));
}

TEST_CASE("two trainings at once are as two one after the other", "[door]") {
  const char* overrides[2] = {"run.seed=1", "run.seed=2"};
  const auto train_seed = [&](int k) {
    pinn_request request = request_of(small_problem);
    request.overrides = &overrides[k];
    request.override_count = 1;
    return trained(request).first;
  };
  const std::vector<double> first = u_of(train_seed(0)), second = u_of(train_seed(1));
  CHECK(first != second);
  pinn_run* runs[2] = {};
  std::vector<std::thread> threads;
  for (int k = 0; k < 2; ++k)
    threads.emplace_back([&, k] {
      pinn_request request = request_of(small_problem);
      request.overrides = &overrides[k];
      request.override_count = 1;
      pinn_train(&request, &runs[k], nullptr);
    });
  for (std::thread& thread : threads) thread.join();
  REQUIRE(runs[0]);
  REQUIRE(runs[1]);
  CHECK(u_of(RunHandle(runs[0], &pinn_close)) == first);
  CHECK(u_of(RunHandle(runs[1], &pinn_close)) == second);
}

TEST_CASE("training prints nothing and leaves signals and locale alone", "[door]") {
  const Folder place;
  struct sigaction before = {}, during = {};
  ::sigaction(SIGINT, nullptr, &before);
  pinn_request request = request_of(small_problem);
  request.progress = [](const pinn_progress*, void* user) {
    ::sigaction(SIGINT, nullptr, static_cast<struct sigaction*>(user));
    return 0;
  };
  request.user = &during;
  std::fflush(nullptr);
  const std::string out = place / "out.txt";
  const int file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
  const int kept[] = {::dup(1), ::dup(2)};
  ::dup2(file, 1), ::dup2(file, 2);
  const int code = trained(request).second.code;
  std::fflush(nullptr);
  ::dup2(kept[0], 1), ::dup2(kept[1], 2);
  for (const int each : {file, kept[0], kept[1]}) ::close(each);
  CHECK(code == PINN_DONE);
  CHECK(read_file(out) == "");
  CHECK(during.sa_handler == before.sa_handler);
}

TEST_CASE("requests of other versions and wrong ones are told apart", "[door]") {
  pinn_request request = request_of(small_problem);
  request.size = offsetof(pinn_request, progress);  // an older one, that ended there
  request.progress = [](const pinn_progress*, void*) { return 1; };
  CHECK(trained(request).second.code == PINN_DONE);
  request.size = 3;
  CHECK(trained(request).second.code == PINN_WRONG_USAGE);
  CHECK(pinn_train(nullptr, nullptr, nullptr) == PINN_WRONG_USAGE);
  request = PINN_REQUEST;
  const Answer answer = trained(request).second;
  CHECK(answer.code == PINN_WRONG_USAGE);
  CHECK_THAT(answer.error, Contains("neither a text nor a file"));
}
