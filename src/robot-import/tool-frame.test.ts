import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { importRobot } from '../plant/mujoco.ts';
import { toolOf } from './tool-frame.ts';

const MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>';
const BOX = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>';
const part = (name: string): string => `<link name="${name}">${MASS}${BOX}</link>`;
const frame = (name: string): string => `<link name="${name}"/>`;
const moves = (name: string, parent: string, child: string, more = ''): string =>
  `<joint name="${name}" type="revolute"><parent link="${parent}"/><child link="${child}"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>${more}</joint>`;
const holds = (name: string, parent: string, child: string): string =>
  `<joint name="${name}" type="fixed"><parent link="${parent}"/><child link="${child}"/></joint>`;

/** Arm of two joints that ends in the part `hand`, with `more` behind it. */
const arm = (more: string): string =>
  `<robot name="r">${['base', 'upper', 'hand'].map(part).join('')}${moves('shoulder', 'base', 'upper')}${moves('wrist', 'upper', 'hand')}${more}</robot>`;

async function toolIn(
  more: string,
  fixed: readonly string[] = [],
): Promise<{ tool: string; link: string; fingers: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'rein-tool-'));
  try {
    const file = join(folder, 'r.urdf');
    writeFileSync(file, arm(more));
    const { frame: chosen, fingers } = toolOf(await importRobot(file, (joint) => fixed.includes(joint)));
    return { tool: chosen.name, link: chosen.link, fingers: fingers.join(' ') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('the tool of an imported robot', () => {
  it('is the frame that the file names for it, and not the jaw behind it', async () => {
    const jaw = `${part('moving_jaw')}${moves('gripper', 'hand', 'moving_jaw')}`;
    expect(await toolIn(`${jaw}${frame('gripper_frame_link')}${holds('f', 'hand', 'gripper_frame_link')}`)).toEqual({
      tool: 'gripper_frame_link',
      link: 'wrist',
      fingers: 'gripper',
    });
  });

  it('is the last part before the fingers where no frame is named', async () => {
    const fingers = `${part('left')}${part('right')}${moves('a', 'hand', 'left')}${moves('b', 'hand', 'right')}`;
    expect(await toolIn(fingers)).toEqual({ tool: 'hand', link: 'wrist', fingers: 'a b' });
  });

  it('is never on a finger that stands still', async () => {
    const followers = `${part('left')}${part('right')}${moves('finger1', 'hand', 'left')}${moves('finger2', 'hand', 'right', '<mimic joint="finger1"/>')}`;
    expect(
      await toolIn(`${followers}${frame('hand_tcp')}${holds('t', 'hand', 'hand_tcp')}`, ['finger1', 'finger2']),
    ).toMatchObject({
      tool: 'hand_tcp',
      link: 'wrist',
    });
    expect(await toolIn(followers, ['finger1', 'finger2'])).toMatchObject({ tool: 'hand', link: 'wrist' });
    expect(await toolIn(followers, ['finger2'])).toEqual({ tool: 'hand', link: 'wrist', fingers: 'finger1' });
  });

  it('prefers the point between the fingers to the flange', async () => {
    const names = ['flange', 'tool0', 'my_tcp', 'camera_frame'];
    const frames = names.map((name, i) => `${frame(name)}${holds(`f${i}`, 'hand', name)}`).join('');
    expect((await toolIn(frames)).tool).toBe('my_tcp');
    expect((await toolIn(frames.replaceAll('my_tcp', 'spare'))).tool).toBe('tool0');
  });

  it('takes a part for no frame, whatever it is called', async () => {
    expect(
      (
        await toolIn(
          `${part('tcp_cover')}${holds('c', 'hand', 'tcp_cover')}${frame('ee_link')}${holds('e', 'hand', 'ee_link')}`,
        )
      ).tool,
    ).toBe('ee_link');
  });

  it('is the end of the last link of an arm without fingers, and of one with nothing but a joint called so', async () => {
    expect(await toolIn('')).toMatchObject({ tool: 'hand', link: 'wrist', fingers: '' });
  });
});
