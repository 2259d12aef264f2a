/** One control tick. This file and `guard/guard-tick.ts` define what is sent to the motors, and why. */

/** The eight parts of a tick. Each is synchronous and tick-safe: no allocation, no await, no logging, no throw. */
export interface TickStages {
  /** Measures the robot. */
  read(): void;
  /** Turns measurements, and missing ones, into fault flags and the next safety state. */
  check(): void;
  /** Fills the robot's part of the frame: state and tool poses. */
  observe(): void;
  /** Takes the newest command received. */
  decide(): void;
  /** Selects the source of motion: stop, then human, then policy, then hold. */
  arbitrate(): void;
  /** Turns the chosen action into a reference within all limits. */
  protect(): void;
  /** Sends the reference to the robot. */
  write(): void;
  /** Checks the result independently and publishes the frame. */
  record(): void;
}

/** Runs one tick. Called at absolute deadlines, or on request in lock-step time. Tick-safe. */
export function controlTick(stages: TickStages): void {
  stages.read();
  stages.check();
  stages.observe();
  stages.decide();
  stages.arbitrate();
  stages.protect();
  stages.write();
  stages.record();
}
