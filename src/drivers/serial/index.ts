export { listSerialPorts, type SerialPortInfo } from './list-ports.ts';
