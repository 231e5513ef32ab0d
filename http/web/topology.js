// The topology as a graph: topics and subtopologies, or processors and stores if a member described them. The same as a
// list below, for those who hear the page.
import { get, groupPath } from './api.js';
import { h, name, number, show, svg, table } from './dom.js';
import { processorGraph, subtopologyGraph } from './topology_model.js';

const MARGIN = 12;
const CHARACTERS = 34;
const NODES_MAX = 600;
const ZOOM = [0.25, 2];

export function topology(group) {
  const graph = h('div', {
    id: 'graph',
    class: 'graph',
    tabindex: 0,
    role: 'region',
    'aria-label': 'Topology graph',
  });
  const list = h('div', { id: 'topology-list' });
  const form = h(
    'select',
    { id: 'topology-form', onchange: () => draw() },
    h('option', { value: 'subtopologies' }, 'subtopologies and topics'),
    h('option', { value: 'processors' }, 'processors and stores'),
  );
  const state = { told: null, zoom: 1 };
  const draw = async () => {
    if (!state.told) return;
    const wanted =
      form.value === 'processors' && state.told.description
        ? processorGraph(state.told)
        : subtopologyGraph(state.told);
    show(graph, await picture(wanted, state.zoom));
  };
  const zoom = (by) => () => {
    state.zoom = Math.min(ZOOM[1], Math.max(ZOOM[0], state.zoom * by));
    draw();
  };
  const element = h(
    'div',
    {},
    h(
      'div',
      { class: 'bar' },
      h('label', { for: 'topology-form' }, 'Show'),
      form,
      h('button', { type: 'button', id: 'zoom-in', 'aria-label': 'Larger', onclick: zoom(1.25) }, '+'),
      h('button', { type: 'button', id: 'zoom-out', 'aria-label': 'Smaller', onclick: zoom(0.8) }, '-'),
    ),
    graph,
    list,
  );
  return {
    element,
    async update(_, signal) {
      const told = await get(groupPath(group, '/topology'), signal);
      if (JSON.stringify(told) === JSON.stringify(state.told)) return; // the scroll position stays
      state.told = told;
      form.options[1].disabled = !told.description;
      if (!told.description) form.value = 'subtopologies';
      await draw();
      const problem = told.problem ? h('p', { class: 'waits' }, `Not everything is known: ${told.problem}`) : null;
      show(list, problem, subtopologies(told));
    },
  };
}

/** The drawing, or why there is none. */
async function picture(graph, zoom) {
  if (graph.nodes.length === 0) return h('p', { class: 'quiet' }, 'No member has sent a topology.');
  if (graph.nodes.length > NODES_MAX)
    return h('p', { class: 'quiet' }, `${number(graph.nodes.length)} nodes are too many to draw; the list has them.`);
  const dagre = await import('./dagre.js');
  if (!dagre.layout)
    return h('p', { class: 'quiet' }, 'This Weir was built without the library that draws; the list has the same.');
  return drawing(laidOut(dagre, graph), graph, zoom);
}

function laidOut(dagre, graph) {
  const out = new dagre.Graph({ compound: true, multigraph: true });
  out.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 46, marginx: MARGIN, marginy: MARGIN });
  out.setDefaultEdgeLabel(() => ({}));
  for (const part of graph.parts) out.setNode(part.id, {});
  for (const node of graph.nodes) {
    out.setNode(node.id, { width: 24 + 7.2 * Math.min(CHARACTERS, node.label.length), height: node.note ? 42 : 28 });
    if (node.part) out.setParent(node.id, node.part);
  }
  for (const [from, to] of graph.edges) out.setEdge(from, to, {}, `${from}>${to}`);
  dagre.layout(out);
  return out;
}

function drawing(out, graph, zoom) {
  const { width, height } = out.graph();
  const title = `${graph.nodes.length} nodes and ${graph.edges.length} edges`;
  return svg(
    'svg',
    {
      viewBox: `0 0 ${width} ${height}`,
      width: width * zoom,
      height: height * zoom,
      role: 'img',
      'aria-label': title,
    },
    svg(
      'defs',
      {},
      svg(
        'marker',
        { id: 'arrow', viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: 'auto' },
        svg('path', { d: 'M0 0L8 4L0 8z', class: 'tip' }),
      ),
    ),
    graph.parts.map((part) => box(out.node(part.id), 'part', part)),
    out.edges().map((edge) =>
      svg('path', {
        class: 'edge',
        'marker-end': 'url(#arrow)',
        d: out
          .edge(edge)
          .points.map(({ x, y }, i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`)
          .join(''),
      }),
    ),
    graph.nodes.map((node) => box(out.node(node.id), `node ${node.kind}`, node)),
  );
}

function box(at, kind, of) {
  const label = of.label.length > CHARACTERS ? `${of.label.slice(0, 18)}…${of.label.slice(-14)}` : of.label;
  const part = kind === 'part';
  const x = at.x - at.width / 2;
  const y = at.y - at.height / 2;
  return svg(
    'g',
    { class: kind },
    svg('title', {}, of.note ? `${of.label}: ${of.note}` : of.label),
    svg('rect', { x, y, width: at.width, height: at.height, rx: of.kind === 'topic' ? 14 : 4 }),
    svg(
      'text',
      {
        x: part ? x + 6 : at.x,
        y: part ? y + 14 : at.y + (of.note ? -2 : 4),
        'text-anchor': part ? 'start' : 'middle',
      },
      label,
    ),
    of.note ? svg('text', { x: at.x, y: at.y + 14, 'text-anchor': 'middle', class: 'note' }, of.note) : null,
  );
}

function subtopologies(told) {
  const names = (topics) =>
    topics.map((topic) =>
      h('div', {}, name(topic.name ?? topic), topic.partitions ? ` (${number(topic.partitions)})` : ''),
    );
  return table(
    'Subtopologies',
    ['Subtopology', 'Sources', 'Repartition sources', 'Repartition sinks', 'Changelogs'],
    told.subtopologies.map((one) => [
      name(one.subtopology_id),
      names(one.source_topics),
      names(one.repartition_source_topics),
      names(one.repartition_sink_topics),
      names(one.state_changelog_topics),
    ]),
    'No member has sent a topology.',
  );
}
