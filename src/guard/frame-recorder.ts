/** Stage `record` of a tick: a check that is independent of the chain, and the frame published to all listeners. */
import type { RobotModel } from '../model/index.ts';
import type { GuardFrame, SafetyStateName } from '../rows/index.ts';
import { LIMIT_BROKEN, LimitMonitor } from '../safety/index.ts';
import type { TickTiming } from './fault-watch.ts';
import type { GuardPort } from './link/link.ts';
import type { Measurement } from './measurement.ts';
import type { Protection } from './protection.ts';

/** Checks and publishes each tick once, at its end. Tick-safe after construction. */
export class FrameRecorder {
  readonly #port: GuardPort;
  readonly #measurement: Measurement;
  readonly #protection: Protection;
  readonly #timing: TickTiming;
  readonly #frame: GuardFrame;
  readonly #monitor: LimitMonitor;
  /** Capacity of the tank, J; infinite without a tank, so that its level is 0. */
  readonly #tankMaxJ: number;
  #brokenLimits = 0;

  constructor(
    port: GuardPort,
    model: RobotModel,
    measurement: Measurement,
    protection: Protection,
    timing: TickTiming,
  ) {
    this.#port = port;
    this.#measurement = measurement;
    this.#protection = protection;
    this.#timing = timing;
    this.#frame = measurement.frame;
    this.#monitor = new LimitMonitor(model);
    this.#tankMaxJ = model.tank?.maxJ ?? Number.POSITIVE_INFINITY;
  }

  record(state: SafetyStateName, faultFlags: number): void {
    const { chain, report } = this.#protection;
    const frame = this.#frame;
    const isDriven = this.#protection.isDriven(state);
    this.#brokenLimits = this.#checkLimits(state);
    frame.tick++;
    frame.ticks++;
    frame.state = state;
    frame.decider = report.decider;
    frame.commandSeq = report.commandSeq;
    frame.filterBits = isDriven ? report.bits : 0;
    if (frame.filterBits !== 0) frame.changedTicks++;
    this.#recordStages(isDriven);
    frame.faultFlags = faultFlags;
    frame.referenceRad.set(chain.referenceRad);
    frame.referenceTcp.set(chain.referenceTcp);
    chain.writeShortfall(frame.shortfall);
    frame.violations = this.#monitor.violations;
    frame.overruns = this.#timing.overruns;
    frame.tickLateS = this.#timing.lateS;
    this.#measurement.takeBus();
    this.#port.publish(frame);
  }

  /** Fault flags of the previous tick: limits that the chain should have enforced. */
  get faults(): number {
    return this.#brokenLimits !== 0 ? LIMIT_BROKEN : 0;
  }

  /** Clears the faults after an operator's acknowledgement. */
  acknowledge(): void {
    this.#brokenLimits = 0;
  }

  /** Restarts after the reference was re-seeded, which is not a motion. */
  restart(): void {
    this.#monitor.restart(this.#protection.chain.referenceRad);
  }

  /** Restarts after a base was put back to its initial pose. */
  putBack(): void {
    this.#monitor.putBack();
  }

  /** Checks whatever is sent: against the limits, or, outside them, against those of recovery. */
  #checkLimits(state: SafetyStateName): number {
    const { referenceRad, sentRad } = this.#protection.chain;
    const { dtS } = this.#measurement;
    if (!this.#protection.isSent(state)) return 0;
    if (!this.#protection.isDriven(state)) return this.#monitor.checkRecovery(referenceRad, dtS);
    return this.#monitor.check(referenceRad, dtS, this.#frame.robot.positionRad, sentRad);
  }

  /** Copies the stages' reports. Ticks and energy are counted while the chain drives the robot. */
  #recordStages(isDriven: boolean): void {
    const frame = this.#frame;
    const { report } = this.#protection;
    for (let i = 0; i < report.stages.length; i++) {
      const stage = report.stages[i]!;
      frame.stageMargins[i] = stage.margin;
      if (isDriven && stage.changed) frame.stageTicks[i] = frame.stageTicks[i]! + 1;
    }
    frame.marginMin = report.marginMin;
    frame.clearanceM = report.clearanceM;
    frame.toolSpeedMPerS = this.#protection.chain.toolSpeedMPerS;
    frame.tankEnergyJ = report.tankEnergyJ;
    frame.tankLevel = report.tankEnergyJ / this.#tankMaxJ;
    frame.tankScale = report.tankScale;
    if (isDriven && report.tankInjectedJ > 0) frame.tankInjectedJ += report.tankInjectedJ;
  }
}
