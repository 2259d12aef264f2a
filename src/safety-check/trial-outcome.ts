/** Outcome of one trial, as plain data: it crosses threads. */
import type { ChainReport } from '../safety/chain-report.ts';
import type { Trace, TrialName } from './result.ts';
import { addTally, createTally, type Tally } from './tally.ts';
import type { StopSample } from './witness/stop-watch.ts';

/** Apparent energy gain of a motion's integration, J, and as a share of the kinetic energy. */
const ENERGY_ROUNDING_J = 2e-3;
const ENERGY_ROUNDING_SHARE = 2e-3;

export interface TrialOutcome extends Tally {
  readonly name: TrialName;
  readonly stops: readonly StopSample[];
  readonly trace: Trace;
}

/** Returns the unaccounted energy above which there is a violation, J. */
export function energyToleranceJ(peakKineticJ: number): number {
  return ENERGY_ROUNDING_J + ENERGY_ROUNDING_SHARE * peakKineticJ;
}

/** Returns an outcome that shares the counters of its witnesses. */
export function createOutcome(
  name: TrialName,
  witnesses: Pick<Tally, 'counts' | 'arm' | 'least'>,
  stops: readonly StopSample[],
  trace: Trace,
): TrialOutcome {
  return { ...createTally(), ...witnesses, name, stops, trace };
}

/** Merges two attempts into one trial, with the trace of the one that came nearer to harm. */
export function merged(a: TrialOutcome, b: TrialOutcome): TrialOutcome {
  const trace = b.marginMin < a.marginMin ? b.trace : a.trace;
  addTally(a, b);
  return { ...a, trace };
}

/** Points of a trace. */
const POINTS = 200;

/**
 * Time series of one trial, for plots: keeps the smallest margin, the last tank content and the largest kinetic energy
 * of each interval.
 */
export class TraceRecorder {
  readonly trace: Trace & Written;
  readonly #every: number;
  #count = 0;
  #nowS = 0;
  #injectedJ = 0;
  #creditedJ = 0;
  #margin = 1;
  #kineticJ = 0;

  constructor(trial: TrialName, ticks: number) {
    this.#every = Math.max(1, Math.ceil(ticks / POINTS));
    this.trace = { trial, timeS: [], margin: [], tankJ: [], injectedJ: [], creditedJ: [], kineticJ: [] };
  }

  /** Adds a tick of length `dtS`. */
  add(margin: number, tankJ: number, report: ChainReport, kineticJ: number, dtS: number): void {
    this.#nowS += dtS;
    this.#injectedJ += report.tankInjectedJ;
    this.#creditedJ += report.tankCreditedJ;
    this.#margin = Math.min(this.#margin, margin);
    this.#kineticJ = Math.max(this.#kineticJ, kineticJ);
    if (++this.#count % this.#every !== 0) return;
    const { timeS, margin: margins, tankJ: tanks, injectedJ, creditedJ, kineticJ: kinetics } = this.trace;
    timeS.push(this.#nowS);
    margins.push(this.#margin);
    tanks.push(tankJ);
    injectedJ.push(this.#injectedJ);
    creditedJ.push(this.#creditedJ);
    kinetics.push(this.#kineticJ);
    this.#margin = 1;
    this.#kineticJ = 0;
  }
}

type Written = { [K in Exclude<keyof Trace, 'trial'>]: number[] };
