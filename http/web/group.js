// One group: its head (state, why, what it waits for), its tabs, and keeping them up to date.
import { groupActions } from './actions.js';
import { explain, follow, get, groupPath, offers } from './api.js';
import { badge, duration, h, name, number, show, time } from './dom.js';
import { taskMatrix } from './matrix.js';
import { overview } from './overview.js';
import { timeline } from './timeline.js';
import { topology } from './topology.js';
import { whatIf } from './what_if.js';

/** A tab makes {element, update(group)} of a group's id and what has the group looked at anew; the views live until the
 * tab is left. */
export const TABS = [
  { id: 'overview', title: 'Overview', make: overview },
  { id: 'tasks', title: 'Tasks', make: taskMatrix },
  { id: 'topology', title: 'Topology', make: topology },
  { id: 'timeline', title: 'Timeline', make: timeline },
  { id: 'what-if', title: 'What if', make: whatIf, needs: '/v1/groups/{group}/what-if' },
];

/** Fills `into` with the group's page at `tab`; returns what ends it. */
export function groupPage(into, { group, tab }) {
  const head = h('div', { id: 'head' });
  const content = h('section', { id: 'tab', 'aria-label': TABS.find(({ id }) => id === tab).title });
  const alert = h('div', { role: 'alert' });
  let followed = null;
  const again = () => followed?.now();
  const actions = groupActions(group, again);
  const view = TABS.find(({ id }) => id === tab).make(group, again);
  content.append(view.element);
  into.append(h('h1', { tabindex: -1 }, name(group)), alert, head, actions.element, tabs(group, tab), content);
  followed = follow(group, async (signal) => {
    try {
      const document_ = await get(groupPath(group), signal);
      show(alert);
      show(head, summary(document_));
      actions.update(document_);
      linkState(true);
      await view.update(document_, signal);
    } catch (error) {
      if (!signal.aborted) fault(alert, error);
    }
  });
  return () => {
    followed.end();
    actions.end();
    view.end?.();
  };
}

function fault(alert, error) {
  linkState(error.status !== 0);
  show(alert, h('p', { class: 'problem' }, explain(error)));
}

function linkState(good) {
  const state = document.getElementById('link-state');
  const said = good ? '' : 'Weir does not answer; what is shown is old';
  if (state.textContent !== said) state.textContent = said;
}

function tabs(group, current) {
  const bar = h('nav', { class: 'tabs', 'aria-label': 'Views of the group' });
  TABS.forEach((tab, index) => {
    const link = h(
      'a',
      {
        href: `#/groups/${encodeURIComponent(group)}/${tab.id}`,
        id: `tab-${tab.id}`,
        'aria-current': tab.id === current ? 'page' : null,
        'aria-keyshortcuts': index + 1,
        hidden: tab.needs,
      },
      tab.title,
    );
    bar.append(link);
    if (tab.needs)
      offers(tab.needs).then((there) => {
        link.hidden = !there;
      });
  });
  return bar;
}

function summary(group) {
  return [
    h(
      'p',
      { class: 'facts' },
      badge(group.state),
      health(group),
      group.state_since ? [' since ', time(group.state_since)] : null,
      fact('Group epoch', number(group.group_epoch)),
      fact('Assignment epoch', number(group.assignment_epoch)),
      fact('Topology epoch', number(group.topology_epoch)),
      Object.entries(counts(group)).map(([key, value]) => fact(key, number(value))),
    ),
    lastChange(group),
    waits(group),
  ];
}

/** What /health says of the group: a rebalance is no fault. */
function health(group) {
  if (group.type !== 'streams') return null;
  if (group.state === 'Empty' || group.state === 'Dead') return ' not healthy: it has no members';
  return group.state === 'NotReady' ? ' not healthy: no member can run anything' : ' healthy';
}

/** The newest event with a cause, in a line; the timeline has all. */
function lastChange(group) {
  const last = group.timeline?.findLast((one) => one.cause !== 'target-computed');
  if (!last) return null;
  return h(
    'p',
    { id: 'last-change' },
    'Last change: ',
    h('strong', {}, last.cause),
    last.member_id ? [' by ', name(last.member_id), ' at ', name(last.client_host)] : null,
    last.by ? [' by ', name(last.by)] : null,
    ', ',
    time(last.time),
    last.detail ? [' - ', last.detail] : null,
  );
}

function fact(label, value) {
  return h('span', { class: 'fact' }, h('span', { class: 'label' }, label), ' ', value);
}

function counts(group) {
  if (group.counts) return group.counts;
  const all = { processes: new Set(group.members.map((m) => m.process_id)).size, members: group.members.length };
  for (const role of ['active', 'standby', 'warmup']) {
    all[role] = group.members.reduce(
      (sum, member) => sum + Object.values(member.assigned[role]).reduce((n, partitions) => n + partitions.length, 0),
      0,
    );
  }
  return all;
}

/** Why the group is not stable: the reasons with their times if the server gives them, else its sentences. */
function waits(group) {
  const reasons = group.waiting ?? [];
  const lines = reasons.length > 0 ? reasons.map(reason) : (group.waiting_for ?? []).map((line) => h('li', {}, line));
  if (lines.length === 0) return h('p', { id: 'waits', class: 'quiet' }, 'It waits for nothing.');
  return h(
    'div',
    { id: 'waits', class: 'waits' },
    h('h2', {}, 'What it waits for'),
    h('ul', {}, lines.slice(0, 20)),
    lines.length > 20 ? h('p', {}, `and ${lines.length - 20} more`) : null,
  );
}

function reason(one) {
  return h(
    'li',
    {},
    one.text,
    one.since_ms !== null && one.since_ms !== undefined ? ` - for ${duration(one.since_ms)}` : '',
    one.ends_in_ms !== null && one.ends_in_ms !== undefined ? `, at most ${duration(one.ends_in_ms)} more` : '',
    one.tasks?.length ? [' - tasks ', one.tasks.join(', ')] : '',
  );
}
