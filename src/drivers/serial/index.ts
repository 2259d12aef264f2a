export { listSerialPorts } from './list-ports.ts';
