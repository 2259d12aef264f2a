import { expect, it } from 'vitest';
import { mockAction, mockModel } from '../../tests/support/mock-guard.ts';
import { loadRobotFile } from '../config/index.ts';
import { ReinError } from '../model/index.ts';
import { parseGuardConfig } from './guard-config.ts';

const config = {
  model: mockModel,
  action: mockAction,
  policyPeriodS: 0.1,
  driver: { name: 'mock', options: {} },
  socketPath: '/tmp/guard.sock',
  authority: 'node',
  realTimePriority: 'no',
};

const plugin = { name: 'plugin', options: { module: '/arm.js', signalNames: [], options: {} } };

const parse = (changed: object) => parseGuardConfig(JSON.stringify({ ...config, ...changed }));

it('is what was written', () => {
  expect(parse({})).toEqual(JSON.parse(JSON.stringify(config)));
});

it("makes a base's axes from its limits, whatever the file says of them", () => {
  const { driver: _, ...model } = loadRobotFile('base-diff-ros').robot;
  const [x, yaw] = model.joints;
  const faster = { ...model, joints: [{ ...x, velocityMaxRadPerS: 100 }, yaw] };
  expect(parse({ model: faster }).model).toEqual(model);
});

it.each<[string, object, RegExp]>([
  ['a limit that is no number', { model: { ...mockModel, leashM: null } }, /leashM must be a number > 0, got null/],
  ['a leash that is none', { model: { ...mockModel, leashRad: -1 } }, /leashRad must be a number > 0, got -1/],
  ['a joint without a limit', { model: { ...mockModel, joints: [{ name: 'a' }] } }, /joints\.0\.originXyzM/],
  ['a driver that nobody knows', { driver: { name: 'mok', options: {} } }, /driver\.name must be .*"mock"/],
  ['options of another driver', { driver: { name: 'mock', options: { leash: 1 } } }, /driver\.options\.leash is not/],
  ['an authority that nobody has', { authority: 'anybody' }, /authority must be "supervisor" or "node", got "anybody"/],
  [
    'time that a test moves, for what may be real',
    { driver: plugin, timing: 'lock-step' },
    /timing must be left out: the driver \/arm\.js may/,
  ],
  ['a guard that is not warmed up', { driver: plugin, warmUp: false }, /warmUp must be true, got false/],
  ['a key too many', { hurry: true }, /hurry is not known/],
])('refuses %s, by its name', (_, changed, message) => {
  expect(() => parse(changed)).toThrow(ReinError);
  expect(() => parse(changed)).toThrow(message);
});
