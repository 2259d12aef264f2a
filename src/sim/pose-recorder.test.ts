import { expect, it } from 'vitest';
import type { Scene } from '../drivers/index.ts';
import { PoseRecorder } from './pose-recorder.ts';

it('a recording has a picture every fifth tick, each its own, and looks at the hole', () => {
  let ticks = 0;
  const scene: Scene = {
    reset: () => undefined,
    geomPoses: (out) => out.fill(ticks),
    geoms: [{ type: 'box', sizeM: [1, 1, 1], rgba: [1, 1, 1, 1], name: 'peg' }],
  };
  const recorder = new PoseRecorder(scene, { jointsRad: [], objects: { hole: [1, 2, 3, 0.1] }, signals: {} }, 0.015);
  for (ticks = 0; ticks < 11; ticks++) recorder.tick();
  const { frames, frameS, focusM, successDepthM, success, geoms } = recorder.finish(true, 200);
  expect(frames.map((frame) => [...frame])).toEqual([0, 5, 10].map((tick) => Array(7).fill(tick)));
  expect({ frameS, focusM, successDepthM, success, names: geoms.map(({ name }) => name) }).toEqual({
    frameS: 0.025,
    focusM: [1, 2, 3],
    successDepthM: 0.015,
    success: true,
    names: ['peg'],
  });
});
