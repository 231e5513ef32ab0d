// How far a group has read its topics: the sums at once, the partitions when they are asked for, a page at a time.
import { get, groupPath } from './api.js';
import { h, name, number, show, table, time } from './dom.js';

const PAGE = 100;

/** {element, update(signal)}. update() asks anew, unless an answer is still to come: nobody need wait for it, since an
 * upstream cluster may be slow. */
export function inputLag(group) {
  const sums = h('div', { id: 'lag' });
  const rows = h('div', { id: 'lag-partitions' });
  const at = { open: false, before: [], after: '', asking: false, again: false };
  const look = async (signal) => {
    if (at.asking) return;
    at.asking = true;
    const limit = at.open ? PAGE : 1;
    const after = at.open && at.after ? `&after=${encodeURIComponent(at.after)}` : '';
    try {
      const told = await get(groupPath(group, `/offsets?limit=${limit}${after}`), signal);
      show(sums, summary(told));
      if (!at.again) show(rows, at.open ? partitions(told, at, turn) : null);
    } catch (error) {
      if (!signal?.aborted) show(sums, h('p', { class: 'quiet' }, `Not known: ${error.message}`));
      show(rows);
    }
    at.asking = false;
    if (at.again && !signal?.aborted) turn();
  };
  /** Somebody wants another part: that of an answer that is still to come is not it. */
  const turn = () => {
    at.again = at.asking;
    look();
  };
  const opener = h('button', { type: 'button', id: 'lag-open', 'aria-expanded': 'false' }, 'Show partitions');
  opener.addEventListener('click', () => {
    Object.assign(at, { open: !at.open, before: [], after: '' });
    opener.setAttribute('aria-expanded', String(at.open));
    opener.textContent = at.open ? 'Hide partitions' : 'Show partitions';
    turn();
  });
  const element = h('div', {}, h('h2', {}, 'Input lag'), sums, h('div', { class: 'bar' }, opener), rows);
  return { element, update: look };
}

function summary(told) {
  return [
    told.problem ? h('p', { class: 'waits' }, `Not everything is known: ${told.problem}`) : null,
    table(
      'Input lag by subtopology',
      ['Subtopology', 'Partitions', 'Lag', 'Without a lag'],
      [
        ...told.subtopologies.map((one) => [name(one.subtopology_id), ...figures(one)]),
        [h('strong', {}, 'all'), ...figures(told.total)],
      ],
    ),
    told.left_out ? h('p', { class: 'quiet' }, `${number(told.left_out)} further partitions are left out.`) : null,
  ];
}

function figures(sum) {
  return [number(sum.partitions), number(sum.lag), number(sum.without_lag)];
}

function partitions(told, at, turn) {
  const forth = () => {
    if (at.after === told.next) return; // pressed again before the answer
    at.before.push(at.after);
    at.after = told.next;
    turn();
  };
  const back = () => {
    if (at.before.length === 0) return;
    at.after = at.before.pop();
    turn();
  };
  return [
    table(
      'Input lag by partition',
      ['Topic', 'Partition', 'Committed', 'End', 'Lag', 'Task', 'Member', 'Why no lag'],
      told.items.map((one) => [
        name(one.topic),
        String(one.partition),
        number(one.committed_offset),
        number(one.end_offset),
        number(one.lag),
        name(one.task),
        name(one.member_id),
        one.reason,
      ]),
      'It reads no partition.',
    ),
    h(
      'div',
      { class: 'bar' },
      h('button', { type: 'button', id: 'lag-before', disabled: at.before.length === 0, onclick: back }, 'Previous'),
      h('button', { type: 'button', id: 'lag-next', disabled: !told.next, onclick: forth }, 'Next'),
      h('span', {}, 'as of ', time(told.as_of)),
    ),
  ];
}
