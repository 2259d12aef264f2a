import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import type { Driver } from './driver.ts';
import { createDriver } from './registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-driver-'));
afterAll(() => rmSync(folder, { recursive: true }));

const DRIVER = new URL('../../dist/drivers/driver.js', import.meta.url).href;
let count = 0;

/** Creates a third-party driver whose module is `text` behind an import of `createDriverReport`. */
async function made(text: string): Promise<{ driver: Driver; module: string }> {
  const module = join(folder, `arm-${count++}.mjs`);
  writeFileSync(module, `import { createDriverReport } from '${DRIVER}';\n${text}`);
  const options = { signalNames: [], module };
  return { driver: await createDriver({ name: 'plugin', options }, { model: ur5eLike }), module };
}

/** A sealed driver with private members, accessors, and functions that are not writable. */
const SEALED = `
const fails = () => { throw new Error('no air'); };
class Arm {
  #isOpen = false;
  #facts;
  constructor(joints, signalNames) {
    this.#facts = { name: 'sealed', jointNames: joints.map(({ name }) => name), signalNames };
    Object.defineProperty(this, 'torque', { value: fails });
    Object.seal(this);
  }
  get report() { return REPORT; }
  get scene() { return SCENE; }
  async open() { this.#isOpen = true; return this.#facts; }
  get read() { return () => this.#isOpen ? 'ok' : 'lost'; }
  async close() { fails(); }
  service() { fails(); }
  takeNotice() { fails(); }
  write() { fails(); }
}
const REPORT = createDriverReport();
const SCENE = Object.freeze({ reset: fails, geomPoses: fails, geoms: [] });
export default { name: 'my arm', rein: { kind: 'driver', contract: 2 },
  create: ({ robot, signalNames }) => new Arm(robot.joints, signalNames) };`;

it('a driver of others is named where it fails, however its object is made', async () => {
  const { driver, module } = await made(SEALED);
  const read = (): unknown => (driver.read as () => unknown)();
  expect(read()).toBe('lost');
  const facts = await driver.open();
  expect([read(), facts.name, facts.bus]).toEqual(['ok', 'sealed', undefined]);
  const scene = driver.scene!;
  const calls: Record<string, () => unknown> = {
    service: () => driver.service('prepare'),
    torque: () => driver.torque(0.5),
    write: () => (driver.write as () => unknown)(),
    takeNotice: () => driver.takeNotice(),
    'scene.reset': () => (scene.reset as () => unknown)(),
    'scene.geomPoses': () => scene.geomPoses(new Float64Array(0)),
  };
  for (const [within, call] of Object.entries(calls)) {
    expect(call, within).toThrow(
      expect.objectContaining({
        name: 'ReinError',
        message: `The driver my arm failed in ${within}: no air.`,
        remedy: expect.stringContaining(module),
      }),
    );
  }
  await expect(driver.close()).rejects.toThrow('failed in close: no air');
});

/** A driver that moves nothing, with `members` overridden. */
const still = (members: string): Promise<{ driver: Driver }> =>
  made(`const facts = ({ robot: { joints }, signalNames }) =>
    ({ name: 'still', jointNames: joints.map(({ name }) => name), signalNames });
  export default { name: 'my arm', rein: { kind: 'driver', contract: 2 }, create: (context) => ({
    report: createDriverReport(), async open() { return facts(context); }, async close() {}, read: () => 'ok', write: () => 'ok',
    torque() {}, service: () => 'nothing', takeNotice() {}, ${members} }) };`);

describe('a driver of others is refused', () => {
  it.each([
    ['report: undefined', 'its report has no hardwareFaults'],
    ['report: { ...createDriverReport(), needsFirstMotion: 0 }', 'its report has no needsFirstMotion'],
    ['report: createDriverReport({ distance: new Float64Array(3) })', 'its report has no distance'],
    ['report: createDriverReport({ busCounters: [] })', 'its report has no busCounters'],
  ])('with %s', async (members, clause) => {
    await expect(still(members)).rejects.toThrow(`The driver my arm cannot be used: ${clause}`);
  });

  it.each([
    ['async open() {}', 'open() returned no facts'],
    ['async open() { return { ...facts(context), stop() {} }; }', 'the facts that open() returned are not plain data'],
    [
      "async open() { return { ...facts(context), jointNames: ['a'] }; }",
      "its jointNames are a, the robot's file has ",
    ],
    [
      "async open() { return { ...facts(context), signalNames: ['x'] }; }",
      'its signalNames are x, the task needs empty',
    ],
  ])('when it is opened by %s', async (members, clause) => {
    const { driver } = await still(members);
    await expect(driver.open()).rejects.toThrow(`The driver my arm cannot be used: ${clause}`);
  });
});

it.each([
  ["'done'", 'done'],
  ["'nothing'", 'nothing'],
  ["({ refusal: 'the arm is cold' })", { refusal: 'the arm is cold' }],
  // An invalid answer must not switch torque on.
  ['undefined', { refusal: 'its driver has no answer to prepare' }],
  ["'the arm is cold'", { refusal: 'its driver has no answer to prepare' }],
  ['({ refusal: true })', { refusal: 'its driver has no answer to prepare' }],
])('a driver of others that answers %s', async (answer, taken) => {
  const { driver } = await still(`service: () => ${answer}`);
  expect(driver.service('prepare')).toEqual(taken);
});
