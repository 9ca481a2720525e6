
/* The functions of FMI 2.0, as https://fmi-standard.org/downloads/ has them. */
#ifndef FMI2_FUNCTION_PREFIX
#define FMI2_FUNCTION_PREFIX
#endif
#define FMI(name) PASTE(FMI2_FUNCTION_PREFIX, fmi2##name)
typedef unsigned Reference;
typedef const char* String;
typedef void (*Logger)(void*, String name, int, String category, String message, ...);
typedef struct {
  Logger logger;
  void* (*allocate)(size_t, size_t);
  void (*release)(void*);
  void (*step_finished)(void*, int);
  void* environment;
} Callbacks;
typedef struct {
  int again, ends, nominals, states, has_next;
  double next;
} EventInfo;

static void call_logger(const Instance* i, Status status, const char* category, const char* text) {
  ((Logger)i->logger)(i->environment, i->name, status, category, text); /* which has no % */
}

EXPORT String FMI(GetTypesPlatform)(void) { return "default"; }
EXPORT String FMI(GetVersion)(void) { return "2.0"; }
EXPORT Status FMI(SetDebugLogging)(void* i, int on, size_t n, const String* chosen) {
  return choose_logs(i, on, n, chosen);
}

EXPORT void* FMI(Instantiate)(String name, int type, String token, String resources,
                              const Callbacks* callbacks, int visible, int logs) {
  return new_instance(name, token, callbacks->environment, (void (*)(void))callbacks->logger, logs);
}
EXPORT void FMI(FreeInstance)(void* i) { free_instance(i); }
EXPORT Status FMI(SetupExperiment)(void* i, int has_tolerance, double tolerance, double time,
                                   int has_stop, double stop) {
  return set_time(i, time);
}
EXPORT Status FMI(EnterInitializationMode)(void* i) { return ok; }
EXPORT Status FMI(ExitInitializationMode)(void* i) { return ok; }
EXPORT Status FMI(EnterEventMode)(void* i) { return ok; }
EXPORT Status FMI(EnterContinuousTimeMode)(void* i) { return ok; }
EXPORT Status FMI(Terminate)(void* i) { return ok; }
EXPORT Status FMI(Reset)(void* i) { return reset(i); }

EXPORT Status FMI(GetReal)(void* i, const Reference* at, size_t n, double* values) {
  return get_values(i, at, n, values);
}
EXPORT Status FMI(SetReal)(void* i, const Reference* at, size_t n, const double* values) {
  return set_values(i, at, n, values);
}
#define NO_VARIABLES(Type, type)                                                             \
  EXPORT Status FMI(Get##Type)(void* i, const Reference* at, size_t n, type* values) {       \
    return none(i, n, "every variable is a Real");                                           \
  }                                                                                          \
  EXPORT Status FMI(Set##Type)(void* i, const Reference* at, size_t n, const type* values) { \
    return none(i, n, "every variable is a Real");                                           \
  }
NO_VARIABLES(Integer, int)
NO_VARIABLES(Boolean, int)
NO_VARIABLES(String, String)

EXPORT Status FMI(GetFMUstate)(void* i, void** state) { return get_state(i, state); }
EXPORT Status FMI(SetFMUstate)(void* i, void* state) { return set_state(i, state); }
EXPORT Status FMI(FreeFMUstate)(void* i, void** state) { return free_state(state); }
EXPORT Status FMI(SerializedFMUstateSize)(void* i, void* state, size_t* size) {
  *size = sizeof((Instance*)i)->x;
  return ok;
}
EXPORT Status FMI(SerializeFMUstate)(void* i, void* state, char* bytes, size_t size) {
  return copy_state(i, bytes, state, size);
}
EXPORT Status FMI(DeSerializeFMUstate)(void* i, const char* bytes, size_t size, void** state) {
  const Status status = get_state(i, state);
  return status == ok ? copy_state(i, *state, bytes, size) : status;
}

EXPORT Status FMI(GetDirectionalDerivative)(void* i, const Reference* unknowns, size_t rows,
                                            const Reference* knowns, size_t columns,
                                            const double* seed, double* result) {
  return derive(i, false, unknowns, rows, knowns, columns, seed, result);
}

/* Model exchange: time and inputs come from outside, and there are no states and no events. */
EXPORT Status FMI(SetTime)(void* i, double time) { return set_time(i, time); }
EXPORT Status FMI(NewDiscreteStates)(void* i, EventInfo* info) {
  memset(info, 0, sizeof *info);
  return ok;
}
EXPORT Status FMI(CompletedIntegratorStep)(void* i, int no_return, int* event, int* ends) {
  *event = *ends = 0;
  return ok;
}
static const char* const no_states = "there are no states and no event indicators";
EXPORT Status FMI(SetContinuousStates)(void* i, const double* states, size_t n) {
  return none(i, n, no_states);
}
EXPORT Status FMI(GetContinuousStates)(void* i, double* states, size_t n) {
  return none(i, n, no_states);
}
EXPORT Status FMI(GetDerivatives)(void* i, double* derivatives, size_t n) {
  return none(i, n, no_states);
}
EXPORT Status FMI(GetNominalsOfContinuousStates)(void* i, double* nominals, size_t n) {
  return none(i, n, no_states);
}
EXPORT Status FMI(GetEventIndicators)(void* i, double* indicators, size_t n) {
  return none(i, n, no_states);
}

/* Co-simulation. A step ends before its function returns, so no status is pending. */
EXPORT Status FMI(DoStep)(void* i, double time, double step, int no_return) {
  return set_time(i, time + step);
}
EXPORT Status FMI(SetRealInputDerivatives)(void* i, const Reference* at, size_t n,
                                           const int* orders, const double* values) {
  return none(i, n, "inputs are not interpolated");
}
EXPORT Status FMI(GetRealOutputDerivatives)(void* i, const Reference* at, size_t n,
                                            const int* orders, double* values) {
  return none(i, n, "ask for fields such as u_t as outputs, or for directional derivatives");
}
EXPORT Status FMI(CancelStep)(void* i) { return none(i, 1, "no step is under way"); }
EXPORT Status FMI(GetRealStatus)(void* i, int kind, double* value) {
  *value = ((Instance*)i)->x[time_at];
  return ok;
}
#define NO_STATUS(Type, type) \
  EXPORT Status FMI(Get##Type##Status)(void* i, int kind, type* value) { return discard; }
NO_STATUS(, int)
NO_STATUS(Integer, int)
NO_STATUS(Boolean, int)
NO_STATUS(String, String)
