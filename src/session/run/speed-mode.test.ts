import { describe, expect, it } from 'vitest';
import { loadRobotFile, resolveConfig } from '../../config/index.ts';
import { checkRunRequest } from '../run-request.ts';
import { guardConfigOf } from './prepare-run.ts';
import { askedSpeedMode, inSpeedMode, speedModeLine, speedModeOf } from './speed-mode.ts';

const { robot: arm } = loadRobotFile('arm7');
const { robot: car } = loadRobotFile('race-car');

describe('reduced speed', () => {
  it('is 0.25 m/s, or what the file says, and never more than its own limit', () => {
    expect(inSpeedMode(arm, 'reduced').toolSpeedMaxMPerS).toBe(0.25);
    expect(inSpeedMode({ ...arm, reducedSpeedMPerS: 0.1 }, 'reduced').toolSpeedMaxMPerS).toBe(0.1);
    expect(inSpeedMode({ ...arm, toolSpeedMaxMPerS: 0.2 }, 'reduced').toolSpeedMaxMPerS).toBe(0.2);
    expect(inSpeedMode(arm, 'full')).toBe(arm);
  });

  it('is what the guard of a run is started with, where that is asked for', () => {
    const config = resolveConfig({ task: 'insert', seed: 0 });
    const place = { socketPath: '/s', authority: 'supervisor' } as const;
    expect(guardConfigOf(config, [], { ...place, speedMode: 'reduced' }).model.toolSpeedMaxMPerS).toBe(0.25);
    expect(guardConfigOf(config, [], place).model.toolSpeedMaxMPerS).toBe(undefined);
  });

  it('is told with how to leave it; full speed is not told of', () => {
    expect(speedModeLine(arm, 'reduced')).toBe(
      'Reduced speed: no point of arm7 is moved faster than 0.25 m/s. For full speed start with --speed-mode full.',
    );
    expect(speedModeLine(arm, 'full')).toBe(undefined);
  });

  it('is what a run begins in where only people drive, unless they say otherwise', () => {
    const task = {};
    expect(askedSpeedMode({}, task)).toBe('reduced');
    expect(askedSpeedMode({ policy: 'p.onnx' }, task)).toBe('full');
    expect(askedSpeedMode({ learner: 'tcp://127.0.0.1:7350' }, task)).toBe('full');
    expect(askedSpeedMode({}, { policyPlugin: { module: './own.js', options: {} } })).toBe('full');
    for (const speedMode of ['full', 'reduced'] as const)
      for (const policy of ['p.onnx', undefined]) expect(askedSpeedMode({ speedMode, policy }, task)).toBe(speedMode);
  });

  it('is left by what each command that tells of it accepts', () => {
    expect(speedModeLine(arm, 'reduced', 'speed_mode:=full')).toContain('start with speed_mode:=full.');
    expect(checkRunRequest({ speedMode: 'full' }).speedMode).toBe('full');
    expect(checkRunRequest({}).speedMode).toBe(undefined);
  });

  it('is not of a mobile base, which has no tool', () => {
    expect(speedModeOf(car, 'reduced')).toBe('full');
  });
});
