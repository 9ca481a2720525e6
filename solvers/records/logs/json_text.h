#pragma once
#include <functional>
#include <string>
#include <string_view>

// Reading of the JSON that this program writes: status.json, and lines of metrics.jsonl. What
// somebody else wrote into them is read as far as it goes, and never an error.
namespace pinn {

/// Hands each entry of a JSON object to `take`, up to the first place that is no JSON, or to where
/// `take` returns false. Names are as written between their quotes, values with quotes and brackets
/// of their own; what lies within these is passed over.
void each_json_entry(
    std::string_view object,
    const std::function<bool(std::string_view name, std::string_view value)>& take);

/// The same for each value of a list.
void each_json_value(std::string_view list, const std::function<bool(std::string_view)>& take);

/// The value of an entry, as written; empty where there is none. Only the object's own entries
/// count, not those of objects within it.
std::string_view json_entry(std::string_view object, std::string_view name);

/// Text between the quotes of a JSON text, its escapes undone; all else as it is.
std::string json_text(std::string_view value);
/// The number that a value is; NaN where it is none.
double json_number(std::string_view value);

}  // namespace pinn
