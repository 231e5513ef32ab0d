// Making elements out of data. Text always goes in as text, never as markup: whoever starts an application chooses the
// names of groups, members and topics.

const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]/g;

/** The text with characters that nobody can see, or that turn the direction of writing, spelled out. */
export function shown(text) {
  return String(text).replace(UNSEEN, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
}

/**
 * h('a', {href, class, onclick}, 'text', element, ...). An attribute that is null or false is left out, `on...` is a
 * listener, children that are null are left out, lists are spread.
 */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...texts(children));
  return element;
}

function texts(children) {
  return children
    .flat(Infinity)
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(shown(child))));
}

/** Replaces what is in `element`, keeping the focus on the element with the same id, and the scroll position. */
export function show(element, ...children) {
  const focused = element.contains(document.activeElement) ? document.activeElement.id : '';
  const { scrollTop, scrollLeft } = element;
  element.replaceChildren(...texts(children));
  element.scrollTop = scrollTop;
  element.scrollLeft = scrollLeft;
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
}

/** A table with a caption for those who hear the page; rows are lists of cells. */
export function table(caption, heads, rows, empty = 'Nothing.') {
  if (rows.length === 0) return h('p', { class: 'quiet' }, empty);
  return h(
    'div',
    { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h(
      'table',
      {},
      h('caption', {}, caption),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          heads.map((head) => h('th', { scope: 'col' }, head)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map((cells) =>
          h(
            'tr',
            {},
            cells.map((cell) => h('td', {}, cell)),
          ),
        ),
      ),
    ),
  );
}

/** A name that others chose: kept apart from the writing direction of what stands around it. */
export function name(text) {
  return h('bdi', { class: 'name' }, text === '' || text === null || text === undefined ? '-' : text);
}

/** Group states and member states as a coloured word. */
export function badge(state) {
  return h(
    'span',
    {
      class: `badge state-${String(state)
        .replace(/[^A-Za-z]/g, '')
        .toLowerCase()}`,
    },
    state ?? '-',
  );
}

export function number(value) {
  return value === null || value === undefined ? '-' : Number(value).toLocaleString('en');
}

/** Milliseconds as a person says them. */
export function duration(ms) {
  if (ms === null || ms === undefined) return '-';
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${ms < 10 && ms % 1 ? ms.toFixed(2) : whole} ms`;
  if (whole < 60_000) return `${(whole / 1000).toFixed(1)} s`;
  if (whole < 3_600_000) return `${Math.floor(whole / 60_000)} min ${Math.round((whole % 60_000) / 1000)} s`;
  return `${Math.floor(whole / 3_600_000)} h ${Math.round((whole % 3_600_000) / 60_000)} min`;
}

/** A time of the API, as a time element that shows local time and keeps the exact one. */
export function time(text) {
  if (!text) return h('span', {}, '-');
  const at = new Date(text);
  const known = !Number.isNaN(at.getTime());
  return h('time', { datetime: text, title: text }, known ? at.toLocaleTimeString('en-GB') : text);
}
