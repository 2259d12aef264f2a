/** Serial buses: for what brings robots up, and for what emulates them. */
export { DescriptorLine, type LineSettings, type LineStatus, type OpenLine, type SerialLine } from './serial/line.ts';
export {
  type ControlTable,
  type OnStatus,
  type Register,
  readRegister,
  type ServoModel,
  type ServoProtocol,
  type StatusReader,
  writeRegister,
} from './servo/protocol.ts';
export { type ReplyStatus, ServoBus } from './servo/servo-bus.ts';
