import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import { FakeClock } from '../../tests/support/fake-clock.ts';
import { mockArm6 } from '../../tests/support/live-run.ts';
import type { GuardFrame } from '../rows/index.ts';
import { operatorSchema, type TeleopCommand } from '../teleop/index.ts';
import { type OperatorsContext, openOperators } from './operators.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'rein-operators-'));
  writeFileSync(join(folder, 'leader.yaml'), mockArm6());
});
afterAll(() => rmSync(folder, { recursive: true }));

const context = (more: Partial<OperatorsContext>): OperatorsContext => ({
  setup: arm6Setup(),
  folder,
  heard: { onMark: () => undefined, onSkip: () => undefined },
  onEvent: () => undefined,
  robot: () => undefined,
  print: () => undefined,
  ...more,
});

it('hears c and g at a terminal whose keys move nothing', async () => {
  const terminal = new PassThrough();
  const said: string[] = [];
  const heard = {
    onMark: () => said.push('mark'),
    onSkip: () => said.push('skip'),
    onGoOn: () => said.push('go on'),
    onGiveBack: () => said.push('give back'),
  };
  const sources = await openOperators([], context({ heard, terminal }));
  expect(sources).toEqual([]);
  for (const key of ['c', 'm', 'g']) terminal.write(key);
  await new Promise(setImmediate);
  expect(said).toEqual(['go on', 'give back']);
});

it.each([undefined, false])('offers marks unless nothing is judged: %s', async (isJudged) => {
  const { task, ...setup } = arm6Setup();
  const said: string[] = [];
  const terminal = new PassThrough();
  const pad = join(folder, `pad-${isJudged}`);
  execFileSync('mkfifo', [pad]);
  const gamepad = openSync(pad, constants.O_RDWR);
  const devices = [
    operatorSchema.parse({ kind: 'keyboard' }),
    operatorSchema.parse({ kind: 'gamepad', device: pad, pad: 'xbox' }),
  ];
  const judged = { ...setup, task: Object.assign(task, isJudged === false ? { isJudged } : {}) };
  const heard = { onMark: () => said.push('mark'), onSkip: () => undefined };
  const print = (line: string) => said.push(line);
  const sources = await openOperators(devices, context({ setup: judged, heard, terminal, print }));
  terminal.write('m?');
  await new Promise(setImmediate);
  const words = [...said, ...sources.map(({ hint }) => hint)].join(' ');
  if (isJudged === false) expect(words).not.toMatch(/mark|success|failure/);
  else expect(words).toMatch(/A success, X failure.* mark .*m\/n success\/failure.*m\/n mark/s);
  for (const source of sources) source.close();
  closeSync(gamepad);
});

it('takes what is done with a leader for recovery while the pedal for it is held', async () => {
  const path = join(folder, 'pedal');
  execFileSync('mkfifo', [path]);
  const foot = openSync(path, constants.O_RDWR);
  const pedal = operatorSchema.parse({ kind: 'pedal', device: path, recover: 'KEY_A' });
  const arm = operatorSchema.parse({ kind: 'leader', robot: join(folder, 'leader.yaml') });
  const clock = new FakeClock();
  const sources = await openOperators([arm, pedal], context({ clock }));
  const leader = sources.find(({ name }) => name === 'leader')!;
  const phase = (): string => {
    const out: TeleopCommand = { active: false, action: new Float32Array(4), phase: 'correct' };
    leader.poll(new Float32Array(0), 0, out);
    return out.phase;
  };
  expect(phase()).toBe('correct');
  const press = Buffer.alloc(24);
  // EV_KEY, KEY_A, down.
  for (const [at, value] of [
    [16, 1],
    [18, 30],
    [20, 1],
  ] as const)
    press.writeUInt16LE(value, at);
  writeSync(foot, press);
  expect(phase()).toBe('recover');
  for (const source of sources) source.close();
  closeSync(foot);
});

it('never lets a leader that goes along close its own clutch', async () => {
  const clock = new FakeClock();
  const { homeRad, joints } = arm6Setup().config.robot;
  const elbow = joints.findIndex(({ name }) => name === 'elbow');
  const startRad = homeRad[elbow]!;
  // The robot's joint named like the clutch goes beyond the angle at which the clutch counts as closed.
  const referenceRad = Float64Array.from(homeRad);
  referenceRad[elbow] = startRad + 0.2;
  referenceRad[0]! += 0.2;
  const leader = operatorSchema.parse({
    kind: 'leader',
    robot: join(folder, 'leader.yaml'),
    clutch: { joint: 'elbow', closedAboveRad: startRad + 0.1 },
    alongside: { speedRatio: 0.5 },
  });
  const [source] = await openOperators([leader], context({ clock, robot: () => ({ referenceRad }) as GuardFrame }));
  for (let look = 0; look < 200; look++) {
    clock.advanceMs(20);
    source!.watch!();
  }
  expect(source!.isInControl).toBe(false);
  source!.close();
});
