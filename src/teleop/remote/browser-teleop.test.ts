import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../tests/support/fake-clock.ts';
import type { ActionSpec } from '../../model/index.ts';
import type { TeleopCommand } from '../teleop-source.ts';
import { type BrowserPose, BrowserTeleop } from './browser-teleop.ts';

const action: ActionSpec = { kind: 'cartesian', dimensions: [{ name: 'x', scale: 0.01, unit: 'm' }] };

class Page {
  readonly clock = new FakeClock(1_000_000_000n);
  readonly teleop = new BrowserTeleop({ action, clock: this.clock });
  readonly #command: TeleopCommand = { active: false, action: new Float32Array(1), phase: 'correct' };

  say(pose: BrowserPose | undefined, wanted = [0]): void {
    const shownAtS = this.clock.nowS();
    const isEnabled = pose === undefined || pose.closing !== 0;
    this.teleop.onInput({ shownAtS, isEnabled, isRecovering: false, action: wanted, pose });
  }

  /** The number of the closing that moves the robot now, 0 for none; `undefined` while rates do. */
  closing(): number | undefined {
    this.teleop.poll(new Float32Array(1), 0, this.#command);
    return this.#command.absolute?.closing;
  }
}

describe('a hand on a page', () => {
  it('moves nothing before its person has taken over, and gives another number at each closing', () => {
    const page = new Page();
    page.say({ closing: 1, at: [0] });
    expect(page.closing()).toBe(undefined);
    page.teleop.begin({ shownAtS: page.clock.nowS(), device: 'webxr phone' });
    page.say({ closing: 1, at: [0] });
    const first = page.closing()!;
    expect(first).toBeGreaterThan(0);
    page.say({ closing: 0, at: [0] });
    expect(page.closing()).toBe(0);
    page.say({ closing: 2, at: [0] });
    expect(page.closing()).not.toBe(first);
    // From a page with the same closing numbers.
    const second = page.closing();
    page.teleop.begin({ shownAtS: page.clock.nowS(), device: 'webxr phone' });
    page.say({ closing: 2, at: [0] });
    expect(page.closing()).not.toBe(second);
  });

  it('is let go of when it is heard no more, and where keys are pressed', () => {
    const page = new Page();
    page.teleop.begin({ shownAtS: page.clock.nowS(), device: 'webxr phone' });
    page.say({ closing: 1, at: [0.1] });
    expect(page.closing()).toBeGreaterThan(0);
    page.clock.advanceMs(300);
    expect(page.closing()).toBe(0);
    expect(page.teleop.isStopRequested).toBe(true);
    page.say({ closing: 1, at: [0.2] });
    expect(page.closing()).toBe(0);
    page.teleop.giveBack();
    page.teleop.begin({ shownAtS: page.clock.nowS(), device: 'keyboard' });
    page.say(undefined);
    expect(page.closing()).toBe(undefined);
  });

  it.each([
    ['yet to come', (nowS: number) => nowS + 1],
    ['of long ago', (nowS: number) => nowS - 1],
    ['that is no number', () => Number.NaN],
  ])('takes over and moves nothing with a stamp %s', (_, stampOf) => {
    const page = new Page();
    const shownAtS = stampOf(page.clock.nowS());
    expect(page.teleop.begin({ shownAtS, device: 'keyboard' })).toBe(false);
    expect(page.teleop.isInControl).toBe(false);
    page.teleop.begin({ shownAtS: page.clock.nowS(), device: 'keyboard' });
    for (const action of [[0], [1]]) page.teleop.onInput({ shownAtS, isEnabled: true, isRecovering: false, action });
    expect(page.teleop.counters.taken).toBe(0);
  });

  it('stops the robot, and does not count for longer, where the clock went back', () => {
    const page = new Page();
    const out: TeleopCommand = { active: false, action: new Float32Array(1), phase: 'correct' };
    page.teleop.begin({ shownAtS: page.clock.nowS(), device: 'keyboard' });
    for (const wanted of [[0], [1]]) page.say(undefined, wanted);
    page.clock.jumpMs(-500);
    page.teleop.poll(new Float32Array(1), 0, out);
    expect([out.action[0], page.teleop.isStopRequested]).toEqual([0, true]);
  });

  it.each([
    ['of another length', [0, 0]],
    ['that is no number', [Number.NaN]],
  ])('is not heard with a pose %s', (_, at) => {
    const page = new Page();
    page.teleop.begin({ shownAtS: page.clock.nowS(), device: 'webxr phone' });
    page.say({ closing: 1, at });
    expect(page.closing()).toBe(undefined);
    expect(page.teleop.counters.malformed).toBe(1);
  });
});
