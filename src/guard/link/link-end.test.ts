/** Notices for a node that connects later: lasting conditions and recent news, never old news as new. */
import { describe, expect, it } from 'vitest';
import type { GuardNotice } from '../../rows/index.ts';
import { LinkEnd } from './link-end.ts';

const died: GuardNotice = { level: 'error', row: 25, message: 'It died.', remedy: '', condition: 'bridge' };
const back: GuardNotice = {
  level: 'info',
  row: 25,
  message: 'It is back.',
  remedy: '',
  condition: 'bridge',
  isOver: true,
};
const rare: GuardNotice = {
  level: 'warn',
  row: 10,
  message: 'Too rare.',
  remedy: '',
  condition: 'bridge/measurements',
};
const stopped: GuardNotice = { level: 'error', row: 25, message: 'Stopped past the guard.', remedy: '' };

class Acknowledging extends LinkEnd {
  acknowledged(): void {
    this.forgetNews();
  }
}

let nowMs = 0;

function kept(): { readonly links: Acknowledging; readonly later: () => readonly GuardNotice[] } {
  nowMs = 0;
  const links = new Acknowledging(
    { joints: 1, signals: 0, actions: 1, controlHz: 100, timing: 'lock-step' },
    () => nowMs,
  );
  const later = (): readonly GuardNotice[] => {
    const heard: GuardNotice[] = [];
    links.onNotice((notice) => heard.push(notice))();
    return heard;
  };
  return { links, later };
}

describe('a listener who comes later', () => {
  it('is told what has just been said', () => {
    const { links, later } = kept();
    links.notify(stopped);
    nowMs = 4000;
    expect(later()).toEqual([stopped]);
  });

  it('is not told what somebody has acknowledged, and told what lasts all the same', () => {
    const { links, later } = kept();
    links.notify(stopped);
    links.notify(rare);
    links.acknowledged();
    expect(later()).toEqual([rare]);
  });

  it('is not told half a minute later what was news then', () => {
    const { links, later } = kept();
    for (const notice of [died, stopped, back]) links.notify(notice);
    nowMs = 35_000;
    expect(later()).toEqual([]);
  });

  it('is told at any time what lasts, until it is over', () => {
    const { links, later } = kept();
    links.notify(rare);
    nowMs = 3_600_000;
    expect(later()).toEqual([rare]);
    links.notify({ ...rare, level: 'info', message: 'Often enough again.', isOver: true });
    nowMs += 6000;
    expect(later()).toEqual([]);
  });

  it('is told nothing more of what a process had found that has died', () => {
    const { links, later } = kept();
    links.notify(rare);
    links.notify(died);
    nowMs = 6000;
    expect(later()).toEqual([died]);
  });

  it('hears the newest of one condition only, and no more than sixteen', () => {
    const { links, later } = kept();
    links.notify({ ...rare, message: 'Nobody publishes it.' });
    links.notify(rare);
    expect(later()).toEqual([rare]);
    for (let i = 0; i < 20; i++) links.notify({ ...stopped, message: `Stopped ${i}.` });
    expect(later()).toHaveLength(16);
    // One-off notices do not displace a lasting condition.
    expect(later()[0]).toEqual(rare);
  });
});
