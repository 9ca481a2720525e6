
/* The functions of FMI 3.0, as https://fmi-standard.org/docs/3.0/ has them. */
#ifndef FMI3_FUNCTION_PREFIX
#define FMI3_FUNCTION_PREFIX
#endif
#define FMI(name) PASTE(FMI3_FUNCTION_PREFIX, fmi3##name)
typedef uint32_t Reference;
typedef const char* String;
typedef void (*Logger)(void*, int, String category, String message);

static void call_logger(const Instance* i, Status status, const char* category, const char* text) {
  ((Logger)i->logger)(i->environment, status, category, text);
}

EXPORT String FMI(GetVersion)(void) { return "3.0"; }
EXPORT Status FMI(SetDebugLogging)(void* i, bool on, size_t n, const String* chosen) {
  return choose_logs(i, on, n, chosen);
}

EXPORT void* FMI(InstantiateModelExchange)(String name, String token, String resources,
                                           bool visible, bool logs, void* environment, Logger log) {
  return new_instance(name, token, environment, (void (*)(void))log, logs);
}
EXPORT void* FMI(InstantiateCoSimulation)(String name, String token, String resources, bool visible,
                                          bool logs, bool events, bool early,
                                          const Reference* intermediate, size_t n,
                                          void* environment, Logger log, void (*update)(void)) {
  return new_instance(name, token, environment, (void (*)(void))log, logs);
}
EXPORT void* FMI(InstantiateScheduledExecution)(String name, String token, String resources,
                                                bool visible, bool logs, void* environment,
                                                Logger log, void (*update)(void),
                                                void (*lock)(void), void (*unlock)(void)) {
  return NULL;
}
EXPORT void FMI(FreeInstance)(void* i) { free_instance(i); }

EXPORT Status FMI(EnterInitializationMode)(void* i, bool has_tolerance, double tolerance,
                                           double time, bool has_stop, double stop) {
  return set_time(i, time);
}
EXPORT Status FMI(ExitInitializationMode)(void* i) { return ok; }
EXPORT Status FMI(EnterConfigurationMode)(void* i) { return ok; }
EXPORT Status FMI(ExitConfigurationMode)(void* i) { return ok; }
EXPORT Status FMI(EnterEventMode)(void* i) { return ok; }
EXPORT Status FMI(EnterContinuousTimeMode)(void* i) { return ok; }
EXPORT Status FMI(EnterStepMode)(void* i) { return ok; }
EXPORT Status FMI(EvaluateDiscreteStates)(void* i) { return ok; }
EXPORT Status FMI(Terminate)(void* i) { return ok; }
EXPORT Status FMI(Reset)(void* i) { return reset(i); }

EXPORT Status FMI(GetFloat64)(void* i, const Reference* at, size_t n, double* values, size_t m) {
  return get_values(i, at, n, values);
}
EXPORT Status FMI(SetFloat64)(void* i, const Reference* at, size_t n, const double* values,
                              size_t m) {
  return set_values(i, at, n, values);
}

static const char* const float64 = "every variable is a Float64";
#define NO_VARIABLES(Type, type)                                                                 \
  EXPORT Status FMI(Get##Type)(void* i, const Reference* at, size_t n, type* values, size_t m) { \
    return none(i, n, float64);                                                                  \
  }                                                                                              \
  EXPORT Status FMI(Set##Type)(void* i, const Reference* at, size_t n, const type* values,       \
                               size_t m) {                                                       \
    return none(i, n, float64);                                                                  \
  }
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, String)
EXPORT Status FMI(GetBinary)(void* i, const Reference* at, size_t n, size_t* sizes,
                             const uint8_t** values, size_t m) {
  return none(i, n, float64);
}
EXPORT Status FMI(SetBinary)(void* i, const Reference* at, size_t n, const size_t* sizes,
                             const uint8_t* const* values, size_t m) {
  return none(i, n, float64);
}

/* Functions of clocks, which are given references and up to three arrays. */
static const char* const no_clocks = "there are no clocks";
#define NO_CLOCKS(name, ...)                                                     \
  EXPORT Status FMI(name)(void* i, const Reference* at, size_t n, __VA_ARGS__) { \
    return none(i, n, no_clocks);                                                \
  }
NO_CLOCKS(GetClock, bool* values)
NO_CLOCKS(SetClock, const bool* values)
NO_CLOCKS(GetIntervalDecimal, double* intervals, int* qualifiers)
NO_CLOCKS(GetIntervalFraction, uint64_t* counters, uint64_t* resolutions, int* qualifiers)
NO_CLOCKS(GetShiftDecimal, double* shifts)
NO_CLOCKS(GetShiftFraction, uint64_t* counters, uint64_t* resolutions)
NO_CLOCKS(SetIntervalDecimal, const double* intervals)
NO_CLOCKS(SetIntervalFraction, const uint64_t* counters, const uint64_t* resolutions)
NO_CLOCKS(SetShiftDecimal, const double* shifts)
NO_CLOCKS(SetShiftFraction, const uint64_t* counters, const uint64_t* resolutions)
EXPORT Status FMI(ActivateModelPartition)(void* i, Reference clock, double time) {
  return none(i, 1, no_clocks);
}

static const char* const no_elements = "there are no dependencies of elements";
EXPORT Status FMI(GetNumberOfVariableDependencies)(void* i, Reference at, size_t* n) {
  return none(i, 1, no_elements);
}
EXPORT Status FMI(GetVariableDependencies)(void* i, Reference dependent, size_t* elements,
                                           Reference* independents, size_t* of_independents,
                                           int* kinds, size_t n) {
  return none(i, 1, no_elements);
}

EXPORT Status FMI(GetFMUState)(void* i, void** state) { return get_state(i, state); }
EXPORT Status FMI(SetFMUState)(void* i, void* state) { return set_state(i, state); }
EXPORT Status FMI(FreeFMUState)(void* i, void** state) { return free_state(state); }
EXPORT Status FMI(SerializedFMUStateSize)(void* i, void* state, size_t* size) {
  *size = sizeof((Instance*)i)->x;
  return ok;
}
EXPORT Status FMI(SerializeFMUState)(void* i, void* state, uint8_t* bytes, size_t size) {
  return copy_state(i, bytes, state, size);
}
EXPORT Status FMI(DeserializeFMUState)(void* i, const uint8_t* bytes, size_t size, void** state) {
  const Status status = get_state(i, state);
  return status == ok ? copy_state(i, *state, bytes, size) : status;
}

EXPORT Status FMI(GetDirectionalDerivative)(void* i, const Reference* unknowns, size_t rows,
                                            const Reference* knowns, size_t columns,
                                            const double* seed, size_t n, double* result,
                                            size_t m) {
  return derive(i, false, unknowns, rows, knowns, columns, seed, result);
}
EXPORT Status FMI(GetAdjointDerivative)(void* i, const Reference* unknowns, size_t rows,
                                        const Reference* knowns, size_t columns, const double* seed,
                                        size_t n, double* result, size_t m) {
  return derive(i, true, unknowns, rows, knowns, columns, seed, result);
}

/* Model exchange: time and inputs come from outside, and there are no states and no events. */
EXPORT Status FMI(SetTime)(void* i, double time) { return set_time(i, time); }
EXPORT Status FMI(UpdateDiscreteStates)(void* i, bool* again, bool* ends, bool* nominals,
                                        bool* states, bool* has_next, double* next) {
  *again = *ends = *nominals = *states = *has_next = false;
  return ok;
}
EXPORT Status FMI(CompletedIntegratorStep)(void* i, bool no_return, bool* event, bool* ends) {
  *event = *ends = false;
  return ok;
}
static const char* const no_states = "there are no states and no event indicators";
EXPORT Status FMI(SetContinuousStates)(void* i, const double* states, size_t n) {
  return none(i, n, no_states);
}
EXPORT Status FMI(GetContinuousStates)(void* i, double* states, size_t n) {
  return none(i, n, no_states);
}
EXPORT Status FMI(GetContinuousStateDerivatives)(void* i, double* derivatives, size_t n) {
  return none(i, n, no_states);
}
EXPORT Status FMI(GetNominalsOfContinuousStates)(void* i, double* nominals, size_t n) {
  return none(i, n, no_states);
}
EXPORT Status FMI(GetEventIndicators)(void* i, double* indicators, size_t n) {
  return none(i, n, no_states);
}
EXPORT Status FMI(GetNumberOfContinuousStates)(void* i, size_t* n) {
  *n = 0;
  return ok;
}
EXPORT Status FMI(GetNumberOfEventIndicators)(void* i, size_t* n) {
  *n = 0;
  return ok;
}

/* Co-simulation. */
EXPORT Status FMI(DoStep)(void* i, double time, double step, bool no_return, bool* event,
                          bool* ends, bool* early, double* last) {
  *event = *ends = *early = false;
  *last = time + step;
  return set_time(i, time + step);
}
EXPORT Status FMI(GetOutputDerivatives)(void* i, const Reference* at, size_t n,
                                        const int32_t* orders, double* values, size_t m) {
  return none(i, n, "ask for fields such as u_t as outputs, or for directional derivatives");
}
