// The tasks of a group: who holds which, in what role, and how far copies have caught up.
import { CatchUp, catchUpTable } from './catch_up.js';
import { h, name, number, show } from './dom.js';
import { colour, MatrixCanvas, shape, CELL } from './matrix_canvas.js';
import { byOwner, byPartition, model, ROLES } from './matrix_model.js';

const LEGEND_PROCESSES = 12;
const FORMS = [
  ['partitions', 'subtopology by partition'],
  ['member', 'member by task'],
  ['process', 'process by task'],
];
const WORDS = { held: '', going: ', to be given up', coming: ', to come' };

export function taskMatrix() {
  let of = null;
  let data = null;
  const catchUp = new CatchUp();
  const cell = h('div', { id: 'cell', role: 'status', 'aria-live': 'polite' });
  const canvas = new MatrixCanvas('Task matrix; the arrow keys move', (row, column) =>
    show(cell, describe(of, data, row, column, form.value)),
  );
  const form = h(
    'select',
    { id: 'matrix-form', onchange: () => draw() },
    FORMS.map(([value, text]) => h('option', { value }, text)),
  );
  const totals = h('p', { id: 'matrix-totals' });
  const legend = h('div', { id: 'legend', class: 'legend' });
  const lagging = h('div', { id: 'catching-up' });
  const draw = () => {
    if (!of) return;
    data = form.value === 'partitions' ? byPartition(of) : byOwner(of, form.value);
    canvas.draw(data);
  };
  const element = h(
    'div',
    {},
    h('div', { class: 'bar' }, h('label', { for: 'matrix-form' }, 'Show'), form),
    totals,
    legend,
    canvas.element,
    cell,
    h('h2', {}, 'Catching up'),
    lagging,
  );
  return {
    element,
    end: () => canvas.end(),
    update(group) {
      of = model(group);
      draw();
      show(totals, totalsOf(of));
      show(legend, legendOf(of));
      show(lagging, catchUpTable(of, catchUp, group.config));
    },
  };
}

function totalsOf(of) {
  const count = (role, state) => of.holdings.filter((one) => one.role === role && one.state === state).length;
  return (
    `${number(of.tasks.length)} tasks on ${number(of.members.length)} members of ${number(of.processes.length)} ` +
    `processes: ${ROLES.map((role) => `${number(count(role, 'held'))} ${role}`).join(', ')}; ` +
    `${number(of.holdings.filter((one) => one.state === 'coming').length)} to come, ` +
    `${number(of.holdings.filter((one) => one.state === 'going').length)} to be given up.`
  );
}

/** What the cell under the cursor means, in words. */
function describe(of, data, row, column, form) {
  if (!data || row >= data.rows.length || column >= data.columns.length) return '';
  const task = form === 'partitions' ? `${data.rows[row]}_${data.columns[column]}` : data.columns[column];
  const where = form === 'partitions' ? null : [' at ', name(data.rows[row])];
  const holdings = data.grid.get(row)?.get(column) ?? [];
  if (holdings.length === 0)
    return [
      `Task ${task}`,
      where,
      ': ',
      form === 'partitions' && !of.tasks.some(({ id }) => id === task) ? 'there is none' : 'nothing here',
    ];
  return [
    h('span', {}, `Task ${task}`, where, ':'),
    h(
      'ul',
      {},
      holdings.map((one) =>
        h(
          'li',
          {},
          `${one.role}${WORDS[one.state]} - member `,
          name(one.member),
          ' of process ',
          name(of.processes[one.process]),
          one.lag === null ? '' : ` - ${number(one.lag)} behind (${number(one.offset)} of ${number(one.end)})`,
        ),
      ),
    ),
  ];
}

function legendOf(of) {
  const roles = [
    ['active', 'held', 'active'],
    ['standby', 'held', 'standby'],
    ['warmup', 'held', 'warm-up'],
    ['active', 'coming', 'to come'],
    ['active', 'going', 'to be given up'],
  ];
  const some = of.processes.slice(0, LEGEND_PROCESSES);
  return [
    h(
      'ul',
      { 'aria-label': 'Shapes: roles' },
      roles.map(([role, state, text]) => h('li', {}, sample(role, state), text)),
    ),
    h(
      'ul',
      { 'aria-label': 'Colours: processes' },
      some.map((process, index) => h('li', {}, swatch(index), name(process))),
      of.processes.length > some.length ? h('li', {}, `and ${number(of.processes.length - some.length)} more`) : null,
    ),
  ];
}

function swatch(process) {
  const out = h('span', { class: 'swatch', 'aria-hidden': 'true' });
  out.style.background = colour(process);
  return out;
}

function sample(role, state) {
  const out = h('canvas', { width: CELL, height: CELL, 'aria-hidden': 'true' });
  shape(out.getContext('2d'), { role, state, process: 0, share: role === 'warmup' ? 0.6 : null }, 0, 0);
  return out;
}
