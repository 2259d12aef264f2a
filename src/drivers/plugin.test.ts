import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ur5eLike } from '../../tests/support/robot-models.ts';
import type { Driver, Scene } from './driver.ts';
import { createDriver } from './registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-driver-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A driver of others that is sealed, and has private members, accessors, and functions that cannot be written. */
const SEALED = `
const fails = () => { throw new Error('no air'); };
class Arm {
  #isOpen = false;
  constructor(joints, signalNames) {
    this.jointNames = joints.map(({ name }) => name);
    this.signalNames = signalNames;
    Object.defineProperty(this, 'enable', { value: fails });
    Object.seal(this);
  }
  async open() { this.#isOpen = true; }
  get scene() { return this.#isOpen ? SCENE : undefined; }
  get read() { return () => this.#isOpen ? 'ok' : 'lost'; }
  async close() { fails(); }
  prepare() { fails(); }
  limitTorque() { fails(); }
  disable() {}
  write() { fails(); }
}
const SCENE = Object.freeze({ reset: fails, geomPoses: fails, geoms: [] });
export default { name: 'my arm', rein: { kind: 'driver', contract: 1 },
  create: ({ robot, signalNames }) => new Arm(robot.joints, signalNames) };`;

it('a driver of others is named where it fails, however its object is made', async () => {
  const module = join(folder, 'sealed.mjs');
  writeFileSync(module, SEALED);
  const options = { signalNames: [], module };
  const driver: Driver = await createDriver({ name: 'plugin', options }, { model: ur5eLike });
  const read = (): unknown => (driver.read as () => unknown)();
  expect([driver.scene, read(), driver.bus]).toEqual([undefined, 'lost', undefined]);
  await driver.open();
  const scene = driver.scene as Scene;
  expect([driver.scene === scene, read()]).toEqual([true, 'ok']);
  const calls: Record<string, () => unknown> = {
    prepare: () => driver.prepare?.(),
    enable: () => driver.enable(),
    limitTorque: () => driver.limitTorque?.(0.5),
    write: () => (driver.write as () => unknown)(),
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
