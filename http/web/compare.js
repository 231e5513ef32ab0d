// The assignors side by side: the same question asked for each of them, on the group as it is now. Changes nothing.
import { explain, get, groupPath, send } from './api.js';
import { h, name, number, show, table } from './dom.js';
import { difference } from './plan.js';

/**
 * Asks for every assignor, one after the other (the server plans one at a time), and shows what has come so far.
 * question: the body of a what-if without an assignor; `inForce`: the name of the group's own. Throws what was refused.
 */
export async function compareAssignors(group, question, inForce, into, signal) {
  const waits = h('p', { class: 'quiet' }, 'Asking ...');
  show(into, waits);
  const known = await get('v1/assignors', signal);
  const asked = [];
  for (const assignor of known.items) {
    asked.push({ assignor, ...(await answered(group, { ...question, assignor: assignor.name }, signal)) });
    if (signal.aborted) return;
    show(into, comparison(asked, inForce), asked.length < known.items.length ? waits : null);
  }
}

/** A plan or a refusal: what one assignor cannot do does not keep the others from answering. */
async function answered(group, body, signal) {
  try {
    return { plan: await send('POST', groupPath(group, '/what-if'), { body, signal }) };
  } catch (error) {
    if (signal.aborted || error.status !== 409) throw error;
    return { refusal: explain(error) };
  }
}

function comparison(asked, inForce) {
  return [
    h('h2', {}, 'The assignors compared'),
    table(
      'The assignors compared',
      ['Assignor', 'Tasks moved', 'To restore', 'Warm up first', 'Per thread', 'Per process', 'Standbys', 'Remarks'],
      asked.map((one) => [label(one.assignor, inForce), ...figures(one)]),
    ),
    asked.filter(({ plan }) => plan).map(details),
  ];
}

function label(assignor, inForce) {
  const notes = [
    assignor.name === inForce ? 'in force' : '',
    assignor.offered ? '' : 'not in group.streams.assignors',
  ].filter(Boolean);
  return h(
    'span',
    { title: assignor.description },
    name(assignor.name),
    notes.length ? h('span', { class: 'label' }, ` ${notes.join(', ')}`) : null,
  );
}

function figures({ plan, refusal }) {
  if (!plan) return ['-', '-', '-', '-', '-', '-', h('span', { class: 'behind' }, refusal)];
  const after = plan.after ?? {};
  return [
    number(plan.tasks_moved),
    restored(plan),
    number(plan.waiting),
    range(after, 'activePerMember'),
    range(after, 'activePerProcess'),
    number(after.standbyPlaced),
    plan.warnings.join('; '),
  ];
}

function restored(plan) {
  const unknown = plan.restores_unknown ? `${number(plan.restores_unknown)} tasks not known` : '';
  const known = plan.state_to_restore === null ? '' : `${number(plan.state_to_restore)} records`;
  return [known, unknown].filter(Boolean).join(', ') || 'nothing';
}

function range(of, what) {
  return `${number(of[`${what}Min`])} to ${number(of[`${what}Max`])}`;
}

function details({ assignor, plan }) {
  return h('details', {}, h('summary', {}, 'What would change with ', name(assignor.name)), difference(plan));
}
