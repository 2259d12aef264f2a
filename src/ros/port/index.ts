export * from './qos.ts';
export type * from './ros-port.ts';
