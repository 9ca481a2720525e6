/// The main of pinn-train where there is an MPI: libpinn itself needs none.
#include "apps/programs.h"
#include "solvers/ranks/mpi_ranks.h"

int main(int argc, char** argv) { return pinn::run_on_ranks(argc, argv, pinn_train_on_ranks); }
