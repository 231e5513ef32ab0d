// The two graphs of a topology, as {nodes: [{id, label, kind, part, note}], edges: [[from, to]], parts: [{id, label}]}.

/** Topics and subtopologies: what flows where, and which changelogs belong to whom. */
export function subtopologyGraph(told) {
  const graph = builder();
  for (const part of told.subtopologies) {
    const id = graph.node('subtopology', part.subtopology_id, `Subtopology ${part.subtopology_id}`);
    for (const topic of part.source_topics) graph.edge(graph.node('topic', topic, topic), id);
    for (const topic of part.repartition_source_topics) graph.edge(internal(graph, 'repartition', topic), id);
    for (const topic of part.repartition_sink_topics) graph.edge(id, graph.node('topic', topic, topic));
    for (const topic of part.state_changelog_topics) graph.edge(id, internal(graph, 'changelog', topic));
  }
  return graph.done();
}

/** Processors in their subtopologies, with the topics and stores they use. */
export function processorGraph(told) {
  const graph = builder();
  for (const part of told.description.subtopologies) {
    const within = graph.part(part.subtopology_id);
    for (const node of part.nodes) processor(graph, node, within);
  }
  (told.description.global_stores ?? []).forEach((store, index) => {
    const within = graph.part(`global store ${index}`);
    processor(graph, store.source, within);
    processor(graph, store.processor, within);
  });
  return graph.done();
}

function internal(graph, note, topic) {
  const id = graph.node('topic', topic.name, topic.name);
  graph.note(
    id,
    topic.partitions > 0 ? `${note}, ${topic.partitions} partitions` : `${note}, partitions not known yet`,
  );
  return id;
}

function processor(graph, node, part) {
  const key = (of) => `${part} ${of}`;
  const id = graph.node(node.type, key(node.name), node.name, part);
  for (const topic of node.source_topics) graph.edge(graph.node('topic', topic, topic), id);
  if (node.sink_topic) graph.edge(id, graph.node('topic', node.sink_topic, node.sink_topic));
  for (const store of node.stores) graph.edge(id, graph.node('store', key(store), store, part));
  for (const next of node.successors) graph.edgeByKey(id, key(next));
}

/** Collects nodes once each. Ids are numbers: the names of others cannot clash with each other or with ours. */
function builder() {
  const nodes = new Map();
  const byKey = new Map();
  const edges = new Map();
  const parts = [];
  const later = [];
  const edge = (from, to) => edges.set(`${from}>${to}`, [from, to]);
  return {
    part(label) {
      const id = `p${parts.length}`;
      parts.push({ id, label: String(label) });
      return id;
    },
    node(kind, key, label, part) {
      const place =
        kind === 'topic' || kind === 'store' || kind === 'subtopology' ? `${kind} ${key}` : `processor ${key}`;
      if (!nodes.has(place)) nodes.set(place, { id: `n${nodes.size}`, kind, label: String(label), part, note: '' });
      if (place.startsWith('processor')) byKey.set(key, nodes.get(place).id);
      return nodes.get(place).id;
    },
    note(id, text) {
      for (const node of nodes.values()) if (node.id === id) node.note = text;
    },
    edge,
    edgeByKey: (from, key) => later.push([from, key]),
    done() {
      for (const [from, key] of later) if (byKey.has(key)) edge(from, byKey.get(key));
      return { nodes: [...nodes.values()], edges: [...edges.values()], parts };
    },
  };
}
