"""The pages of runs, looked at by a browser: no errors, the right numbers, sliders and zoom that work, no texts that overlap or
are cut off, also over seconds, side by side, on a phone, in the dark and in print; and the page that follows a run: curves that
grow.

report_in_browser.py PINN_TRAIN PINN_REPORT
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

PROBLEM = """
# </script><script>wrong()</script>
[problem]
coordinates = { x = [-1, 1], y = [0, 1], t = { range = [0, 2], unit = "s</script><script>wrong()</script>\\n\\"'&" } }
fields = ["u"]
unknowns = { k = 1.0 }
domain = "box - hole"
[problem.regions]
hole = { disk = { center = [0.3, 0.5], radius = 0.2 } }
[problem.define]
law = "x + 2*y + 10*t"
[[equation]]
name = "heat"
residual = "u_t - k*u_xx = 10"
points = 200
[[condition]]
on = "x = -1"
residual = "u = law"
points = 50
[network]
layers = [4]
[network.output]
u = "x + 2*y + 10*t + 0*N"
[[stage]]
optimizer = "adam"
steps = 60
[[stage]]
optimizer = "lbfgs"
steps = 60
[run]
threads = 1
[output]
grid = { x = 5, y = 5, t = 3 }
[reference]
exact = { u = "x + 2*y + 10*t + 0.5" }
"""

SMALL = """
[problem]
coordinates = { COORDINATES }
fields = ["u"]
unknowns = { k = 1.0 }
[[equation]]
residual = "EQUATION"
points = POINTS
[[condition]]
name = "CONDITION"
on = "x = 0"
residual = "u = 0"
points = 5
[network]
layers = [4]
[run]
threads = 1
[output]
fields = ["u", "FIELD"]
grid = { GRID }
[reference]
exact = { u = "x" }
"""

STAGE = """
[[stage]]
name = "NAME"
optimizer = "adam"
steps = STEPS
"""


def small_problem(stages, coordinates, equation, field="u_x", condition="wall", points="20"):
    """`stages`: names and steps. `coordinates`: names."""
    words = {"COORDINATES": ", ".join(f"{c} = [0, 1]" for c in coordinates), "EQUATION": equation, "FIELD": field,
             "CONDITION": condition, "GRID": ", ".join(f"{c} = 4" for c in coordinates), "POINTS": points}
    text = SMALL
    for word, value in words.items():
        text = text.replace(word, value)
    return text + "".join(STAGE.replace("NAME", name).replace("STEPS", str(steps)) for name, steps in stages)


ROD = small_problem([("coarse", 50), ("to_and_fro", 50), ("fine_and_far", 500)], "x", "u_x = k + sin(5*x)")
OTHERS = {
    "one_record": small_problem([("only", 5)], "x", "u_x = k"),
    "long_names": small_problem([("a" * 60, 20), ("b" * 30, 30), ("c" * 30, 10)], "xt", "u_x = k*x",
                                "+".join(["u*x"] * 30), "wall_on_which_the_temperature_is_prescribed", "{ count = 20, redraw = 2 }"),
    "body": small_problem([("only", 20)], "xyz", "u_x + u_y + u_z = k"),
    "large_numbers": small_problem([("only", 30)], "x", "u_x = k", "4.6e30 + 1e24*u"),
}

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--window-size=1200,900"]


class Browser:
    """Chromium, spoken to through a pipe: JSON between zero bytes (its DevTools protocol)."""

    def __init__(self, program, folder):
        to_browser, self.to = os.pipe()
        self.back, from_browser = os.pipe()

        def connect():  # descriptors 3 and 4, wherever the pipes are
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.process = subprocess.Popen([program, *FLAGS, f"--user-data-dir={folder}/browser"], preexec_fn=connect,
                                        close_fds=False, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.rest, self.number, self.session, self.events = b"", 0, None, []

    def call(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.read()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def read(self):
        while b"\0" not in self.rest:
            more = os.read(self.back, 1 << 16)
            assert more, "the browser ended"
            self.rest += more
        line, self.rest = self.rest.split(b"\0", 1)
        return json.loads(line)

    def open(self, page):
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        before = len(self.events)
        for domain in ("Runtime", "Log", "Page", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.navigate", url=page)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events[before:]):
            self.events.append(self.read())

    def ask(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def comes_true(self, script):
        """Waits for a minute at most."""
        for _ in range(600):
            if self.ask(script):
                return
            time.sleep(0.1)
        raise AssertionError("never true: " + script)

    def errors(self, ours=("file:", "data:")):
        wrong = [e for e in self.events if e.get("method") in ("Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled")]
        asked = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return wrong, [url for url in asked if not url.startswith(ours)]

    def close(self):
        self.process.kill()
        self.process.wait()


POINT = """((figure, x, y) => {
  const svg = figure.querySelector('svg'), data = JSON.parse(figure.querySelector('script').textContent);
  const [left, top, width, height] = data.plot, box = svg.getBoundingClientRect();
  const scale = box.width / svg.viewBox.baseVal.width;
  const event = kind => svg.dispatchEvent(new PointerEvent(kind, {clientX: box.left + scale * (left + x * width),
                                                                  clientY: box.top + scale * (top + (1 - y) * height)}));
  return {event, text: () => figure.querySelector('output').textContent};
})"""

OVERLAPS = """[...document.querySelectorAll('svg')].flatMap(svg => {
  const texts = [...svg.querySelectorAll('text')].filter(t => t.getBoundingClientRect().width > 0);
  const boxes = texts.map(t => t.getBoundingClientRect());
  return texts.flatMap((t, i) => texts.slice(i + 1).flatMap((u, k) => {
    const a = boxes[i], b = boxes[i + 1 + k];
    const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
    const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
    return wide > 1 && high > 3 ? [t.textContent + ' | ' + u.textContent] : [];
  }));
})"""


CUT = """[...document.querySelectorAll('svg')].flatMap(svg => {
  const box = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter(t => {
    const r = t.getBoundingClientRect();
    return r.width > 0 && (r.right > box.right + 1 || r.left < box.left - 1 || r.bottom > box.bottom + 1 || r.top < box.top - 1);
  }).map(t => t.textContent);
})"""

# The texts whose contrast with what is behind them is less than 4.5 (WCAG 2.1, 1.4.3), of the page's own colors.
FAINT = """(paper => {
  const rgb = text => { const c = text.match(/[0-9.]+/g).map(Number); return {c, seen: c.length < 4 || c[3] > 0}; };
  const light = c => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
    const v = c[i] / 255;
    return sum + weight * (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  }, 0);
  const behind = e => {
    for (; !paper && e; e = e.parentElement) {
      const color = rgb(getComputedStyle(e).backgroundColor);
      if (color.seen) return color.c;
    }
    return [255, 255, 255];
  };
  const texts = [...document.querySelectorAll('body *')].filter(e => !e.closest('script, style, title') && e.getClientRects().length &&
      [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()));
  return [texts.length, texts.flatMap(e => {
    const style = getComputedStyle(e);
    const [a, b] = [light(rgb(e instanceof SVGElement ? style.fill : style.color).c), light(behind(e))].sort();
    const contrast = (b + 0.05) / (a + 0.05);
    return contrast < 4.5 ? [e.textContent.slice(0, 40) + ' ' + contrast] : [];
  })];
})"""


def no_errors(browser, ours=("file:", "data:")):
    wrong, elsewhere = browser.errors(ours)
    assert not wrong, wrong
    assert not elsewhere, elsewhere


def nothing_overlaps(browser):
    for what in (OVERLAPS, CUT):
        assert browser.ask(what) == [], browser.ask(what)


def is_readable(browser, media, colors, paper=False):
    browser.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": colors}])
    count, faint = browser.ask(f"{FAINT}({json.dumps(paper)})")
    assert count > 30 and not faint, (media, colors, count, faint[:9])


def look_at_any(browser, page):
    """What holds for every page."""
    browser.events.clear()
    browser.open(page)
    nothing_overlaps(browser)
    curves = "[...document.querySelectorAll('figure.chart .curves path')].map(p => p.getAttribute('d'))"
    before = browser.ask(curves)
    for _ in range(2):  # over seconds, and over steps again
        browser.ask("document.querySelectorAll('figure.chart button').forEach(b => b.click())")
        nothing_overlaps(browser)
        assert not any("NaN" in d for d in browser.ask(curves)), browser.ask(curves)
    assert [d.count("L") for d in browser.ask(curves)] == [d.count("L") for d in before]
    assert all(not d or "L" in d or d.endswith("h0") for d in before + browser.ask(curves)), before  # what is alone is a dot
    for colors in ("light", "dark"):
        is_readable(browser, "screen", colors)
        is_readable(browser, "print", colors, paper=True)  # paper stays white
        assert browser.ask("[...document.querySelectorAll('button')].every(b => !b.getClientRects().length)")
        nothing_overlaps(browser)
    browser.call("Emulation.setEmulatedMedia", media="", features=[])
    browser.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=2, mobile=True)
    assert browser.ask("document.documentElement.scrollWidth <= innerWidth + 1 && innerWidth < 400"), "wider than a phone"
    browser.call("Emulation.clearDeviceMetricsOverride")
    no_errors(browser)


def train(folder, name, problem, *more):
    with open(f"{folder}/{name}.toml", "w") as file:
        file.write(problem)
    done = subprocess.run([sys.argv[1], f"{name}.toml", "--quiet", *more], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return f"file://{folder}/runs/{name}/report.html"


NAMES = """[...document.querySelectorAll('figure.chart')].find(f => f.querySelector('figcaption').textContent.startsWith('Losses'))
    .querySelectorAll('.marks text')"""


def look_at_others(browser, folder):
    rod = train(folder, "rod", ROD)
    look_at_any(browser, rod)
    names = browser.ask(f"[...{NAMES}].map(t => t.textContent)")
    assert names == ["stage to_and_fro", "stage fine_and_far"], names
    train(folder, "rod", ROD, "--set", "run.seed=1")  # runs/rod-2
    subprocess.run([sys.argv[2], "runs/rod", "runs/rod-2", "-o", "both.html"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    look_at_any(browser, f"file://{folder}/both.html")
    for name, problem in OTHERS.items():
        look_at_any(browser, train(folder, name, problem))
        if name == "body":
            assert browser.ask("document.querySelectorAll('figure.map input[type=range]').length") >= 2


def look(browser):
    titles = browser.ask("[...document.querySelectorAll('figcaption')].map(f => f.textContent)")
    assert titles[:3] == ["u", "error of u", "size of the residual of heat"], titles
    assert "The unknown k" in titles and "Losses at the training points" in titles, titles

    read = f"""(() => {{ const p = {POINT}(document.querySelectorAll('figure.map')[0], AT_X, AT_Y);
                p.event('pointermove'); return p.text(); }})()"""
    middle = browser.ask(read.replace("AT_X", "0.25").replace("AT_Y", "0.5"))
    assert middle == "x = −0.5,  y = 0.5:  10.5", middle  # at t = 1, where the slider begins
    hole = browser.ask(read.replace("AT_X", "0.65").replace("AT_Y", "0.5"))
    assert hole.endswith("nothing here"), hole

    slide = """(() => { const f = document.querySelectorAll('figure.map')[0], s = f.querySelector('input');
      s.value = s.max; s.dispatchEvent(new Event('input'));
      return [f.querySelector('.slider span').textContent, [...f.querySelectorAll('.place')].map(p => getComputedStyle(p).display !== 'none')]; })()"""
    place, shown = browser.ask(slide)
    assert place == "2", place
    assert shown == [False] * (len(shown) - 1) + [True], shown
    last = browser.ask(read.replace("AT_X", "0.25").replace("AT_Y", "0.5"))
    assert last == "x = −0.5,  y = 0.5:  20.5", last
    error = browser.ask(read.replace("[0], AT_X", "[1], AT_X").replace("AT_X", "0.25").replace("AT_Y", "0.5"))
    assert error.endswith("−0.5"), error

    chart = "[...document.querySelectorAll('figure.chart')].find(f => f.querySelector('figcaption').textContent === 'The unknown k')"
    name = f"({chart}).querySelector('.x-name text').textContent"
    assert browser.ask(name) == "step"
    browser.ask(f"({chart}).querySelector('button').click()")
    assert browser.ask(name) == "seconds of training"
    browser.ask(f"({chart}).querySelector('button').click()")
    ticks = f"[...({chart}).querySelectorAll('.x-ticks text')].map(t => +t.textContent)"
    whole = browser.ask(ticks)
    drag = f"(() => {{ const a = {POINT}({chart}, 0.4, 0.5), b = {POINT}({chart}, 0.6, 0.5); a.event('pointerdown'); b.event('pointerup'); }})()"
    browser.ask(drag)
    part = browser.ask(ticks)
    assert max(part) - min(part) < 0.5 * (max(whole) - min(whole)), (whole, part)
    browser.ask(f"({chart}).querySelector('svg').dispatchEvent(new MouseEvent('dblclick'))")
    again = browser.ask(ticks)
    assert min(again) <= min(whole) and max(again) >= max(whole), (whole, again)
    text = browser.ask(f"(() => {{ const p = {POINT}({chart}, 0.5, 0.5); p.event('pointermove'); return p.text(); }})()")
    assert text.startswith("step ") and "k " in text, text

    nothing_overlaps(browser)
    assert browser.ask("document.documentElement.scrollWidth <= innerWidth")


LAST = """(title => {
  const figure = [...document.querySelectorAll('figure.chart')].find(f => f.querySelector('figcaption').textContent === title);
  if (!figure) return 0;
  const curve = JSON.parse(figure.querySelector('script').textContent).curves[0];
  return curve.x[curve.x.length - 1];
})('Losses at the training points')"""


def look_at_served(browser, url, run):
    browser.open(url)
    browser.comes_true(f"{LAST} > 0 && document.querySelector('#state').textContent === 'training'")
    first = browser.ask(LAST)
    browser.comes_true(f"{LAST} > {first}")
    assert browser.ask("document.querySelector('h1').textContent").endswith("<script>alert(1)<\\script><i>run")
    assert "heat" in browser.ask("document.querySelector('figure.chart svg').textContent")
    assert browser.ask(OVERLAPS) == [], browser.ask(OVERLAPS)

    zoomed = "document.querySelector('figure.chart')"  # what somebody looks into stands still
    browser.ask(f"(() => {{ const a = {POINT}({zoomed}, 0.4, 0.5), b = {POINT}({zoomed}, 0.6, 0.5); a.event('pointerdown'); b.event('pointerup'); }})()")
    browser.ask(f"window.before = {zoomed}")
    step = "document.querySelector('#progress').textContent"
    told = browser.ask(step)
    browser.comes_true(f"{step} !== {json.dumps(told)}")
    assert browser.ask(f"{zoomed} === window.before && {zoomed}.zoomed")
    browser.ask(f"{zoomed}.querySelector('svg').dispatchEvent(new MouseEvent('dblclick'))")
    browser.comes_true(f"{zoomed} !== window.before && {LAST} > {first}")

    run.terminate()
    run.wait()
    browser.comes_true("document.querySelector('#state').textContent.startsWith('the run was interrupted')")
    no_errors(browser, (url, "data:"))
    browser.open(url + "report")
    assert "u" in browser.ask("[...document.querySelectorAll('figcaption')].map(f => f.textContent)")
    no_errors(browser, (url, "data:"))


def serve_and_look(browser, folder):
    out = "runs/<script>alert(1)<\\script><i>run"  # a slash is no part of a folder's name
    run = subprocess.Popen([sys.argv[1], "page.toml", "--quiet", "--out", out, "--set", "stage.1.steps=100000000",
                            "--set", "network.output.u=1*N"], cwd=folder,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(f"{folder}/{out}/metrics.jsonl"):
            assert run.poll() is None, "the run ended"
            time.sleep(0.05)
        server = subprocess.Popen([sys.argv[2], "--serve", out], cwd=folder, stdout=subprocess.PIPE, text=True)
        try:
            look_at_served(browser, server.stdout.readline().split()[0], run)
        finally:
            server.terminate()
            assert server.wait() == 0
    finally:
        run.kill()
        run.wait()


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("test skipped: there is no chromium (apt-get install chromium)")
        return
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # the browser ends late
        page = train(folder, "page", PROBLEM)
        browser = Browser(program, folder)
        try:
            look_at_any(browser, page)
            look(browser)
            no_errors(browser)
            look_at_others(browser, folder)
            browser.events.clear()
            serve_and_look(browser, folder)
        finally:
            browser.close()
    print("the pages are as they should be")


if __name__ == "__main__":
    main()
