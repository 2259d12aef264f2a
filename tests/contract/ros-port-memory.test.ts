import { beforeEach } from 'vitest';
import { MemoryGraph } from '../support/ros-memory/memory-graph.ts';
import { memoryPorts } from '../support/ros-memory/memory-port.ts';
import { describeRosPort, RUN_EPISODE } from './ros-port.contract.ts';

let graph = new MemoryGraph();
beforeEach(() => {
  graph = new MemoryGraph();
});

describeRosPort('memory', () => ({ open: memoryPorts(graph) }), RUN_EPISODE);
