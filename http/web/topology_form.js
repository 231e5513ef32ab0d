// A topology as a form: for each subtopology the names of its topics, one a line. It can be filled in from the JSON
// that `weir simulate` and `weir groups rehearse` read.
import { explain, Problem } from './api.js';
import { h, show } from './dom.js';

/** Fields of a subtopology: lists of names, as the API calls them. */
const LISTS = [
  { key: 'sources', label: 'Source topics' },
  { key: 'source_patterns', label: 'Patterns of source topics' },
  { key: 'repartition_sources', label: 'Repartition topics it reads, name or name=partitions' },
  { key: 'repartition_sinks', label: 'Repartition topics it writes' },
  { key: 'changelogs', label: 'Changelog topics' },
  { key: 'copartition', label: 'Copartitioned: topics a line, with commas between' },
];
const SUBTOPOLOGIES_MAX = 1_000;

/** {element, value()}: value() is what the API takes, or throws a Problem that says which field is mistaken. */
export function topologyForm() {
  const list = h('div', { id: 'rh-parts' });
  const parts = [];
  const draw = () => {
    show(
      list,
      parts.map((part) => part.element),
    );
    for (const [index, part] of parts.entries()) part.number(index);
  };
  const add = (of = {}) => {
    const part = partForm(of, () => {
      parts.splice(parts.indexOf(part), 1);
      draw();
      document.getElementById('rh-add').focus();
    });
    parts.push(part);
    return part;
  };
  const fill = (subtopologies) => {
    parts.length = 0;
    subtopologies.forEach((one) => add(one));
    draw();
  };
  const addOne = () => {
    const part = add();
    draw();
    part.element.querySelector('input').focus();
  };
  fill([{}]);
  return {
    element: h(
      'div',
      { class: 'wide' },
      h('h2', {}, 'Topology'),
      list,
      h('div', { class: 'bar' }, h('button', { type: 'button', id: 'rh-add', onclick: addOne }, 'Add a subtopology')),
      pasted(fill),
    ),
    value: () => ({ subtopologies: parts.map((part, index) => part.value(index)) }),
  };
}

/** One subtopology: {element, number(index), value(index)}. */
function partForm(of, remove) {
  const legend = h('legend', {});
  const id = h('input', { autocomplete: 'off', value: of.id ?? '' });
  const fields = LISTS.map(({ key, label }) => {
    const area = h('textarea', { rows: 2, spellcheck: 'false' });
    area.value = lines(of[key]);
    return { key, label, area };
  });
  const button = h('button', { type: 'button', onclick: remove });
  const row = (label, input) => h('label', { class: 'field' }, label, input);
  const element = h(
    'fieldset',
    {},
    legend,
    h('div', { class: 'form' }, row('Id', id), ...fields.map(({ label, area }) => row(label, area)), button),
  );
  return {
    element,
    number(index) {
      show(legend, `Subtopology ${index}`);
      show(button, `Remove subtopology ${index}`);
      id.placeholder = String(index);
      id.id = `rh-id-${index}`;
      for (const { key, area } of fields) area.id = `rh-${key}-${index}`;
    },
    value(index) {
      const out = { id: id.value.trim() || String(index) };
      for (const { key, area } of fields) {
        const read = names(area.value).map((line) => READ[key]?.(line) ?? line);
        if (read.length > 0) out[key] = read;
      }
      return out;
    },
  };
}

/** How a line of a field is read that is more than a name. */
const READ = {
  repartition_sources(line) {
    const [topic, partitions] = line.split('=').map((part) => part.trim());
    if (partitions === undefined) return topic;
    if (!/^\d+$/.test(partitions))
      throw new Problem(400, `a repartition topic is written name or name=partitions, not "${line}"`);
    return { name: topic, partitions: Number(partitions) };
  },
  copartition: (line) =>
    line
      .split(',')
      .map((topic) => topic.trim())
      .filter(Boolean),
};

function names(text) {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

/** The other way round. */
function lines(of) {
  return (of ?? []).map(line).join('\n');
}

function line(one) {
  if (Array.isArray(one)) return one.join(', ');
  return typeof one === 'object' && one !== null ? `${one.name}=${one.partitions ?? 0}` : String(one);
}

/** The field for JSON, which fills in the form. */
function pasted(fill) {
  const area = h('textarea', { id: 'rh-json', rows: 6, spellcheck: 'false' });
  const said = h('p', { id: 'rh-json-said', role: 'status' });
  const read = () => {
    try {
      const subtopologies = readTopology(area.value);
      fill(subtopologies);
      show(said, `${subtopologies.length} subtopologies are filled in.`);
    } catch (error) {
      show(said, h('span', { class: 'problem' }, explain(error)));
    }
  };
  return h(
    'details',
    {},
    h('summary', {}, 'Fill in from JSON'),
    h('label', { class: 'field' }, 'A topology as weir groups rehearse --topology reads it', area),
    h('div', { class: 'bar' }, h('button', { type: 'button', id: 'rh-fill', onclick: read }, 'Fill in')),
    said,
  );
}

function readTopology(text) {
  let read = null;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Problem(400, `this is no JSON: ${error.message}`);
  }
  const found = (read?.topology ?? read)?.subtopologies;
  const good = Array.isArray(found) && found.length > 0 && found.every(isPart);
  if (!good) throw new Problem(400, 'it has no list "subtopologies" whose fields are lists');
  if (found.length > SUBTOPOLOGIES_MAX) throw new Problem(400, `it has more than ${SUBTOPOLOGIES_MAX} subtopologies`);
  return found;
}

function isPart(of) {
  return typeof of === 'object' && of !== null && LISTS.every(({ key }) => Array.isArray(of[key] ?? []));
}
