// Follows a run: asks the server what is new, and leaves alone what somebody looks into.
const live = document.querySelector('main'), news = document.querySelector('#news');
let seen = '';

function show(html) {
  const fresh = document.createElement('template');
  fresh.innerHTML = html;
  const old = new Map([...live.querySelectorAll('figure.chart')].map(f => [f.querySelector('figcaption').textContent, f]));
  for (const figure of fresh.content.querySelectorAll('figure.chart')) {
    const before = old.get(figure.querySelector('figcaption').textContent);
    if (before && (before.zoomed || before.matches(':hover'))) {
      figure.replaceWith(before);
      continue;
    }
    chart(figure);
    if (before && before.overSeconds) figure.querySelector('button')?.click();
  }
  live.replaceChildren(fresh.content);
}

async function look() {
  try {
    const answer = await fetch('/now', {cache: 'no-store', headers: seen ? {'If-None-Match': seen} : {}});
    if (answer.status === 200) {
      const html = await answer.text();
      seen = answer.headers.get('ETag');
      show(html);
    }
    news.textContent = '';
  } catch {
    news.textContent = 'pinn-report --serve does not answer: it was ended, and this page stands still';
  }
  setTimeout(look, 1000);
}
look();
