/** What a tick came to: `record`. A check that shares nothing with the chain, and the frame for everybody who listens. */
import type { GuardFrame, RobotModel, SafetyStateName } from '../core/index.ts';
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
  /** Infinite without a tank: its level is 0 then. */
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

  /** Of the tick before: what the chain let through and should not have. */
  get faults(): number {
    return this.#brokenLimits !== 0 ? LIMIT_BROKEN : 0;
  }

  /** An operator has seen what was let through. */
  acknowledge(): void {
    this.#brokenLimits = 0;
  }

  /** The reference starts anew: it did not move there. */
  restart(): void {
    this.#monitor.restart(this.#protection.chain.referenceRad);
  }

  /** A base was put back to where it stood first. */
  putBack(): void {
    this.#monitor.putBack();
  }

  /** Where something is sent: by the limits, or, outside them, by what a person may do there. */
  #checkLimits(state: SafetyStateName): number {
    const { referenceRad, sentRad } = this.#protection.chain;
    const { dtS } = this.#measurement;
    if (!this.#protection.isSent(state)) return 0;
    if (!this.#protection.isDriven(state)) return this.#monitor.checkRecovery(referenceRad, dtS);
    return this.#monitor.check(referenceRad, dtS, this.#frame.robot.positionRad, sentRad);
  }

  /** What the stages reported. Ticks and energy count while the robot is driven by the chain. */
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
