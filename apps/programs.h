#pragma once

namespace pinn {
class Ranks;
}

// The programs as functions of libpinn. Each takes what main takes, and gives the exit code.
extern "C" {
#pragma GCC visibility push(default)
int pinn_train_main(int argc, char** argv);
int pinn_train_on_ranks(int argc, char** argv, pinn::Ranks& ranks);
int pinn_export_main(int argc, char** argv);
int pinn_report_main(int argc, char** argv);
int pinn_reference_main(int argc, char** argv);
int pinn_sweep_main(int argc, char** argv);
int pinn_verify_main(int argc, char** argv);
#pragma GCC visibility pop
}
