/** One control tick. A newcomer who has read this file and `guard/guard-tick.ts` knows what the motors get, and why. */

/** The eight parts of a tick. Each is synchronous and tick-safe: no allocation, no await, no logging, no throw. */
export interface TickStages {
  /** Measures the robot. */
  read(): void;
  /** Turns what was measured, and what is missing, into fault flags and the next safety state. */
  check(): void;
  /** Fills the robot's part of the frame: state and tool poses. */
  observe(): void;
  /** Takes the newest command, if its lease is valid. */
  decide(): void;
  /** Chooses who moves the robot: stop, then human, then policy, then hold. */
  arbitrate(): void;
  /** Turns the chosen action into a reference that breaks no limit. */
  protect(): void;
  /** Sends the reference to the robot. */
  write(): void;
  /** Checks the result independently and publishes the frame. */
  record(): void;
}

/** Runs one tick. Called at absolute deadlines, or as often as lock-step time asks. Tick-safe. */
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
