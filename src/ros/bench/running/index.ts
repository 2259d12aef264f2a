export { Children, collect, died } from './children.ts';
export { startGuardOnRos } from './guard-on-ros.ts';
export { NodeClient } from './node-client.ts';
export { cpuPercent, type ProcessCost, processTree } from './processes.ts';
