// What would happen if: another assignor or other settings, members more or less, more partitions. Changes nothing.
import { explain, get, groupPath, offers, Problem, send } from './api.js';
import { compareAssignors } from './compare.js';
import { h, show } from './dom.js';
import { difference } from './plan.js';

const MEMBERS_LISTED = 2_000;

export function whatIf(group) {
  const assignor = h('select', { id: 'wi-assignor' }, h('option', { value: '' }, 'as it is'));
  const config = h('textarea', {
    id: 'wi-config',
    rows: 3,
    placeholder: 'streams.num.standby.replicas=1',
    spellcheck: 'false',
    'data-filter': true,
  });
  const process = h('input', { id: 'wi-process', placeholder: 'new-process', value: 'new-process' });
  const threads = h('input', { id: 'wi-threads', type: 'number', min: 0, max: 1000, value: 0 });
  const members = h('select', { id: 'wi-members', multiple: true, size: 5 });
  const processes = h('select', { id: 'wi-processes', multiple: true, size: 5 });
  const partitions = h('textarea', { id: 'wi-partitions', rows: 2, placeholder: 'words=8', spellcheck: 'false' });
  const answer = h('div', { id: 'wi-answer', role: 'status' });
  const form = { assignor, config, process, threads, members, processes, partitions };
  const asking = questions(answer);
  let inForce = null;
  const ask = asking(async (signal) => {
    const body = request(form);
    show(answer, h('p', { class: 'quiet' }, 'Asking ...'));
    const plan = await send('POST', groupPath(group, '/what-if'), { body, signal });
    show(answer, difference(plan));
  });
  const compare = asking(async (signal) => {
    const { assignor: _, ...question } = request(form);
    await compareAssignors(group, question, inForce, answer, signal);
  });
  const element = h(
    'form',
    { class: 'form', onsubmit: ask },
    field('Assignor', assignor),
    field('Settings, one name=value a line', config),
    field('Process that joins', process),
    field('with so many threads', threads),
    field('Members that leave', members),
    field('Processes that leave', processes),
    field('Topics with more partitions, topic=count', partitions),
    h(
      'div',
      { class: 'bar' },
      h('button', { id: 'wi-ask' }, 'Ask'),
      h('button', { type: 'button', id: 'wi-compare', onclick: compare }, 'Compare all assignors'),
    ),
    answer,
  );
  listAssignors(assignor);
  return {
    element,
    end: asking.end,
    update(of) {
      inForce = of.config.find((one) => one.name === 'streams.assignor.name')?.value;
      choices(members, of.members.map((member) => member.member_id).slice(0, MEMBERS_LISTED));
      choices(processes, [...new Set(of.members.map((member) => member.process_id))].slice(0, MEMBERS_LISTED));
    },
  };
}

/**
 * Makes a listener of what asks: one question at a time, a new one ends the one before, and what goes wrong is shown in
 * `answer`. `end()` ends the last one.
 */
export function questions(answer) {
  let stop = new AbortController();
  const asking = (ask) => async (event) => {
    event.preventDefault();
    stop.abort();
    stop = new AbortController();
    const { signal } = stop;
    try {
      await ask(signal);
    } catch (error) {
      if (!signal.aborted) show(answer, h('p', { class: 'problem', role: 'alert' }, explain(error)));
    }
  };
  asking.end = () => stop.abort();
  return asking;
}

export function field(label, input) {
  return h('div', { class: 'field' }, h('label', { for: input.id }, label), input);
}

async function listAssignors(into) {
  if (!(await offers('/v1/assignors'))) return;
  try {
    const known = await get('v1/assignors');
    into.append(...known.items.map((one) => h('option', { value: one.name, title: one.description }, one.name)));
  } catch {
    // The form works without the list: the group's own assignor is asked.
  }
}

/** Only when they changed, so that a choice half made stays. */
function choices(into, values) {
  if (into.options.length === values.length && values.every((value, i) => into.options[i].value === value)) return;
  into.replaceChildren(...values.map((value) => h('option', { value }, value)));
}

function request(form) {
  const body = {};
  const config = pairs(form.config.value, 'a setting');
  const partitions = pairs(form.partitions.value, 'a topic');
  const leaving = (select) => [...select.selectedOptions].map((option) => option.value);
  if (form.assignor.value) body.assignor = form.assignor.value;
  if (Object.keys(config).length) body.config = config;
  if (Number(form.threads.value) > 0)
    body.add_members = [{ process_id: form.process.value, count: Number(form.threads.value) }];
  if (form.members.selectedOptions.length) body.remove_members = leaving(form.members);
  if (form.processes.selectedOptions.length) body.remove_processes = leaving(form.processes);
  if (Object.keys(partitions).length) {
    body.partitions = Object.fromEntries(Object.entries(partitions).map(([topic, count]) => [topic, Number(count)]));
  }
  return body;
}

/** Lines `name=value` as an object. */
export function pairs(text, what) {
  const out = {};
  for (const line of text
    .split('\n')
    .map((one) => one.trim())
    .filter(Boolean)) {
    const at = line.indexOf('=');
    if (at < 1) throw new Problem(400, `${what} is written name=value, not "${line}"`);
    out[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return out;
}
