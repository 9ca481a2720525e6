/*
 * Instances of the FMU, for every version of FMI. Variables are numbered from 0: the coordinates of
 * the problem (behind them time, if it is none of these), then the outputs.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#pragma GCC diagnostic ignored "-Wunused-parameter" /* the standard asks for more than is needed */
#else
#define EXPORT
#endif
#define PASTE_EXPANDED(a, b) a##b
#define PASTE(a, b) PASTE_EXPANDED(a, b)

typedef enum { ok, warning, discard, error } Status;
static const char* const categories[] = {"logStatusWarning", "logStatusError"};

typedef struct {
  void* environment;
  void (*logger)(void); /* of the version's type */
  char* name;
  bool logs[2]; /* by category */
  bool has_values, has_jacobian, warned;
  double x[variables];
  double y[outputs], jacobian[outputs * coordinates];
} Instance;

/* Calls the logger: each version has its own. */
static void call_logger(const Instance* i, Status status, const char* category, const char* text);

/* Logs a text, if that is asked for, and returns the status. */
static Status logged(const Instance* i, Status status, const char* text) {
  const int category = status == error;
  if (i->logger && i->logs[category]) call_logger(i, status, categories[category], text);
  return status;
}

static void changed(Instance* i) { i->has_values = i->has_jacobian = false; }

static Status reset(Instance* i) {
  memcpy(i->x, start, sizeof start);
  changed(i);
  i->warned = false;
  return ok;
}

static Status set_time(Instance* i, double time) {
  i->x[time_at] = time;
  changed(i);
  return ok;
}

static Status choose_logs(Instance* i, bool on, size_t n, const char* const* chosen) {
  for (int c = 0; c < 2; ++c) {
    i->logs[c] = on && n == 0;
    for (size_t k = 0; k < n; ++k) i->logs[c] |= on && strcmp(chosen[k], categories[c]) == 0;
  }
  return ok;
}

static void free_instance(Instance* i) {
  if (i) free(i->name);
  free(i);
}

static Instance* new_instance(const char* name, const char* token, void* environment,
                              void (*logger)(void), bool logs) {
  Instance* const i = calloc(1, sizeof *i);
  if (!i) return NULL;
  i->environment = environment;
  i->logger = logger;
  i->name = calloc(strlen(name) + 1, 1);
  if (i->name) strcpy(i->name, name);
  choose_logs(i, logs, 0, NULL);
  reset(i);
  if (i->name && strcmp(token, TOKEN) == 0) return i;
  logged(i, error, "the token is not that of modelDescription.xml, or memory is out");
  free_instance(i);
  return NULL;
}

/* Warns once of a point outside of the domain. */
static Status check_domain(Instance* i) {
  char text[200];
  for (int k = 0; k < coordinates && !i->warned; ++k) {
    const double slack = 1e-9 * (upper[k] - lower[k]); /* for sums of steps of time */
    if (i->x[k] >= lower[k] - slack && i->x[k] <= upper[k] + slack) continue;
    snprintf(text, sizeof text, "%.60s = %.9g is outside of the domain, [%.9g, %.9g]", names[k],
             i->x[k], lower[k], upper[k]);
    i->warned = true;
    return logged(i, warning, text);
  }
  return ok;
}

static Status set_values(Instance* i, const uint32_t* at, size_t n, const double* values) {
  for (size_t k = 0; k < n; ++k) {
    if (at[k] >= variables || at[k] == time_at)
      return logged(i, error, "inputs and parameters alone can be set");
    i->x[at[k]] = values[k];
  }
  changed(i);
  return ok;
}

static Status get_values(Instance* i, const uint32_t* at, size_t n, double* values) {
  Status status = ok;
  for (size_t k = 0; k < n; ++k) {
    if (at[k] >= variables + outputs) return logged(i, error, "there is no such variable");
    if (at[k] >= variables && !i->has_values) {
      values_at(i->x, i->y);
      i->has_values = true;
      status = check_domain(i);
    }
    values[k] = at[k] < variables ? i->x[at[k]] : i->y[at[k] - variables];
  }
  return status;
}

/* Products of the Jacobian of outputs by coordinates, or of its transpose, with a seed. */
static Status derive(Instance* i, bool transposed, const uint32_t* unknowns, size_t rows,
                     const uint32_t* knowns, size_t columns, const double* seed, double* result) {
  if (!i->has_jacobian) jacobian_at(i->x, i->jacobian);
  i->has_jacobian = true;
  for (size_t k = 0; k < (transposed ? columns : rows); ++k) result[k] = 0;
  for (size_t r = 0; r < rows; ++r)
    for (size_t c = 0; c < columns; ++c) {
      if (unknowns[r] < variables || unknowns[r] >= variables + outputs || knowns[c] >= variables)
        return logged(i, error, "derivatives are of outputs by time, inputs and parameters");
      if (knowns[c] >= coordinates) continue; /* time, of a problem without it */
      const double slope = i->jacobian[(unknowns[r] - variables) * coordinates + knowns[c]];
      result[transposed ? c : r] += slope * seed[transposed ? r : c];
    }
  return ok;
}

/* The state of an instance is the point that it stands at. */
static Status get_state(const Instance* i, void** state) {
  if (!*state) *state = malloc(sizeof i->x);
  if (!*state) return logged(i, error, "memory is out");
  memcpy(*state, i->x, sizeof i->x);
  return ok;
}

static Status set_state(Instance* i, const void* state) {
  memcpy(i->x, state, sizeof i->x);
  changed(i);
  return ok;
}

static Status free_state(void** state) {
  free(*state);
  *state = NULL;
  return ok;
}

static Status copy_state(const Instance* i, void* to, const void* from, size_t size) {
  if (size != sizeof i->x) return logged(i, error, "a state has another size");
  memcpy(to, from, size);
  return ok;
}

static Status none(const Instance* i, size_t n, const char* text) {
  return n == 0 ? ok : logged(i, error, text);
}
