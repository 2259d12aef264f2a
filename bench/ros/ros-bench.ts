/** `npm run bench -- ros`: all figures on speed and cost of the ROS side, measured on this machine. */
import { availableParallelism, cpus, loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { rosEnvironment } from '../../src/ros/index.ts';
import { type CommandLatencyResult, measureCommandLatency } from './command-latency.ts';
import { type DeliveryResult, measureDelivery, measureRoundTrip, type RoundTripResult } from './measure-topics.ts';
import { measureTickLateness, type TickLatenessResult } from './tick-lateness.ts';
import { measureSystem, type SystemResult } from './whole-system.ts';

export interface RosBenchOptions {
  /** Length of each phase that takes time, s. */
  readonly seconds: number;
  /** Commands at each rate. */
  readonly trials: number;
  /** Time for which the whole system is observed, min; 0: as long as a phase. */
  readonly minutes: number;
  readonly onPhase: (label: string) => void;
}

export interface RosBenchResult {
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly node: string;
    readonly loadBefore: number;
  };
  readonly ros: { readonly distro: string; readonly rmw: string };
  readonly roundTrip: RoundTripResult;
  readonly delivery: DeliveryResult;
  readonly commands: readonly CommandLatencyResult[];
  readonly tick: TickLatenessResult;
  readonly system: SystemResult;
}

/** Processes of one phase have left the graph before the next begins. */
const PAUSE_MS = 500;

/** Measures one case after another. Rejects with `ReinError('environment', …)` if ROS cannot be used. */
export async function benchRos(options: RosBenchOptions): Promise<RosBenchResult> {
  const { problem, distro } = rosEnvironment(['rein', 'controller_manager_msgs']);
  if (problem !== undefined) throw problem;
  const { seconds, trials, minutes } = options;
  const machine = {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    node: process.version,
    loadBefore: loadavg()[0] ?? 0,
  };
  const phase = async <T>(label: string, body: () => Promise<T>): Promise<T> => {
    options.onPhase(label);
    const result = await body();
    await delay(PAUSE_MS);
    return result;
  };
  const roundTrip = await phase('round trips at 1 kHz', () => measureRoundTrip(1000, seconds));
  const delivery = await phase('a 500 Hz joint state and 30 images a second', () => measureDelivery(seconds));
  const commands: CommandLatencyResult[] = [];
  for (const hz of [50, 100]) {
    commands.push(await phase(`commands at ${hz} Hz`, () => measureCommandLatency(hz, trials)));
  }
  const tick = await phase('the tick without ROS and beside it', () => measureTickLateness(seconds));
  const system = await phase('the whole system', () =>
    measureSystem(minutes > 0 ? 60 * minutes : seconds, (minute) => options.onPhase(`the whole system, ${minute} min`)),
  );
  const rmw = process.env['RMW_IMPLEMENTATION'] || 'default';
  return { machine, ros: { distro: distro ?? 'unknown', rmw }, roundTrip, delivery, commands, tick, system };
}

/** Load average, as a share of the cores, above which the figures are not those of the machine alone. */
const QUIET_SHARE = 0.25;
/** Minimum time for a slope of memory, which fills and is collected. */
const SLOPE_S = 300;

/** Formats the result as readable lines. */
export function formatRosBench(result: RosBenchResult): string {
  const { machine, ros, roundTrip, delivery, commands, tick, system } = result;
  const { jointStates, images } = delivery;
  const lines = [
    `ROS 2 ${ros.distro}, rmw ${ros.rmw}, on ${machine.cores} × ${machine.cpu}, Node ${machine.node}`,
    `Round trip of a joint state at ${roundTrip.rateHz} Hz, two processes: p50 ${ms(roundTrip.roundTripMs.p50)}, p99 ` +
      `${ms(roundTrip.roundTripMs.p99)}; ${roundTrip.received} of ${roundTrip.sent} came back; ` +
      `${pc(roundTrip.pingCpuPercent)} and ${pc(roundTrip.echoCpuPercent)} of a core`,
    `Delivered: joint state ${jointStates.deliveredHz.toFixed(1)} of ${hz(jointStates.sent, delivery)} Hz (age p99 ` +
      `${ms(jointStates.ageMs.p99)}), 640×480 image ${images.deliveredHz.toFixed(1)} of ${hz(images.sent, delivery)} Hz ` +
      `(age p99 ${ms(images.ageMs.p99)}); receiver ${pc(delivery.receiverCpuPercent)} of a core`,
    ...commands.map(
      ({ controlHz, latencyMs, lost, cpuPercent }) =>
        `Command, node → guard → controller topic, at ${controlHz} Hz: p50 ${ms(latencyMs.p50)}, p99 ${ms(latencyMs.p99)}, ` +
        `max ${ms(latencyMs.max)} of ${latencyMs.count}, ${lost} lost; ${shares(cpuPercent)}`,
    ),
    `Tick at ${tick.controlHz} Hz, late p50/p99: without ROS ${us(tick.without.p50Us)}/${us(tick.without.p99Us)}, beside ` +
      `it ${us(tick.beside.p50Us)}/${us(tick.beside.p99Us)} µs`,
    `Start: there after ${system.unconfiguredS.toFixed(2)} s, active after ${system.activeS.toFixed(2)} s`,
    ...system.processes.map(
      ({ name, cpuPercent, rssMb, rssSlopeMbPerHour }) =>
        `  ${name.padEnd(18)} ${pc(cpuPercent).padStart(7)} of a core, ${rssMb.toFixed(0)} MB` +
        (system.seconds < SLOPE_S
          ? ''
          : `, ${rssSlopeMbPerHour.toFixed(1)} MB/h over ${(system.seconds / 60).toFixed(0)} min`),
    ),
  ];
  if (machine.loadBefore > QUIET_SHARE * machine.cores) {
    const load = machine.loadBefore.toFixed(1);
    lines.push(
      `Other programs were running before this began (load ${load}): these are not the machine's own figures.`,
    );
  }
  return lines.join('\n');
}

function hz(sent: number, { seconds }: DeliveryResult): string {
  return (sent / seconds).toFixed(1);
}

function ms(value: number): string {
  return `${value.toFixed(2)} ms`;
}

function us(value: number): string {
  return value.toFixed(0);
}

function pc(value: number): string {
  return `${value.toFixed(1)} %`;
}

function shares(cpu: Readonly<Record<string, number>>): string {
  return Object.entries(cpu)
    .map(([name, share]) => `${name} ${pc(share)}`)
    .join(', ');
}
