/* The main of every program: PINN_PROGRAM is its function in libpinn. */
int PINN_PROGRAM(int argc, char** argv);

int main(int argc, char** argv) { return PINN_PROGRAM(argc, argv); }
