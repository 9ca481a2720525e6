set -eu
. ./common.sh
if [ -s /etc/ssl-try.crt ]; then export PIP_CERT=/etc/ssl-try.crt; fi
apt-get -qq update
install python3-venv
python3 -m venv venv
began=$(now)
venv/bin/pip --disable-pip-version-check --quiet install ./pinn-*.whl
PATH=$PWD/venv/bin:$PATH
train_and_report "$began"
site=$(echo venv/lib/python3*/site-packages)
say "$(du -sh "$site/pinn" "$site/pinn.libs" | tr '\n\t' ', ')"
compare_libraries "$site/pinn/bin/pinn-train"
venv/bin/python -c 'import pinn; run = pinn.load("runs/burgers"); print("Python:", run.errors, run(x=[0.1, 0.2], t=0.5))'
pinn-reference --list | sed -n 1p
pinn-sweep burgers.toml --seeds 2 --set stage.1.steps=20 --set stage.2.steps=20 --quiet | tail -n 1
venv/bin/pip --quiet uninstall --yes pinn
[ ! -e venv/bin/pinn-train ]
say "removed again; whole"
