/** An arm without brakes, by its YAML: torque goes off slowly at the end of the brake. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { saveSteadyPolicy } from '../../bench/policy/steady-policy.ts';
import { resolveConfig } from '../../src/config/index.ts';
import { createSetup } from '../../src/config/setup.ts';
import { faultRow } from '../support/fault-row.ts';
import { LiveRun, mockArm6, until } from '../support/live-run.ts';
import { IS_LONG } from '../support/long.ts';
import { ProcessGuard, rowsOf } from '../support/process-guard.ts';

const EXIT_RAMP_S = 1.5;
const folder = mkdtempSync(join(tmpdir(), 'rein-exit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const falling = join(folder, 'falling.yaml');
writeFileSync(falling, `${mockArm6()}\nholdsWithoutTorque: false\nexitRampS: ${EXIT_RAMP_S}\n`);
const overlay = join(folder, 'config.yaml');
writeFileSync(overlay, `task: { robot: ${falling} }\n`);

describe('an arm without brakes', { timeout: 120_000 }, () => {
  faultRow(10, 'process', 'is held at the end of its blind brake, and told, before torque goes off', async () => {
    const { config, task } = createSetup(resolveConfig({ task: 'insert', seed: 0, overlay }));
    const { robot: model } = config;
    const { action } = task;
    const guard = await ProcessGuard.start({ model, action });
    await guard.active(['lost', 1_000_000]);
    guard.drive(() => 0.5);
    const off = await guard.seen(({ state }) => state === 'fault', 'torque off');
    const lost = guard.ticks.find((tick) => rowsOf(tick).includes(10))!;
    expect(lost.state).toBe('stopping');
    const held = guard.ticks.filter(({ tick, state }) => tick >= lost.tick && tick < off.tick && state === 'stopping');
    expect(held).toHaveLength(off.tick - lost.tick);
    expect(held.length / model.controlHz).toBeGreaterThan(EXIT_RAMP_S / 2);
    await guard.close();
  });

  it.runIf(IS_LONG)('is let down at the end of rein run', async () => {
    const run = new LiveRun(mkdtempSync(join(folder, 'run-')));
    const policy = await saveSteadyPolicy(run.folder);
    const robot = run.start('run', '--policy', policy, '--config', overlay, '--start', 'now', '--out', 'robot');
    await until(() => run.journal('robot').length > 0, 'motion');
    robot.child.kill('SIGINT');
    expect(await robot.exit).toBe(130);
    const lines = readFileSync(join(run.folder, 'robot', 'guard.log'), 'utf8')
      .trim()
      .split('\n');
    const logged = lines.map((line) => JSON.parse(line) as { time: string; msg: string });
    const atMs = (msg: string): number => Date.parse(logged.find((line) => line.msg === msg)!.time);
    // The driver is closed, and torque goes with it, between the two.
    expect(atMs('ended') - atMs('asked to end: braking')).toBeGreaterThanOrEqual(1e3 * EXIT_RAMP_S);
    await run.end();
  });
});
