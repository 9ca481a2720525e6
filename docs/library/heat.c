/* Trains a small problem from memory, and asks the result for u, u_x and u_xx.
 *
 *   cc heat.c -o heat $(pkg-config --cflags --libs pinn) -lm */
#include <math.h>
#include <pinn.h>
#include <stdio.h>

static const char* problem =
    "[problem]\n"
    "coordinates = { x = [0.0, 1.0], t = [0.0, 0.5] }\n"
    "fields      = ['u']\n"
    "[[equation]]\n"
    "residual = 'u_t = 0.1*u_xx'\n"
    "points   = 1000\n"
    "[network]\n"
    "layers = [12, 12]\n"
    "[network.output]\n"
    "u = 'sin(pi*x) + t*x*(1 - x)*N'\n"
    "[[stage]]\n"
    "optimizer = 'ssbroyden'\n"
    "steps     = 300\n";

static int show(const pinn_progress* p, void* user) {
  (void)user;
  fprintf(stderr, "\r%s %lld of %lld, loss %.2e", p->stage, (long long)p->step,
          (long long)p->steps, p->loss);
  return 0; /* go on */
}

static int failed(char* error) {
  fprintf(stderr, "%s\n", error ? error : "out of memory");
  pinn_free(error);
  return 1;
}

int main(void) {
  enum { points = 5 };
  char* error = NULL;
  pinn_run* run = NULL;
  pinn_request request = PINN_REQUEST;
  request.text = problem;
  request.progress = show;
  if (pinn_train(&request, &run, &error) != PINN_DONE) return failed(error);
  fprintf(stderr, "\n");

  pinn_formulas* formulas = NULL;
  if (pinn_compile(run, "u, u_x, u_xx", 0, &formulas, &error) != PINN_DONE) return failed(error);
  double at[points][2], values[3][points];
  for (int i = 0; i < points; ++i) at[i][0] = 0.1 + 0.2 * i, at[i][1] = 0.5;
  if (pinn_evaluate(formulas, points, &at[0][0], &values[0][0], &error) != PINN_DONE)
    return failed(error);

  const double pi = acos(-1.0);
  double worst = 0;
  for (int i = 0; i < points; ++i) {
    const double exact = exp(-0.1 * pi * pi * at[i][1]) * sin(pi * at[i][0]);
    printf("u(%.1f, %.1f) = %.7f  u_x = %.6f  u_xx = %.5f\n", at[i][0], at[i][1], values[0][i],
           values[1][i], values[2][i]);
    worst = fmax(worst, fabs(values[0][i] - exact));
  }
  printf("largest error of u: %.1e\n", worst);
  pinn_release(formulas);
  pinn_close(run);
  return worst < 1e-4 ? 0 : 1;
}
