export { MemoryGraph } from './memory-graph.ts';
export { memoryPorts } from './memory-port.ts';
