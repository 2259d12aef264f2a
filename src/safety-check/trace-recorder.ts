/** The course of one trial in a few hundred points, for plots. */
import type { ChainReport } from '../safety/index.ts';
import type { Trace, TrialName } from './result.ts';

const POINTS = 200;

/** Keeps the smallest margin, the last tank content and the largest kinetic energy of each interval. */
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

  /** A tick that took `dtS`. */
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
