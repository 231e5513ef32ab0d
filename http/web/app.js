// The frame of the page: which view an address means, keys, theme, token. Addresses: #/groups?state=&prefix=,
// #/groups/{id}/{tab}, #/rehearsal?group= and #/server.
import { closeDialog, dialogIsOpen, openDialog, tokenForm } from './dialog.js';
import { h, name, show } from './dom.js';
import { groupPage, TABS } from './group.js';
import { groupList } from './groups.js';
import { rehearsalPage } from './rehearsal.js';
import { serverPage } from './server.js';

const main = document.getElementById('main');
const trail = document.getElementById('trail');
let leave = () => {};

/** What fills `main` for a view, and in which of the views of the head one is then. */
const VIEWS = {
  list: { within: 'groups', make: (at) => groupList(main, at.query) },
  group: { within: 'groups', make: (at) => groupPage(main, at) },
  rehearsal: { within: 'rehearsal', make: (at) => rehearsalPage(main, at.query) },
  server: { within: 'server', make: () => serverPage(main) },
};
const HEAD = ['groups', 'rehearsal', 'server'];

/** {view, group, tab, query} of an address; an id that is no valid encoding is no group. */
export function parse(hash) {
  const [path, search = ''] = hash.replace(/^#\/?/, '').split('?');
  const query = new URLSearchParams(search);
  const [view, group, tab] = path.split('/');
  if (view === 'rehearsal' || view === 'server') return { view, query };
  if (view !== 'groups' || !group) return { view: 'list', query };
  try {
    const known = TABS.some(({ id }) => id === tab);
    return { view: 'group', group: decodeURIComponent(group), tab: known ? tab : TABS[0].id, query };
  } catch {
    return { view: 'list', query };
  }
}

function open() {
  if (location.hash === '#main') return; // the skip link
  leave();
  if (dialogIsOpen()) closeDialog();
  const at = parse(location.hash);
  document.title = at.view === 'group' ? `${at.group} - Weir` : 'Weir';
  const { within, make } = VIEWS[at.view];
  for (const view of HEAD) {
    const link = document.getElementById(`view-${view}`);
    if (view === within) link.setAttribute('aria-current', at.view === 'group' ? 'true' : 'page');
    else link.removeAttribute('aria-current');
  }
  show(trail, at.view === 'group' ? ['/ ', name(at.group)] : null);
  main.replaceChildren();
  leave = make(at);
  main.querySelector('h1')?.focus({ preventScroll: true });
}

function theme(choice) {
  if (choice) document.documentElement.dataset.theme = choice;
  window.dispatchEvent(new Event('themechange'));
}

function switchTheme() {
  const dark = document.documentElement.dataset.theme
    ? document.documentElement.dataset.theme === 'dark'
    : matchMedia('(prefers-color-scheme: dark)').matches;
  const choice = dark ? 'light' : 'dark';
  localStorage.setItem('weir-theme', choice);
  theme(choice);
}

const KEYS = [
  ['g', 'all groups'],
  ['r', 'rehearsal of a migration'],
  ['s', 'the server: defaults, web hooks'],
  ['/', 'to the filter'],
  ['1 ... 5', 'the views of a group'],
  ['j, k', 'next and previous row'],
  ['Enter', 'opens it'],
  ['arrows', 'move in the task matrix'],
  ['t', 'light or dark'],
  ['?', 'this list'],
  ['Esc', 'closes it'],
];

function showKeys() {
  openDialog(
    'Keyboard shortcuts',
    h(
      'dl',
      { class: 'keys' },
      KEYS.map(([key, what]) => [h('dt', {}, h('kbd', {}, key)), h('dd', {}, what)]),
    ),
  );
}

function askToken() {
  openDialog('Token for changes', tokenForm(closeDialog));
}

function typing(event) {
  return (
    event.ctrlKey ||
    event.metaKey ||
    event.altKey ||
    dialogIsOpen() ||
    event.target.closest('input, select, textarea, [contenteditable]') !== null
  );
}

function move(step) {
  const rows = [...main.querySelectorAll('[data-row]')];
  const now = rows.indexOf(document.activeElement);
  rows[Math.min(rows.length - 1, Math.max(0, now < 0 ? 0 : now + step))]?.focus();
}

function goTo(address) {
  location.hash = address;
}

function onKey(event) {
  if (typing(event)) return;
  const tab = TABS[Number(event.key) - 1];
  const at = parse(location.hash);
  const actions = {
    g: () => goTo('#/groups'),
    r: () => goTo('#/rehearsal'),
    s: () => goTo('#/server'),
    '/': () => main.querySelector('[data-filter]')?.focus(),
    j: () => move(1),
    k: () => move(-1),
    t: switchTheme,
    '?': showKeys,
  };
  if (tab && at.view === 'group') goTo(`#/groups/${encodeURIComponent(at.group)}/${tab.id}`);
  else if (actions[event.key]) actions[event.key]();
  else return;
  event.preventDefault();
}

theme(localStorage.getItem('weir-theme'));
document.getElementById('theme-button').addEventListener('click', switchTheme);
document.getElementById('keys-button').addEventListener('click', showKeys);
document.getElementById('token-button').addEventListener('click', askToken);
document.addEventListener('keydown', onKey);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => theme());
window.addEventListener('hashchange', open);
open();
