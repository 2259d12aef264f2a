/** The rows of the fault table, by what goes wrong. `src/safety/faults.ts` is the way in. */
export { DECIDING } from './deciding.ts';
export {
  type ApplyingRow,
  type FaultRow,
  type GuardSign,
  type HardwareRow,
  type OtherSign,
  STOP_ACTIONS,
  type StopAction,
} from './fault-row.ts';
export * from './flags.ts';
export { MACHINE } from './machine.ts';
export { MEASURING } from './measuring.ts';
export { MOTION } from './motion.ts';
export { PEOPLE } from './people.ts';
export { SURROUNDINGS } from './surroundings.ts';
