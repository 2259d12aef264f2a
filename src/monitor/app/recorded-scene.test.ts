import { expect, it } from 'vitest';
import { type EpisodeRecording, encodeRecording } from '../../record/index.ts';
import { RecordedScene } from './recorded-scene.ts';

const COUNT = 30;
/** A floor, a wall rotated by 0.3 rad, a peg that sinks, and an invisible shape. */
function recording(): EpisodeRecording {
  const frames = Array.from({ length: COUNT }, (_, i) =>
    Float32Array.from([
      ...[0, 0, -0.02, 1, 0, 0, 0],
      ...[0.3, 0, 0.1, Math.cos(0.15), 0, 0, Math.sin(0.15)],
      ...[0.3, 0.1, 0.3 - 0.004 * i, 1, 0, 0, 0],
      ...[0, 0, 9, 1, 0, 0, 0],
    ]),
  );
  const grey = [0.5, 0.5, 0.5, 1];
  const geoms = [
    { type: 'plane', sizeM: [1, 1, 0.1], rgba: grey, name: 'floor' },
    { type: 'box', sizeM: [0.01, 0.01, 0.1], rgba: grey, name: 'wall' },
    { type: 'box', sizeM: [0.01, 0.01, 0.03], rgba: grey, name: 'peg' },
    { type: 'sphere', sizeM: [1, 0, 0], rgba: [1, 1, 1, 0], name: 'unseen' },
  ];
  return { caption: 'c', success: true, geoms, frames, frameS: 0.04 };
}

it('gives poses, the way of the tip and a cut square to the wall', () => {
  const scene = new RecordedScene(encodeRecording(recording()));
  expect(scene.solids).toEqual([1, 2]);
  expect(scene.floorM).toBeCloseTo(-0.02, 3);
  expect(scene.pose(1, 17).xyz[2]).toBeCloseTo(0.1, 3);
  expect(scene.pose(2, 10).xyz[2]).toBeCloseTo(0.26, 3);
  expect(scene.tips).toHaveLength(COUNT);
  expect(scene.tips[0]![2]).toBeCloseTo(0.27, 3);
  expect(scene.tips.at(-1)![2]).toBeCloseTo(0.154, 3);
  expect(scene.focus).toEqual(scene.tips.at(-1));
  expect(scene.focusYaw).toBeCloseTo(0.3, 3);
  // All visible shapes, and none of the invisible.
  expect(scene.centre[2]).toBeLessThan(0.3);
  expect(scene.radiusM).toBeLessThan(0.3);
});

it('is an empty scene for an empty recording', () => {
  const scene = new RecordedScene(encodeRecording({ ...recording(), frames: [] }));
  expect([scene.solids, scene.tips, scene.focus, scene.floorM]).toEqual([[], [], null, null]);
  expect([scene.centre, scene.radiusM]).toEqual([[0, 0, 0], 1]);
});
