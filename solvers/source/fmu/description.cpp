#include "solvers/source/fmu/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "autograd/core/version.h"
#include "data/files/fields/formats.h"

namespace pinn {
namespace {

/// An attribute with a text; empty: none.
std::string attribute(const char* name, const std::string& text) {
  return text.empty() ? "" : fmt::format(" {}=\"{}\"", name, escaped(visible(text)));
}

/// Numbers of variables as texts between spaces, counted from `first`.
std::string numbers(const std::vector<std::size_t>& variables, std::size_t first) {
  std::vector<std::size_t> all;
  for (const std::size_t v : variables) all.push_back(v + first);
  return fmt::format("{}", fmt::join(all, " "));
}

std::string variable_text(const Fmu& fmu, std::size_t at) {
  const FmuVariable& v = fmu.variables[at];
  const bool is_input = v.causality == "input" || v.causality == "parameter";
  const std::string common =
      attribute("name", v.name) + attribute("valueReference", fmt::format("{}", at)) +
      attribute("causality", v.causality) +
      attribute("variability", v.causality == "parameter" ? "tunable" : "continuous");
  std::string type = attribute("unit", v.unit);
  if (is_input)
    type += fmt::format(" min=\"{}\" max=\"{}\" start=\"{}\"", v.lower, v.upper, v.start());
  return fmu.version == 3
             ? fmt::format("    <Float64{}{}/>\n", common, type)
             : fmt::format("    <ScalarVariable{}><Real{}/></ScalarVariable>\n", common, type);
}

/// An element of ModelStructure for each output. FMI 2 counts from 1, and knows parameters of outputs
/// only at the beginning.
std::string structure_text(const Fmu& fmu, const std::string& element, bool initial) {
  const bool is_3 = fmu.version == 3;
  const std::size_t first = is_3 ? 0 : 1;
  std::string text;
  for (std::size_t at = 0; at < fmu.variables.size(); ++at) {
    if (fmu.variables[at].causality != "output") continue;
    std::vector<std::size_t> depends = fmu.variables[at].depends;
    if (!is_3 && !initial)
      std::erase_if(depends,
                    [&](std::size_t v) { return fmu.variables[v].causality == "parameter"; });
    text += fmt::format("    <{} {}=\"{}\" dependencies=\"{}\"/>\n", element,
                        is_3 ? "valueReference" : "index", at + first, numbers(depends, first));
  }
  return text;
}

std::string interfaces_text(const Fmu& fmu) {
  std::string abilities = fmt::format(" modelIdentifier=\"{}\"", fmu.name), sources;
  if (fmu.version == 3)
    abilities +=
        " canGetAndSetFMUState=\"true\" canSerializeFMUState=\"true\""
        " providesDirectionalDerivatives=\"true\" providesAdjointDerivatives=\"true\"";
  else
    abilities +=
        " canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\""
        " providesDirectionalDerivative=\"true\" canNotUseMemoryManagementFunctions=\"true\"";
  if (fmu.version == 2) {
    for (const std::string& file : fmu.sources) sources += fmt::format("<File name=\"{}\"/>", file);
    sources = "<SourceFiles>" + sources + "</SourceFiles>";
  }
  return fmt::format(
      "  <ModelExchange{0}>{1}</ModelExchange>\n"
      "  <CoSimulation{0} canHandleVariableCommunicationStepSize=\"true\">{1}</CoSimulation>\n",
      abilities, sources);
}

std::string units_text(const Fmu& fmu) {
  std::set<std::string> units;
  for (const FmuVariable& v : fmu.variables)
    if (!v.unit.empty()) units.insert(v.unit);
  std::string text;
  for (const std::string& unit : units)
    text += fmt::format("    <Unit{}/>\n", attribute("name", unit));
  return text.empty() ? "" : "  <UnitDefinitions>\n" + text + "  </UnitDefinitions>\n";
}

}  // namespace

std::string model_description(const Fmu& fmu) {
  const bool is_3 = fmu.version == 3;
  const FmuVariable& time = fmu.variables[fmu.time];
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<fmiModelDescription fmiVersion=\"{}.0\"{} {}=\"{}\"{} variableNamingConvention=\"flat\">\n",
      fmu.version, attribute("modelName", fmu.name), is_3 ? "instantiationToken" : "guid",
      fmu.token, attribute("generationTool", "pinn " + std::string(version())));
  text += interfaces_text(fmu) + units_text(fmu) +
          "  <LogCategories>\n"
          "    <Category name=\"logStatusWarning\" description=\"points outside of the domain\"/>\n"
          "    <Category name=\"logStatusError\" description=\"calls that fail\"/>\n"
          "  </LogCategories>\n";
  if (time.lower < time.upper)
    text += fmt::format("  <DefaultExperiment startTime=\"{}\" stopTime=\"{}\"/>\n", time.lower,
                        time.upper);
  text += "  <ModelVariables>\n";
  for (std::size_t at = 0; at < fmu.variables.size(); ++at) text += variable_text(fmu, at);
  text += "  </ModelVariables>\n  <ModelStructure>\n";
  if (is_3)
    text += structure_text(fmu, "Output", false) + structure_text(fmu, "InitialUnknown", true);
  else
    text += "  <Outputs>\n" + structure_text(fmu, "Unknown", false) +
            "  </Outputs>\n  <InitialUnknowns>\n" + structure_text(fmu, "Unknown", true) +
            "  </InitialUnknowns>\n";
  return text + "  </ModelStructure>\n</fmiModelDescription>\n";
}

std::string build_description(const Fmu& fmu) {
  std::string files;
  for (const std::string& file : fmu.sources)
    files += fmt::format("      <SourceFile name=\"{}\"/>\n", file);
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<fmiBuildDescription fmiVersion=\"3.0\">\n"
      "  <BuildConfiguration modelIdentifier=\"{}\">\n"
      "    <SourceFileSet language=\"C99\">\n{}    </SourceFileSet>\n"
      "    <Library name=\"m\"/>\n"
      "  </BuildConfiguration>\n</fmiBuildDescription>\n",
      fmu.name, files);
}

}  // namespace pinn
