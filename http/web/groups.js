// All groups, a page at a time: their number does not matter, since the server filters and pages.
import { explain, get, text } from './api.js';
import { badge, h, name, number, show, table } from './dom.js';

const STATES = ['Empty', 'NotReady', 'Assigning', 'Reconciling', 'Stable', 'Dead', 'Unknown'];
const PAGE = 100;
const REFRESH_MS = 5_000;
const COUNT_MS = 30_000; // counting asks every group
const TYPING_MS = 250;

/** Fills `into` with the list that `query` (state, prefix) means; returns what ends it. */
export function groupList(into, query) {
  const stop = new AbortController();
  const at = { state: query.get('state') ?? '', prefix: query.get('prefix') ?? '', cursors: [''] };
  const rows = h('div', { id: 'groups', 'aria-live': 'off' });
  const states = h('ul', { id: 'states', class: 'states', 'aria-label': 'Streams groups by state' });
  let timer = 0;
  let counted = -COUNT_MS;
  const refresh = async () => {
    clearTimeout(timer);
    const count = performance.now() - counted >= COUNT_MS;
    if (count) counted = performance.now();
    await Promise.all([showPage(rows, at, refresh, stop.signal), count && showStates(states, stop.signal)]);
    if (!stop.signal.aborted) timer = setTimeout(refresh, REFRESH_MS);
  };
  const filtered = () => {
    at.cursors = [''];
    history.replaceState(null, '', address(at));
    refresh();
  };
  into.append(h('h1', { tabindex: -1 }, 'Groups'), states, filters(at, filtered), rows);
  refresh();
  return () => {
    stop.abort();
    clearTimeout(timer);
  };
}

function address({ state, prefix }) {
  const query = new URLSearchParams();
  if (state) query.set('state', state);
  if (prefix) query.set('prefix', prefix);
  return query.size > 0 ? `#/groups?${query}` : '#/groups';
}

function filters(at, changed) {
  let timer = 0;
  const prefix = h('input', {
    id: 'prefix',
    type: 'search',
    value: at.prefix,
    'data-filter': true,
    autocomplete: 'off',
    oninput: () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        at.prefix = prefix.value;
        changed();
      }, TYPING_MS);
    },
  });
  const state = h(
    'select',
    {
      id: 'state',
      onchange: () => {
        at.state = state.value;
        changed();
      },
    },
    h('option', { value: '' }, 'any'),
    STATES.map((one) => h('option', { value: one, selected: one === at.state }, one)),
  );
  return h(
    'form',
    { class: 'bar', role: 'search', onsubmit: (event) => event.preventDefault() },
    h('label', { for: 'prefix' }, 'Name begins with'),
    prefix,
    h('label', { for: 'state' }, 'State'),
    state,
  );
}

async function showPage(into, at, again, signal) {
  const cursor = at.cursors.at(-1);
  const query = new URLSearchParams({ limit: PAGE });
  for (const [key, value] of Object.entries({ state: at.state, prefix: at.prefix, after: cursor })) {
    if (value) query.set(key, value);
  }
  try {
    const page = await get(`v1/groups?${query}`, signal);
    if (cursor !== at.cursors.at(-1)) return; // somebody turned the page meanwhile
    show(
      into,
      table(
        'Groups',
        ['Group', 'Type', 'State', 'Members', 'Active', 'Standby', 'Warm-up', 'Group epoch', 'Assignment epoch', 'Why'],
        page.items.map(row),
        'No group fits.',
      ),
      pager(at, page, again),
    );
  } catch (error) {
    if (!signal.aborted) show(into, h('p', { class: 'problem', role: 'alert' }, explain(error)));
  }
}

function row(group) {
  const lag = group.group_epoch !== group.assignment_epoch;
  return [
    h(
      'a',
      { href: `#/groups/${encodeURIComponent(group.group_id)}`, 'data-row': true, id: `row-${group.group_id}` },
      name(group.group_id),
    ),
    group.type,
    badge(group.state),
    number(group.members),
    number(group.active_tasks),
    number(group.standby_tasks),
    number(group.warmup_tasks),
    number(group.group_epoch),
    h('span', { class: lag ? 'behind' : null }, number(group.assignment_epoch)),
    group.reason ?? '',
  ];
}

function pager(at, page, again) {
  const turn = (change) => () => {
    change();
    again();
  };
  const number_of = at.cursors.length;
  return h(
    'div',
    { class: 'bar', role: 'navigation', 'aria-label': 'Pages' },
    h(
      'button',
      { type: 'button', id: 'page-before', disabled: number_of === 1, onclick: turn(() => at.cursors.pop()) },
      'Previous',
    ),
    h('span', { id: 'page-number' }, `Page ${number_of}`),
    h(
      'button',
      {
        type: 'button',
        id: 'page-next',
        disabled: page.next === null,
        onclick: turn(() => at.cursors.push(page.next)),
      },
      'Next',
    ),
  );
}

/** How many streams groups are in each state, from the metrics: no list of all groups is read for it. */
async function showStates(into, signal) {
  try {
    const metrics = await text('metrics', signal);
    const found = [...metrics.matchAll(/^weir_groups\{state="(\w+)"\} (\d+)$/gm)];
    show(
      into,
      found.map(([, state, count]) => h('li', {}, badge(state), ` ${number(count)}`)),
    );
  } catch (error) {
    if (!signal.aborted) show(into);
  }
}
