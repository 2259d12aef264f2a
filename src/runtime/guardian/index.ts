export { GuardPulse, openPulsePipes, type PulsePipes } from './guard-pulse.ts';
export { Guardian, type GuardianEvent } from './guardian.ts';
export { type BusMessage, type GuardianMessage, missedMs, type StopCause, silenceMs } from './protocol.ts';
export { WatchedDriver } from './watched-driver.ts';
