import { describe, expect, it } from 'vitest';
import { Consent } from './identify-robot.ts';

describe('a key that lets the arm move', () => {
  it('counts for nothing before it was announced, in the second after that, and once all is over', () => {
    const consent = new Consent();
    expect(consent.takes(1)).toBe(false);
    consent.announced(10);
    expect(consent.takes(9.9)).toBe(false);
    expect(consent.takes(11.5)).toBe(true);
    expect(consent.takes(12)).toBe(true);
    consent.end();
    expect(consent.takes(20)).toBe(false);
  });

  it('does not count while it is held down since before', () => {
    const consent = new Consent();
    consent.announced(10);
    for (let nowS = 9; nowS < 15; nowS += 0.03) expect(consent.takes(nowS)).toBe(false);
    expect(consent.takes(16.1)).toBe(true);
  });
});
