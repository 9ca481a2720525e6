#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace pinn {

/// Resources that a confined process may use before it is ended.
struct Allowance {
  std::uint64_t memory;   ///< bytes beyond those of the program itself
  std::uint64_t answer;   ///< bytes of one answer
  std::uint64_t seconds;  ///< of computing, all requests together
};

/// Answer of a confined process.
struct Answer {
  std::string words;
  std::shared_ptr<const void> numbers = {};  ///< too many to be copied once more
  std::uint64_t bytes = 0;                   ///< of the numbers
};

/// A process of its own for what may crash on foreign input: a fork that holds no file open but
/// its socket, can write, create, start or send nothing, and is ended when it uses too much. What
/// it answers is foreign, too: only its sizes are checked here.
///
///   errors   FileError from every member: what the process itself threw, or that the file is
///            damaged when it crashed, used too much or answered nonsense
class Confined {
 public:
  using Answerer = std::function<Answer(const std::string& request)>;
  /// Memory for `bytes` of numbers; the words came before them.
  using Room = std::function<void*(const std::string& words, std::uint64_t bytes)>;

  /// Runs `open` there, and then what it returned for every request. `name` is that of the file.
  Confined(std::string name, const Allowance& allowance, const std::function<Answerer()>& open);
  ~Confined();
  Confined(const Confined&) = delete;
  Confined& operator=(const Confined&) = delete;

  /// The words of the answer. Without `room` an answer must not hold numbers.
  std::string ask(const std::string& request, const Room& room = {});

  /// The FileError for an answer that makes no sense.
  [[noreturn]] void refuse_answer();

 private:
  std::string receive(const Room& room);
  void receive(void* to, std::uint64_t bytes);
  void send(const void* from, std::uint64_t bytes);
  void* room_for(const std::string& words, std::uint64_t bytes, const Room& room);
  [[noreturn]] void fail();
  [[noreturn]] void give_up(const std::string& cause);
  void end();

  const std::string name_;
  const Allowance allowance_;
  int process_ = -1, socket_ = -1;
  std::string cause_;  ///< of its end
};

}  // namespace pinn
