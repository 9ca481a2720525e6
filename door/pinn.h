/* libpinn: trained runs as functions, and training from memory. C99.
 *
 * Every function may be called from any thread. Calls on one pinn_formulas, and pinn_text of one
 * run, wait for each other; all else runs side by side. Handles may be closed in any order. The
 * library prints nothing, catches no signal, and keeps no state between calls but its handles.
 *
 * A function that can fail gives PINN_DONE, or what went wrong, the exit codes of pinn-train; then
 * *error is a text for people - what, where, how to fix it - to be freed by pinn_free. `error` may
 * be NULL. Outputs are left alone by a call that fails, but where it is said otherwise. Texts are
 * UTF-8; numbers are double, and NaN is what is not known. */
#ifndef PINN_H
#define PINN_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PINN_API __attribute__((visibility("default")))
#else
#define PINN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum pinn_code {
  PINN_DONE = 0,
  PINN_WRONG_INPUT =
      1, /* a file, a formula or an option, with line and column where there is one */
  PINN_WRONG_USAGE = 2, /* an argument of the call: NULL, or out of range */
  PINN_DIVERGED = 3,
  PINN_INTERRUPTED = 4, /* by the progress function, or by a time limit of the problem */
  PINN_FILE_FAILED = 5,
  PINN_OUT_OF_MEMORY = 6,
  PINN_DEVICE_MISSING = 7,
  PINN_PROMISE_BROKEN = 8, /* the run ended, worse than a strict [reference] of it promises */
  PINN_BUG = 70
};

typedef struct pinn_run pinn_run;           /* a run that was trained */
typedef struct pinn_formulas pinn_formulas; /* formulas of its fields, compiled */

/* "0.1.0+9aed005". The text stays. */
PINN_API const char* pinn_version(void);

/* Frees a text that the library gave. NULL is fine. */
PINN_API void pinn_free(char* text);

/* ---- runs ---- */

/* Opens the run in a folder: its newest good checkpoint, and of that the best network. A run may be
 * in training all the while. */
PINN_API int pinn_load(const char* folder, pinn_run** run, char** error);

/* Closes a run. Its formulas stay good. NULL is fine. */
PINN_API void pinn_close(pinn_run* run);

/* Lists that a run has. */
enum pinn_list {
  PINN_COORDINATES = 0, /* inputs of the network, in the order that points have; a range each */
  PINN_FIELDS = 1,
  PINN_UNKNOWNS = 2, /* found numbers of the problem */
  PINN_ERRORS = 3,   /* relative L2 errors of the result, where a reference is known */
  PINN_FACTS = 4,    /* "step" of the result, "steps" made, "held_out" residual, "seconds" trained,
                        "parameters" */
  PINN_HISTORY = 5,  /* columns of the recorded losses, residuals, errors and unknowns */
  /* Of a run that is done, without a reference; see pinn_estimate. Where one of them is empty,
   * PINN_NO_ESTIMATES or PINN_NO_STANDARD_ERRORS says why. */
  PINN_ESTIMATED_ERRORS = 6, /* estimated relative L2 errors of fields; NaN: the field is 0 */
  PINN_STANDARD_ERRORS = 7   /* of unknowns; NaN: the loss leaves the unknown open */
};

/* How many entries a list has; 0 for a list that there is not. */
PINN_API size_t pinn_count(const pinn_run* run, int list);
/* The name of an entry; NULL where there is none. The text stays until the run is closed. */
PINN_API const char* pinn_name(const pinn_run* run, int list, size_t index);
/* The number of an entry: of PINN_COORDINATES the lower end, of PINN_FIELDS NaN, of PINN_HISTORY
 * the latest that is known. */
PINN_API double pinn_number(const pinn_run* run, int list, size_t index);
/* Both ends of a coordinate. */
PINN_API void pinn_range(const pinn_run* run, size_t index, double range[2]);

/* Parts of an estimated error. */
enum pinn_estimate_part {
  PINN_RELATIVE = 0,  /* root mean square, over that of the field; NaN: the field is 0 */
  PINN_ABSOLUTE = 1,  /* root mean square, in the unit of the field */
  PINN_EXPLAINED = 2, /* share of the squared residual that such an error accounts for */
  PINN_AT_LEAST = 3   /* 1: the sizes are lower bounds, and the error may be far larger; else 0 */
};

/* A part of an entry of PINN_ESTIMATED_ERRORS; NaN where the run did not record it, or there is no
 * such entry or part. */
PINN_API double pinn_estimate(const pinn_run* run, size_t index, int part);

/* Steps and values of a column of PINN_HISTORY, as many as there is room for. Gives how many there
 * are. Either array may be NULL. */
PINN_API size_t pinn_history(const pinn_run* run, size_t column, size_t room, int64_t* steps,
                             double* values);

enum pinn_text_kind {
  PINN_STATUS = 0, /* how the run stands, in lines */
  PINN_SOURCE = 1, /* the problem file as it was read */
  PINN_NOTES = 2,  /* what was told when it was opened or trained: damaged files, warnings */
  PINN_FOLDER = 3, /* where it lies */
  PINN_REPORT = 4, /* the page of the run, HTML */
  /* Why a run has no estimated errors, or no standard errors; empty where it has. */
  PINN_NO_ESTIMATES = 5,
  PINN_NO_STANDARD_ERRORS = 6
};

/* A text of a run, to be freed by pinn_free. */
PINN_API int pinn_text(const pinn_run* run, int kind, char** text, char** error);

/* ---- formulas ---- */

/* Compiles formulas of a run between commas: fields, derivatives, defines, whole expressions, as in
 * "u, u_x, d(u*u, x)"; "residual" stands for every residual.
 *
 *   threads   that an evaluation uses; 0: what the machine allows this process */
PINN_API int pinn_compile(const pinn_run* run, const char* formulas, int threads,
                          pinn_formulas** compiled, char** error);

PINN_API void pinn_release(pinn_formulas* compiled);

/* How many formulas there are, and their names; NULL where there is none. */
PINN_API size_t pinn_formula_count(const pinn_formulas* compiled);
PINN_API const char* pinn_formula_name(const pinn_formulas* compiled, size_t index);

/* Evaluates all formulas at points, in memory that does not grow with their number.
 *
 *   count    as many as both arrays have; one that no memory holds is wrong usage
 *   points   [count][coordinates]
 *   values   [formulas][count]; what an evaluation that fails leaves there means nothing */
PINN_API int pinn_evaluate(pinn_formulas* compiled, size_t count, const double* points,
                           double* values, char** error);

/* ---- training ---- */

/* How a training stands. Later versions add members at the end; `size` says how far it goes. */
typedef struct pinn_progress {
  size_t size;
  const char* stage; /* its name */
  int64_t stage_number, stages;
  int64_t step, steps; /* made, and to make, in this stage */
  double loss;
  double held_out; /* the loss at held-out points, when it was last asked for */
  double error;    /* the largest relative L2 error, where a reference is known */
  double seconds;  /* trained so far */
} pinn_progress;

/* Is asked about twenty times a second, and at the end of each stage, in the thread that trains:
 * anything but 0 ends the training there, in good order. */
typedef int (*pinn_progress_function)(const pinn_progress* progress, void* user);

/* A training. Set all of it to 0, or to PINN_REQUEST, and then what is wanted. */
typedef struct pinn_request {
  size_t size;      /* sizeof(pinn_request) */
  const char* text; /* the problem, as a problem file has it; NULL: `file` is read */
  const char* file; /* the problem file; with `text`, what other files are named relative to */
  const char* const* overrides; /* "stage.1.steps=200", as --set has them */
  size_t override_count;
  /* Of the run; "": runs/NAME, as pinn-train does; NULL: one of its own, gone with the run. */
  const char* folder;
  int resume;                      /* go on with the run in `folder`, or start it */
  int overwrite;                   /* replace the run in `folder` */
  pinn_progress_function progress; /* or NULL */
  void* user;                      /* handed to it */
} pinn_request;

#define PINN_REQUEST \
  { sizeof(pinn_request), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Checks a problem, and gives the plan of its training, as pinn-train --check prints it. */
PINN_API int pinn_check(const pinn_request* request, char** plan, char** error);

/* Trains a problem from its beginning to its end. The run is given as soon as there is one, so also
 * with PINN_INTERRUPTED and PINN_PROMISE_BROKEN; with these *error says why. */
PINN_API int pinn_train(const pinn_request* request, pinn_run** run, char** error);

#ifdef __cplusplus
}
#endif
#endif
