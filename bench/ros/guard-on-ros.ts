/** Guard behind ROS topics with the simulated arm on the other side, for measurements. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import type { GuardConfig } from '../../src/guard/index.ts';
import { guardConfigOf } from '../../src/session/supervision.ts';
import { type BenchGuard, type BenchGuardEnd, startBenchGuard } from '../runtime/bench-guard.ts';
import type { Children } from './children.ts';

export interface GuardSetting {
  /** Control rate of the guard. */
  readonly controlHz: number;
  /** Rate of the simulated arm's joint states; `undefined`: no ROS at all, and a mock in place of the arm. */
  readonly simHz: number | undefined;
}

export interface RunningGuard {
  readonly socketPath: string;
  readonly policyPeriodS: number;
  /** Ends the guard; resolves to its lateness figures. */
  end(): Promise<BenchGuardEnd>;
}

/** Output of the simulator once it is running. */
const SIM_IS_UP = /Ctrl\+C ends it/;

/** Starts the processes of `setting`. The guard is killed with `children` at the latest. */
export async function startGuardOnRos(setting: GuardSetting, children: Children): Promise<RunningGuard> {
  const { controlHz, simHz } = setting;
  if (simHz !== undefined) {
    await children.program(
      'packages/emulate/dist/ros/sim-main.js',
      ['--ros-args', '-p', `rate:=${simHz.toFixed(1)}`],
      SIM_IS_UP,
    );
  }
  const folder = mkdtempSync(join(tmpdir(), 'rein-bench-'));
  children.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const socketPath = join(folder, 'guard.sock');
  const config = configOf(controlHz, simHz !== undefined, socketPath);
  const configPath = join(folder, 'guard.json');
  writeFileSync(configPath, JSON.stringify(config));
  const guard: BenchGuard = startBenchGuard(configPath);
  children.adopt(guard.process);
  await guard.ready;
  return {
    socketPath,
    policyPeriodS: config.policyPeriodS,
    end: () => {
      guard.process.kill('SIGTERM');
      return guard.ended;
    },
  };
}

function configOf(controlHz: number, isBehindRos: boolean, socketPath: string): GuardConfig {
  const config = resolveConfig({
    task: 'insert',
    seed: 0,
    overrides: [
      { option: 'robot', path: ['task', 'robot'], value: isBehindRos ? 'arm6-ros' : 'arm6' },
      { option: 'rate', path: ['robot', 'controlHz'], value: controlHz },
    ],
  });
  const guard = guardConfigOf(config, createSetup(config).task.signalNames, { socketPath, authority: 'node' });
  return isBehindRos ? guard : { ...guard, driver: { name: 'mock', options: {} } };
}
