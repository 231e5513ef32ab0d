// What an operator can do to a group. Each is planned, confirmed and then made (change.js); the token's name stands in
// the timeline afterwards.
import { changesRefused, groupPath, offers, send } from './api.js';
import { confirmChange } from './change.js';
import { h, name, number, show } from './dom.js';
import { editSettings } from './settings.js';

const DELETABLE = ['Empty', 'Dead'];

/** The buttons of the whole group: {element, update(document), end()}. `again`: has the group looked at anew. */
export function groupActions(group, again) {
  const bar = h('div', { id: 'actions', class: 'bar', role: 'toolbar', 'aria-label': 'Changes of this group' });
  let last = null;
  let offered = false;
  const draw = () => last && offered && show(bar, buttons(group, last, again));
  offers('/v1/groups/{group}/rebalance').then((there) => {
    offered = there;
    draw();
  });
  window.addEventListener('changesrefused', draw);
  return {
    element: bar,
    update(document_) {
      last = document_;
      draw();
    },
    end: () => window.removeEventListener('changesrefused', draw),
  };
}

function buttons(group, document_, again) {
  const refused = changesRefused();
  if (refused) return h('p', { class: 'quiet', id: 'no-changes' }, refused);
  const streams = document_.type === 'streams';
  return [
    streams && document_.members.length > 0
      ? button('act-rebalance', 'Rebalance now', () => rebalance(group, again))
      : null,
    streams ? button('act-settings', 'Change settings', () => editSettings(group, again)) : null,
    document_.type === 'classic'
      ? h('a', { id: 'act-rehearse', href: `#/rehearsal?group=${encodeURIComponent(group)}` }, 'Rehearse its migration')
      : null,
    DELETABLE.includes(document_.state)
      ? button('act-delete', 'Delete the group', () => deleteGroup(group, document_))
      : null,
  ];
}

/** A button that is only there while changes are possible. */
export function button(id, text, act, label) {
  return changesRefused() ? null : h('button', { type: 'button', id, onclick: act, 'aria-label': label }, text);
}

function words(...parts) {
  return h('p', {}, parts);
}

/** A change with a dry run; `path` below the group. */
function planned(group, method, path, more) {
  const at = groupPath(group, path);
  const body = method === 'DELETE' ? undefined : {};
  confirmChange({
    plan: (signal) => send(method, `${at}?dry_run=true`, { body, signal }),
    make: () => send(method, at, { body }),
    ...more,
  });
}

function epochDone(again, text) {
  return (result) => {
    again();
    return `${text} The group epoch is ${number(result.group_epoch)}.`;
  };
}

function rebalance(group, again) {
  planned(group, 'POST', '/rebalance', {
    title: 'Rebalance now',
    words: words('A new assignment is computed for ', name(group), ', whether or not anything asks for one.'),
    button: 'Rebalance',
    done: epochDone(again, 'A new assignment is on its way.'),
  });
}

export function removeMember(group, member, again) {
  planned(group, 'POST', `/members/${encodeURIComponent(member)}/remove`, {
    title: 'Remove a member',
    words: words(
      'Member ',
      name(member),
      ' loses its tasks at once. If its thread still runs, it hears so with its next heartbeat and joins anew.',
    ),
    button: 'Remove the member',
    done: epochDone(again, 'It is removed.'),
  });
}

export function drain(group, process, again) {
  planned(group, 'POST', `/processes/${encodeURIComponent(process)}/drain`, {
    title: 'Drain a process',
    words: words(
      'Process ',
      name(process),
      ' gets no tasks any longer; those it has move when others have caught up. Then it can be stopped.',
    ),
    button: 'Drain the process',
    done: epochDone(again, 'It is being drained.'),
  });
}

export function undrain(group, process, again) {
  planned(group, 'DELETE', `/processes/${encodeURIComponent(process)}/drain`, {
    title: 'Drain a process no longer',
    words: words('Process ', name(process), ' gets tasks again.'),
    button: 'Give it tasks again',
    done: epochDone(again, 'It gets tasks again.'),
  });
}

function deleteGroup(group, document_) {
  const epochs = document_.type === 'streams' ? ` It is at group epoch ${number(document_.group_epoch)}.` : '';
  confirmChange({
    title: 'Delete the group',
    words: words(
      'Group ',
      name(group),
      ' has no members. Its committed offsets, its topology and its timeline go with it, for good.',
      epochs,
    ),
    button: 'Delete it for good',
    make: () => send('DELETE', groupPath(group)),
    done: () => {
      location.hash = '#/groups';
      return null;
    },
  });
}
