/** The guard's fault flags, one bit each. Written into every frame: never reorder. */
export const BROKEN_COMMANDS: number = 1 << 0;
export const COMMAND_LATE: number = 1 << 1;
export const COMMAND_LOST: number = 1 << 2;
export const DRIVER_LOST: number = 1 << 3;
export const READING_NOT_FINITE: number = 1 << 4;
export const ENCODER_JUMP: number = 1 << 5;
export const START_OUTSIDE: number = 1 << 6;
export const START_FAR: number = 1 << 7;
export const EMERGENCY_STOP: number = 1 << 8;
export const TICK_STALLED: number = 1 << 9;
export const LIMIT_BROKEN: number = 1 << 10;
export const FROZEN_READING: number = 1 << 11;
export const TRACKING_ERROR: number = 1 << 12;
export const CONTACT_FORCE: number = 1 << 13;
export const TANK_EMPTY: number = 1 << 14;
export const OVERRUN: number = 1 << 15;
export const OVERLOADED: number = 1 << 16;
