// The whole server: what groups inherit and who tuned it, and the web hooks.
import { button } from './actions.js';
import { changesRefused, explain, get, offers } from './api.js';
import { badge, h, name, number, show, table, time } from './dom.js';
import { editDefaults } from './settings.js';

const REFRESH_MS = 5_000;

/** Fills `into`; returns what ends it. */
export function serverPage(into) {
  const stop = new AbortController();
  const about = h('p', { id: 'about', class: 'quiet' });
  const parts = [part('hooks', 'v1/webhooks', hooks), part('defaults', 'v1/config', defaults)];
  let timer = 0;
  const refresh = async () => {
    clearTimeout(timer);
    await Promise.all(parts.map((one) => one.look(refresh, stop.signal)));
    if (!stop.signal.aborted) timer = setTimeout(refresh, REFRESH_MS);
  };
  into.append(h('h1', { tabindex: -1 }, 'Server'), about, ...parts.map(({ element }) => element));
  window.addEventListener('changesrefused', refresh);
  tellVersion(about, stop.signal);
  refresh();
  return () => {
    stop.abort();
    clearTimeout(timer);
    window.removeEventListener('changesrefused', refresh);
  };
}

/** A part that is read anew by itself: what goes wrong with one is no matter of the other. */
function part(id, path, draw) {
  const element = h('section', { id });
  return {
    element,
    async look(again, signal) {
      if (!(await offers(`/${path}`))) return;
      try {
        const found = await get(path, signal);
        if (!signal.aborted) show(element, draw(found, again));
      } catch (error) {
        if (!signal.aborted) show(element, h('p', { class: 'problem', role: 'alert' }, explain(error)));
      }
    },
  };
}

async function tellVersion(into, signal) {
  try {
    const about = await get('version', signal);
    show(into, `${about.name} ${about.version}, ${about.mode} mode`);
  } catch {
    // The parts say that Weir does not answer.
  }
}

function defaults(document_, again) {
  return [
    h('h2', {}, 'Defaults of all groups'),
    h('p', {}, 'What a group runs with that sets nothing itself.'),
    changesRefused() ? h('p', { class: 'quiet', id: 'no-changes' }, changesRefused()) : null,
    h('div', { class: 'bar' }, button('act-defaults', 'Change the defaults', () => editDefaults(again))),
    table(
      'Defaults in force',
      ['Name', 'Value', 'Comes from', 'A group sets it as'],
      document_.config.map((one) => [
        h('code', {}, one.name),
        name(one.value),
        one.origin,
        h('code', {}, one.group_name),
      ]),
    ),
    h('h2', {}, 'Who tuned them'),
    h('div', { id: 'defaults-history' }, historyOf(document_.history)),
  ];
}

function historyOf(changes) {
  return table(
    'Who tuned the defaults, newest first',
    ['Time', 'By', 'Changes'],
    changes.map((one) => [time(one.time), one.by ? name(one.by) : '-', one.changes.map(change)]),
    'Nobody has.',
  );
}

function change({ what, old, new: now }) {
  return h('div', {}, h('code', {}, what), ': ', name(old), ' → ', name(now));
}

function hooks(page) {
  return [
    h('h2', {}, 'Web hooks'),
    table(
      'Web hooks',
      [
        'Hook',
        'State',
        'Server',
        'Events',
        'Delivered',
        'Waiting',
        'Refused',
        'Given up',
        'Dropped',
        'Attempts failed',
        'Last delivery',
        'Last failure',
      ],
      page.items.map(hook),
      'None: webhook.urls is empty.',
    ),
  ];
}

function hook(one) {
  return [
    name(one.name),
    badge(state(one)),
    [name(one.server), one.has_token ? h('span', { class: 'label' }, ' with a token') : null],
    one.causes.length ? one.causes.join(', ') : 'all',
    number(one.delivered),
    h('span', { class: one.queued ? 'behind' : null }, `${number(one.queued)} of ${number(one.queue_max)}`),
    lost(one.refused),
    lost(one.given_up),
    lost(one.dropped),
    number(one.attempts_failed),
    time(one.last_delivery),
    one.last_failure ? [time(one.last_failure.time), ` ${one.last_failure.text}`] : '-',
  ];
}

function lost(count) {
  return h('span', { class: count > 0 ? 'behind' : null }, number(count));
}

/** By what happened last. */
function state(one) {
  if (!one.last_failure) return one.last_delivery ? 'delivering' : 'nothing yet';
  const since = one.last_delivery ? Date.parse(one.last_delivery) : 0;
  return Date.parse(one.last_failure.time) >= since ? 'failing' : 'delivering';
}
