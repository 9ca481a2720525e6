set -eu
. ./common.sh
apt-get -qq update
began=$(now)
install ./pinn_*.deb
say "$(sed -n 's/^Need to get \(.*\) of archives.*/\1/p; s/^After this operation, \(.* used\).*/, \1/p' install.log | tr -d '\n')"
train_and_report "$began"
compare_libraries /usr/bin/pinn-train

install gcc libc6-dev pkg-config
doc=/usr/share/doc/pinn
cc -std=c99 $doc/docs/library/heat.c -o heat $(pkg-config --cflags --libs pinn) -lm
./heat 2>errors | tail -n 1
install g++ cmake make
mkdir project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.16)
project(mine CXX)
find_package(pinn 0.1 REQUIRED)
find_package(Threads REQUIRED)
add_executable(evaluate /usr/share/doc/pinn/docs/library/evaluate.cpp)
target_link_libraries(evaluate pinn::pinn Threads::Threads)
END
cmake -S project -B made >cmake.log && cmake --build made >>cmake.log
made/evaluate runs/burgers 'u, u_x' 2>errors | tail -n 1
install python3-numpy
python3 -c 'import pinn; run = pinn.load("runs/burgers"); print("Python:", run.errors, run(x=[0.1, 0.2], t=0.5))'
install man-db
man pinn-train | sed -n 4p
apt-get purge --yes pinn >install.log 2>&1
[ ! -e /usr/bin/pinn-train ]
say "removed again; whole"
