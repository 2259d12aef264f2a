/** `rein safety identify` in real time, for tests that look at it from outside: its files, its processes, and what stands for a real arm. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { childOf, type Motion, mockArm6, motionIn, until } from './live-run.ts';
import { endLeftovers, Rein } from './rein.ts';

/** A folder in which one arm after another is identified; `clear` ends what still runs. */
export class IdentifyFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'rein-identify-'));

  at(name: string): string {
    return join(this.path, name);
  }

  /** What the guard logged of motion so far. */
  motion(): Motion[] {
    return motionIn(this.at('piece.guard.log'));
  }

  hasMoved(): boolean {
    return this.motion().some(({ state }) => state === 'active.policy');
  }

  /** It was moved, came to rest after that, and nobody moves it any more. */
  expectStanding(): void {
    const entries = this.motion();
    const movedLast = entries.findLastIndex(({ state }) => state === 'active.policy');
    expect(movedLast).toBeGreaterThan(0);
    expect(entries.slice(movedLast).map(({ event }) => event)).toContain('stands');
    expect(entries.at(-1)).toMatchObject({ decider: 'hold' });
  }

  expectNothingWritten(): void {
    expect(existsSync(this.at('piece.yaml'))).toBe(false);
    expect(existsSync(this.at('found.json'))).toBe(false);
  }

  /** A simulated arm that is identified for longer than any test waits, once it moves. */
  async moving(): Promise<{ readonly run: Rein; readonly guard: number; readonly node: number }> {
    const run = new Rein(identify('arm6', '--real-time', '--duration', '30', '--json', 'found.json'), this.path);
    await until(() => this.hasMoved(), 'motion');
    return { run, guard: childOf(run.child, 'guard-process'), node: childOf(run.child, 'identify-process') };
  }

  clear(): void {
    endLeftovers();
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Arguments that write to `piece.yaml`. */
export function identify(...args: string[]): string[] {
  return ['safety', 'identify', ...args, '--out', 'piece.yaml'];
}

/** `arm6` behind the mock driver, which stands for a real one; without torques it measures none. */
export function realArm(torqueNm?: readonly number[]): string {
  const torques = torqueNm === undefined ? '' : `  torqueNm: [${torqueNm.join(', ')}]\n`;
  return without(mockArm6(torques), 'torqueObserver');
}

/** The shipped arm's file without one of its parts. */
export function arm6Without(part: string): string {
  return without(readFileSync(new URL('../../config/robots/arm6.yaml', import.meta.url), 'utf8'), part);
}

/** The text of a robot's file without one of its parts. */
export function without(robot: string, part: string): string {
  return robot.replace(new RegExp(`^${part}:\\n(?: .*\\n)+`, 'm'), '');
}
