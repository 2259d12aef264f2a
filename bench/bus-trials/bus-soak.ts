/** Long run of an emulated arm: growth of the guard's memory, and drift of its ticks. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { quantile } from '../../src/model/index.ts';
import { BUS } from '../../src/rows/index.ts';
import { BusRig } from './bus-rig.ts';

export interface BusSoakOptions {
  readonly minutes: number;
  readonly onSample?: (sample: BusSoakSample) => void;
}

export interface BusSoakSample {
  readonly atS: number;
  /** Resident memory of the guard's process, MB. */
  readonly guardMb: number;
  /** Deviation of the newest tick's reading from the time given by its number, ms, since the first sample: 0 is no drift. */
  readonly phaseMs: number;
  readonly ticks: number;
  readonly overruns: number;
  readonly lateReadings: number;
  readonly lostReadings: number;
  /** Time that the newest tick spent on the bus, reading and writing, ms. */
  readonly busyMs: number;
}

export interface BusSoakResult {
  readonly minutes: number;
  readonly ticks: number;
  readonly samples: readonly BusSoakSample[];
  /** Slope of the memory over the last two thirds, MB an hour: compilation is complete by then. */
  readonly memoryMbPerHour: number;
  readonly guardMb: { readonly first: number; readonly last: number };
  /** Slope of the phase, ms an hour. */
  readonly phaseMsPerHour: number;
  readonly worstPhaseMs: number;
  /** Median time of a tick on the bus, ms: over the first and the last third. */
  readonly busyMs: { readonly first: number; readonly last: number };
  /** Times that the arm had to be released again after a stop. */
  readonly looks: number;
}

const SAMPLE_MS = 10_000;
/** Time before the first sample, in which everything is loaded and compiled. */
const SETTLE_MS = 20_000;

export async function runBusSoak({ minutes, onSample }: BusSoakOptions): Promise<BusSoakResult> {
  const rig = await BusRig.open();
  try {
    await rig.start();
    await rig.drive();
    await delay(SETTLE_MS);
    const samples: BusSoakSample[] = [];
    const startS = rig.nowS();
    const first = { ...rig.newest() };
    let looks = 0;
    while (rig.nowS() - startS < 60 * minutes) {
      await delay(SAMPLE_MS);
      rig.forget();
      const frame = rig.newest();
      if (frame.state !== 'active.policy') {
        looks++;
        await rig.drive();
        continue;
      }
      const periods = frame.tick - first.tick;
      const sample: BusSoakSample = {
        atS: rig.nowS() - startS,
        guardMb: residentMb(rig.guardPid),
        // A late tick contributes only its own lateness: missed time is skipped in whole periods.
        phaseMs: 1e3 * wrapped(frame.stampS - first.stampS - periods / rig.model.controlHz, 1 / rig.model.controlHz),
        ticks: periods,
        overruns: frame.overruns - first.overruns,
        lateReadings: frame.lateReadings - first.lateReadings,
        lostReadings: frame.lostReadings - first.lostReadings,
        busyMs: 1e3 * frame.busCounters[BUS.busyS]!,
      };
      samples.push(sample);
      onSample?.(sample);
    }
    const settled = samples.slice(Math.floor(samples.length / 3));
    return {
      minutes,
      ticks: samples.at(-1)?.ticks ?? 0,
      samples,
      memoryMbPerHour: slopePerHour(settled.map(({ atS, guardMb }) => [atS, guardMb])),
      guardMb: { first: samples[0]?.guardMb ?? Number.NaN, last: samples.at(-1)?.guardMb ?? Number.NaN },
      phaseMsPerHour: slopePerHour(samples.map(({ atS, phaseMs }) => [atS, phaseMs])),
      busyMs: {
        first: quantile(busy(samples.slice(0, Math.ceil(samples.length / 3))), 0.5),
        last: quantile(busy(samples.slice(-Math.ceil(samples.length / 3))), 0.5),
      },
      worstPhaseMs: Math.max(...samples.map(({ phaseMs }) => Math.abs(phaseMs))),
      looks,
    };
  } finally {
    await rig.close();
  }
}

function busy(samples: readonly BusSoakSample[]): number[] {
  return samples.map(({ busyMs }) => busyMs);
}

function residentMb(pid: number): number {
  const [, kB] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kB) / 1024;
}

/** Returns `value` reduced by whole `period`s to the value nearest to 0. */
function wrapped(value: number, period: number): number {
  return value - period * Math.round(value / period);
}

/** Least-squares slope. */
function slopePerHour(points: readonly (readonly [number, number])[]): number {
  const mean = (pick: 0 | 1): number => points.reduce((sum, point) => sum + point[pick], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const top = points.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  const bottom = points.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
  return (3600 * top) / bottom;
}

export function formatBusSoak(result: BusSoakResult): string {
  const { minutes, ticks, memoryMbPerHour, guardMb, phaseMsPerHour, worstPhaseMs, busyMs, looks, samples } = result;
  const last = samples.at(-1);
  return [
    `${minutes} min, ${ticks} ticks, ${last?.overruns ?? 0} overruns, ${last?.lateReadings ?? 0} readings late, ${last?.lostReadings ?? 0} lost, ${looks} times a person had to look`,
    `memory of the guard ${guardMb.first.toFixed(1)} → ${guardMb.last.toFixed(1)} MB (${memoryMbPerHour.toFixed(2)} MB/h over the last two thirds)`,
    `phase of the ticks: ${phaseMsPerHour.toFixed(3)} ms/h, at most ${worstPhaseMs.toFixed(2)} ms`,
    `a tick on the bus: ${busyMs.first.toFixed(2)} ms in the first third, ${busyMs.last.toFixed(2)} ms in the last (medians)`,
  ].join('\n');
}
