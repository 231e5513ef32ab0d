// Why the group moved, newest first: cause, who, which tasks went from whom to whom, how long each phase took.
import { get, groupPath, offers } from './api.js';
import { duration, h, name, number, show, table, time } from './dom.js';

const PAGE = 50;
const MOVED_SHOWN = 200;
const REASONS = {
  unrevoked: 'had not given up its tasks yet',
  unreleased: 'waited for tasks of others',
  'slow-heartbeat': 'sent its heartbeat late',
  'missing-topic': 'waited for a topic',
  'warm-up': 'was catching up',
};

export function timeline(group) {
  const at = { cause: '', items: [], next: null, more: 0, causes: new Set(), opened: new Set() };
  const list = h('ol', { id: 'events', class: 'events' });
  const more = h('button', { type: 'button', id: 'older', hidden: true }, 'Older');
  const cause = h('select', { id: 'cause', 'data-filter': true }, h('option', { value: '' }, 'any'));
  const draw = () => {
    show(
      list,
      at.items.filter((item) => !at.cause || item.cause === at.cause).map((item) => entry(item, at.opened)),
    );
    if (list.children.length === 0) show(list, h('li', { class: 'quiet' }, 'Nothing has been told yet.'));
    more.hidden = at.next === null;
    for (const item of at.items) {
      if (at.causes.has(item.cause)) continue;
      at.causes.add(item.cause);
      cause.append(h('option', { value: item.cause }, item.cause));
    }
  };
  let last = null;
  const load = async (document_, signal) => {
    last = document_;
    await read(group, at, document_, signal);
    draw();
  };
  const stop = new AbortController();
  const change = async (act) => {
    try {
      await act();
    } catch (error) {
      if (!stop.signal.aborted) show(list, h('li', { class: 'problem', role: 'alert' }, error.message));
    }
  };
  cause.addEventListener('change', () => {
    at.cause = cause.value;
    at.items = [];
    at.more = 0;
    if (last) change(() => load(last, stop.signal));
  });
  more.addEventListener('click', () =>
    change(async () => {
      const page = await get(groupPath(group, `/timeline?${query(at.next, at.cause)}`), stop.signal);
      at.more += 1;
      at.items = merged(at.items, page.items);
      at.next = page.next;
      draw();
    }),
  );
  const element = h('div', {}, h('div', { class: 'bar' }, h('label', { for: 'cause' }, 'Cause'), cause), list, more);
  return { element, update: load, end: () => stop.abort() };
}

function query(after, cause) {
  const out = new URLSearchParams({ limit: PAGE });
  if (cause) out.set('cause', cause);
  if (after) out.set('after', after);
  return out;
}

/** The newest page, in front of what older pages have been read. */
async function read(group, at, document_, signal) {
  if (!(await offers('/v1/groups/{group}/timeline'))) {
    at.items = [...document_.timeline].reverse();
    at.next = null;
    return;
  }
  const asked = at.cause;
  const page = await get(groupPath(group, `/timeline?${query(null, asked)}`), signal);
  if (asked !== at.cause) return; // another one was chosen meanwhile
  at.items = at.more > 0 ? merged(page.items, at.items) : page.items;
  if (at.more === 0) at.next = page.next;
}

/** Both lists by index, newest first, each item once; of two the one of `first`. */
function merged(first, second) {
  const all = new Map([...second, ...first].map((item) => [item.index, item]));
  return [...all.values()].sort((a, b) => b.index - a.index);
}

function entry(item, opened) {
  const key = String(item.index ?? `${item.time} ${item.cause}`);
  return h(
    'li',
    { class: 'event', tabindex: 0, 'data-row': true, id: `event-${key}` },
    h(
      'div',
      { class: 'facts' },
      time(item.time),
      ' ',
      h('strong', { class: 'cause' }, item.cause),
      ' ',
      who(item),
      h(
        'span',
        { class: 'fact' },
        h('span', { class: 'label' }, 'epochs'),
        ` ${number(item.group_epoch)} / ${number(item.assignment_epoch)}`,
      ),
      item.assignor
        ? h('span', { class: 'fact' }, h('span', { class: 'label' }, 'assignor'), ' ', name(item.assignor))
        : null,
      item.by ? h('span', { class: 'fact' }, h('span', { class: 'label' }, 'by'), ' ', name(item.by)) : null,
    ),
    item.detail ? h('p', {}, item.detail) : null,
    changes(item),
    phases(item),
    moved(item, key, opened),
  );
}

function who(item) {
  if (!item.member_id) return null;
  return h('span', {}, name(item.member_id), ' (', name(item.client_id), ' at ', name(item.client_host), ')');
}

function changes(item) {
  if (!item.changes?.length) return null;
  return h(
    'ul',
    {},
    item.changes.map((one) =>
      h('li', {}, h('code', {}, one.what), ': ', name(plain(one.old)), ' → ', name(plain(one.new))),
    ),
  );
}

function plain(value) {
  return value !== null && typeof value === 'object' ? JSON.stringify(value) : value;
}

/** How long it took to compute, and until everybody had what the target says; who was last, and why. */
function phases(item) {
  const computed = item.computed_in_ms ?? null;
  const stable = item.stable_after_ms ?? null;
  if (computed === null && stable === null) return null;
  const last = item.last_member
    ? [
        ' - last: ',
        name(item.last_member),
        item.last_reason ? `, which ${REASONS[item.last_reason] ?? item.last_reason}` : '',
      ]
    : null;
  return h(
    'p',
    { class: 'phases' },
    computed === null ? null : h('span', {}, `computed in ${duration(computed)}`),
    stable === null ? null : h('span', {}, ` stable after ${duration(stable)}`),
    last,
  );
}

function moved(item, key, opened) {
  const total = item.tasks_moved ?? 0;
  if (!item.moved?.length) return total > 0 ? h('p', {}, `${number(total)} tasks moved.`) : null;
  const some = item.moved.slice(0, MOVED_SHOWN);
  const details = h(
    'details',
    {
      open: opened.has(key),
      ontoggle: () => {
        if (details.open) opened.add(key);
        else opened.delete(key);
      },
    },
    h('summary', { id: `moved-${key}` }, `${number(total)} tasks moved`),
    movedTable(some),
    some.length < total || item.moved_truncated ? h('p', {}, `These are the first ${number(some.length)}.`) : null,
  );
  return details;
}

/** Rows of {task, role, from, to, restore}. */
export function movedTable(rows) {
  const restore = rows.some((one) => 'restore' in one);
  return table(
    'Moved tasks',
    ['Task', 'Role', 'From', 'To', ...(restore ? ['To restore'] : [])],
    rows.map((one) => [
      name(one.task),
      one.role,
      name(one.from),
      name(one.to),
      ...(restore ? [number(one.restore)] : []),
    ]),
  );
}
