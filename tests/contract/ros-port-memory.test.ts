import { beforeEach } from 'vitest';
import { MemoryGraph, memoryPorts } from '../support/ros-memory/index.ts';
import { describeRosPort, RUN_EPISODE } from './ros-port.contract.ts';

let graph = new MemoryGraph();
beforeEach(() => {
  graph = new MemoryGraph();
});

describeRosPort('memory', () => ({ open: memoryPorts(graph) }), RUN_EPISODE);
