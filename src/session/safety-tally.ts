/** What the safety chain did over a run, gathered from every guard frame, for metrics and status. */
import type { GuardFrame } from '../core/index.ts';
import type { SafetyRecord } from '../record/index.ts';
import { namesOfBits, STAGES } from '../safety/index.ts';

type SafetyFigures = Omit<SafetyRecord, 'kind' | 'tS' | 'envStep'>;

/** Counts in the tick; figures on demand. */
export class SafetyTally {
  readonly #hasTank: boolean;
  readonly #ticksByReason: Record<string, number> = {};
  readonly #stageMargins: Float64Array = new Float64Array(STAGES.length).fill(1);
  #marginMin = 1;
  #clearanceM = Number.POSITIVE_INFINITY;
  #tankLevel = 1;

  /** `hasTank`: whether the robot has an energy tank. */
  constructor(hasTank: boolean) {
    this.#hasTank = hasTank;
  }

  /** Takes over one tick. Tick-safe but for the first time of each reason. */
  tick(frame: GuardFrame): void {
    for (let i = 0; i < this.#stageMargins.length; i++) {
      this.#stageMargins[i] = Math.min(this.#stageMargins[i]!, frame.stageMargins[i]!);
    }
    this.#marginMin = Math.min(this.#marginMin, frame.marginMin);
    this.#clearanceM = Math.min(this.#clearanceM, frame.clearanceM);
    this.#tankLevel = Math.min(this.#tankLevel, frame.tankLevel);
    if (frame.filterBits === 0) return;
    for (const name of namesOfBits(frame.filterBits)) this.#ticksByReason[name] = (this.#ticksByReason[name] ?? 0) + 1;
  }

  /** The counters of `frame`, and the least of every margin since the last time that this was asked for. */
  take(frame: GuardFrame): SafetyFigures {
    const { ticks, changedTicks, violations, overruns, tankEnergyJ, tankInjectedJ } = frame;
    const stages = STAGES.map((name, i) => {
      return [name, { changedTicks: frame.stageTicks[i]!, marginMin: this.#stageMargins[i]! }] as const;
    });
    const figures = {
      ...{ ticks, changedTicks, violations, overruns },
      byReason: { ...this.#ticksByReason },
      stages: Object.fromEntries(stages),
      marginMin: this.#marginMin,
      clearanceM: this.#clearanceM,
      tank: this.#hasTank ? { energyJ: tankEnergyJ, levelMin: this.#tankLevel, injectedJ: tankInjectedJ } : null,
    };
    this.#stageMargins.fill(1);
    this.#marginMin = 1;
    this.#clearanceM = Number.POSITIVE_INFINITY;
    this.#tankLevel = 1;
    return figures;
  }
}
