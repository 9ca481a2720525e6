"""Looks at the site by a browser, as it lies on the disk: pages open without an error and without asking a network for
anything, no page is wider than a phone, and the search finds a key and a page.

look.py build/site/html
"""
import pathlib
import shutil
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests/apps"))
from report_in_browser import Browser  # noqa: E402

SEARCH = """(text => {
  document.querySelector('#__search').click();
  const input = document.querySelector('.md-search__input');
  input.focus();
  input.value = text;
  input.dispatchEvent(new Event('input', {bubbles: true}));
})"""
FOUND = "[...document.querySelectorAll('.md-search-result__link')].map(link => link.getAttribute('href'))"


def found(browser, text, page):
    """Whether the search for a text finds a page, within ten seconds."""
    browser.ask(f"{SEARCH}({text!r})")
    for _ in range(100):
        if any(page in link for link in browser.ask(FOUND)):
            return True
        time.sleep(0.1)
    return False


def look(program, folder, page, search=()):
    """What is wrong with a page."""
    browser = Browser(program, folder)
    try:
        browser.open(f"file://{page}")
        wrong, elsewhere = browser.errors()
        said = [f"{event}" for event in wrong] + [f"asks for {url}" for url in elsewhere]
        said += [f"does not find {target} by '{text}'" for text, target in search if not found(browser, text, target)]
        browser.call("Emulation.setDeviceMetricsOverride", width=390, height=800, deviceScaleFactor=1, mobile=True)
        wide = browser.ask("document.documentElement.scrollWidth")
        return said + ([f"is {wide} pixels wide on a phone of 390"] if wide > 391 else [])
    finally:
        browser.close()


def main():
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        print("not looked at: there is no chromium")
        return
    site = pathlib.Path(sys.argv[1]).resolve()
    pages = [site / "index.html", site / "docs/keys.html", site / "docs/gallery.html", site / "docs/problem_file.html",
             *sorted((site / "docs/tutorial").glob("*.html"))]
    search = [("held-out residual", "read_the_held_out_residual"), ("stage.steps", "keys.html")]
    count = 0
    for page in pages:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            for wrong in look(program, folder, page, search if page.name == "index.html" else ()):
                print(f"{page.relative_to(site)}: {wrong}")
                count += 1
    print(f"{len(pages)} pages looked at, {count} things wrong")
    sys.exit(count > 0)


if __name__ == "__main__":
    main()
