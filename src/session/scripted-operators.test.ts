import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { arm6Setup } from '../../tests/support/arm6.ts';
import type { RunSetup } from '../config/setup.ts';
import type { TeleopCommand } from '../teleop/index.ts';
import { checkOperators, createDemonstrator } from './scripted-operators.ts';

const folder = mkdtempSync(join(tmpdir(), 'rein-operators-'));
afterAll(() => rmSync(folder, { recursive: true }));
let modules = 0;

/** A third-party task whose operator `create` makes, JavaScript of `({ role }) => source`. */
function setupWith(create: string, demonstrations: number): RunSetup {
  const module = join(folder, `operator-${modules++}.cjs`);
  const mark = "{ kind: 'operator', contract: 1 }";
  writeFileSync(module, `exports.default = { name: 'my pedal', rein: ${mark}, create: ${create} };`);
  const setup = arm6Setup();
  const task = { ...setup.config.task, kind: 'plugin', operatorPlugin: { module }, demonstrations };
  return { ...setup, config: { ...setup.config, task } } as unknown as RunSetup;
}

/** Command of an operator that executes `body` on `out`. */
function polled(body: string): TeleopCommand {
  const source = `{ name: 'pedal', decidedBy: 'human', poll: (_o, _now, out) => { out.active = true; ${body} }, reset() {}, close() {} }`;
  const command: TeleopCommand = { active: false, action: new Float32Array(4), phase: 'correct' };
  createDemonstrator(setupWith(`() => (${source})`, 1), 1).poll(new Float32Array(4), 0, command);
  return command;
}

describe('the operator of a plugin', () => {
  const onlyOverseer =
    "({ role }) => { if (role === 'overseer') return { name: 'p', decidedBy: 'human', poll() {}, reset() {}, close() {} }; }";

  it('is refused before anything starts where it cannot do one of its roles', () => {
    expect(() => checkOperators(setupWith(onlyOverseer, 1))).toThrow(
      'The operator my pedal cannot be used: create() gave no object.',
    );
    expect(() => checkOperators(setupWith('() => 3', 0))).toThrow('create() gave no object');
  });

  it('need not know a role that its task has no use for', () => {
    expect(() => checkOperators(setupWith(onlyOverseer, 0))).not.toThrow();
  });

  it('decides with an action, as a policy does', () => {
    expect(polled('out.action.fill(-0.5)')).toEqual({
      active: true,
      action: new Float32Array(4).fill(-0.5),
      phase: 'correct',
    });
    const pose = { source: 'pedal', closing: 1, pose: [0, 0, 0, 9] };
    expect(polled(`out.absolute = ${JSON.stringify(pose)}`).absolute).toEqual(pose);
    // The action of an inactive operator is ignored.
    expect(polled('out.active = false; out.action.fill(Number.NaN)').active).toBe(false);
  });

  it.each([
    ['out.action[1] = Number.NaN', 'The operator my pedal gave [0, NaN, 0, 0], an action is 4 numbers from −1 to 1.'],
    ['out.action[3] = 7', 'The operator my pedal gave [0, 0, 0, 7], an action is 4 numbers from −1 to 1.'],
    ['out.action = new Float32Array(9)', 'it replaced the action of a command, which it is to fill'],
    ["out.phase = 'help'", 'its phase is help, neither recover nor correct'],
    ["out.absolute = { source: 'p', closing: 1, pose: [0, 0, 0, 0, 0] }", 'its pose is not 4 numbers'],
    ['out.absolute = null', 'its pose is not 4 numbers'],
  ])('is refused for %s', (body, message) => {
    expect(() => polled(body)).toThrow(
      expect.objectContaining({ name: 'ReinError', message: expect.stringContaining(message) }),
    );
  });
});
