'use strict';
// Reads pictures out under the pointer, shows parts of charts, and steps through places of maps.
const number = v => v === null ? '–' : v !== 0 && (Math.abs(v) < 1e-3 || Math.abs(v) >= 1e5)
    ? v.toExponential(3).replace('-', '−').replace('e', '·10^').replace('^+', '^') : String(+v.toPrecision(4)).replace('-', '−');
const svgElement = (name, attributes, text) => {
  const e = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const k in attributes) e.setAttribute(k, attributes[k]);
  if (text !== undefined) e.textContent = text;
  return e;
};
/// Where the pointer is, in the pixels of the drawing.
const place = (svg, event) => {
  const box = svg.getBoundingClientRect();
  return [(event.clientX - box.left) * svg.viewBox.baseVal.width / box.width,
          (event.clientY - box.top) * svg.viewBox.baseVal.height / box.height];
};
const roundTicks = (lower, upper, about) => {
  const power = 10 ** Math.floor(Math.log10((upper - lower) / about));
  const step = [1, 2, 5, 10].map(k => k * power).find(s => (upper - lower) / s <= about);
  const all = [];
  for (let k = Math.ceil(lower / step - 1e-9); k * step <= upper + 1e-9 * step; ++k) all.push(+(k * step).toPrecision(12));
  return all;
};

/// A place for each name of a mark where it meets no other; none where it has none (mark_names.cpp).
const placesOfNames = (marks, lines, left, right) => {
  const letter = 7.4, apart = 4, taken = [];
  return marks.map((mark, k) => {
    const x = lines[k], width = letter * [...mark.text].length;
    if (!mark.text || x < left || x > right) return null;
    for (const anchor of ['start', 'end']) {
      const from = anchor === 'start' ? x + apart : x - apart - width, to = from + width;
      if (from < left || to > right) continue;
      for (let row = 0; row < (mark.redraw ? 1 : 3); ++row) {
        if (taken.some(t => t.row === row && t.from < to + apart && from < t.to + apart)) continue;
        taken.push({row, from, to});
        return {x: anchor === 'start' ? from : to, row, anchor};
      }
    }
    return null;
  });
};
/// From the least to the largest; a little wider where these are one.
const endsOf = all => {
  const lower = Math.min(...all), upper = Math.max(...all), half = upper > lower ? 0 : 0.1 * Math.abs(lower) || 0.5;
  return [lower - half, upper + half];
};

function chart(figure) {
  const data = JSON.parse(figure.querySelector('script').textContent);
  const svg = figure.querySelector('svg'), out = figure.querySelector('output');
  const [left, top, width, height] = data.plot;
  let key = 'x', range = data.x.slice();
  const whole = () => {
    const all = data.curves.flatMap(c => c[key]);
    return key === 'x' ? data.x.slice() : endsOf(all);
  };
  const across = v => left + width * (v - range[0]) / (range[1] - range[0]);
  const share = v => data.log ? v > 0 ? Math.log(v / data.y[0]) / Math.log(data.y[1] / data.y[0]) : NaN
                              : (v - data.y[0]) / (data.y[1] - data.y[0]);
  const clip = svgElement('clipPath', {id: 'plot' + Math.random().toString(36).slice(2)});
  clip.append(svgElement('rect', {x: left, y: top, width, height}));
  svg.prepend(clip);
  for (const group of ['.curves', '.marks']) svg.querySelector(group).setAttribute('clip-path', `url(#${clip.id})`);
  const redraw = () => {
    figure.zoomed = range.some((end, k) => end !== whole()[k]);
    const paths = svg.querySelectorAll('.curves path');
    data.curves.forEach((c, k) => {
      let d = '', shown = 0;
      c[key].forEach((x, i) => {
        const y = c.values[i] === null ? NaN : share(c.values[i]);
        if (isFinite(y)) d += (shown++ ? 'L' : 'M') + across(x).toFixed(1) + ' ' + (top + height * (1 - y)).toFixed(1);
      });
      paths[k].setAttribute('d', shown === 1 ? d + 'h0' : d);
    });
    const marks = svg.querySelector('.marks');
    marks.replaceChildren();
    const lines = data.marks.map(m => across(m[key]));
    placesOfNames(data.marks, lines, left, left + width).forEach((place, k) => {
      marks.append(svgElement('path', {class: 'line mark', d: `M${lines[k]} ${top}V${top + height}`}));
      if (place) marks.append(svgElement('text', {class: 'note', x: place.x, y: top + 13 + 14 * place.row, 'text-anchor': place.anchor}, data.marks[k].text));
    });
    const ticks = svg.querySelector('.x-ticks');
    ticks.replaceChildren();
    for (const t of roundTicks(range[0], range[1], 8)) {
      const x = across(t);
      ticks.append(svgElement('path', {class: 'line ink', d: `M${x} ${top + height}v4`}),
                   svgElement('text', {class: 'label', x, y: top + height + 18, 'text-anchor': 'middle'}, number(t)));
    }
    svg.querySelector('.x-name text').textContent = key === 'x' ? data.name : 'seconds of training';
  };
  const line = svgElement('path', {class: 'line ink'});
  svg.append(line);
  const read = event => {
    const [px] = place(svg, event), x = range[0] + (px - left) / width * (range[1] - range[0]);
    if (px < left || px > left + width) return leave();
    line.setAttribute('d', `M${px} ${top}V${top + height}`);
    out.textContent = (key === 'x' ? data.name : 'seconds') + ' ' + number(x) + ':  ' + data.curves.map(c => {
      let near = 0;
      c[key].forEach((v, i) => { if (Math.abs(v - x) < Math.abs(c[key][near] - x)) near = i; });
      return c.name + ' ' + number(c.values[near]);
    }).join(',  ');
  };
  const leave = () => { line.removeAttribute('d'); out.textContent = ''; };
  let from = null;
  svg.addEventListener('pointermove', read);
  svg.addEventListener('pointerleave', leave);
  svg.addEventListener('pointerdown', event => { from = place(svg, event)[0]; });
  svg.addEventListener('pointerup', event => {
    const to = place(svg, event)[0];
    if (from === null || Math.abs(to - from) < 8) return;
    const at = p => range[0] + (Math.min(Math.max(p, left), left + width) - left) / width * (range[1] - range[0]);
    const ends = [at(from), at(to)].sort((a, b) => a - b);
    from = null;
    if (ends[1] > ends[0]) { range = ends; redraw(); }
  });
  svg.addEventListener('dblclick', () => { range = whole(); redraw(); });
  svg.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    const x = range[0] + (place(svg, event)[0] - left) / width * (range[1] - range[0]);
    const by = event.deltaY > 0 ? 1.25 : 0.8, all = whole();
    range = [Math.max(all[0], x + (range[0] - x) * by), Math.min(all[1], x + (range[1] - x) * by)];
    redraw();
  }, {passive: false});
  if (data.curves.every(c => c.seconds.length === c.x.length)) {
    const button = document.createElement('button');
    button.textContent = 'over seconds';
    button.addEventListener('click', () => {
      key = key === 'x' ? 'seconds' : 'x';
      button.textContent = key === 'x' ? 'over seconds' : 'over steps';
      figure.overSeconds = key !== 'x';
      range = whole();
      redraw();
    });
    out.after(button);
  }
}

function map(figure) {
  const data = JSON.parse(figure.querySelector('script').textContent);
  const svg = figure.querySelector('svg'), out = figure.querySelector('output');
  const slider = figure.querySelector('input'), places = svg.querySelectorAll('.place');
  const [left, top, width, height] = data.plot, [lower, upper] = data.range;
  const values = data.values.map(text => {
    const bytes = atob(text), all = new Uint16Array(bytes.length / 2);
    for (let i = 0; i < all.length; ++i) all[i] = bytes.charCodeAt(2 * i) | bytes.charCodeAt(2 * i + 1) << 8;
    return all;
  });
  let shown = slider ? +slider.value : 0;
  const nearest = (nodes, v) => nodes.reduce((best, x, i) => Math.abs(x - v) < Math.abs(nodes[best] - v) ? i : best, 0);
  const valueOf = whole => whole === 65535 ? null
      : data.log ? lower * (upper / lower) ** (whole / 65534) : lower + (upper - lower) * whole / 65534;
  svg.addEventListener('pointermove', event => {
    const [px, py] = place(svg, event);
    if (px < left || px > left + width || py < top || py > top + height) return void (out.textContent = '');
    const x = data.x, y = data.y;
    const i = nearest(x, x[0] + (px - left) / width * (x[x.length - 1] - x[0]));
    const j = nearest(y, y[0] + (top + height - py) / height * (y[y.length - 1] - y[0]));
    const value = valueOf(values[shown][j * x.length + i]);
    out.textContent = `${data.names[0]} = ${number(x[i])},  ${data.names[1]} = ${number(y[j])}:  ` +
        (value === null ? 'nothing here' : number(value));
  });
  svg.addEventListener('pointerleave', () => { out.textContent = ''; });
  if (slider) slider.addEventListener('input', () => {
    shown = +slider.value;
    places.forEach((p, k) => p.classList.toggle('hidden', k !== shown));
    slider.nextElementSibling.textContent = number(data.thirds[shown]);
  });
}

document.querySelectorAll('figure.chart').forEach(chart);
document.querySelectorAll('figure.map').forEach(map);
