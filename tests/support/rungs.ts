/** Rungs of the ladder as tests ask for them. */
import type { ClimbRequest } from '../../src/bring-up/ladder/climb.ts';
import type { RobotConfig } from '../../src/config/index.ts';

/** What no test of the ladder looks at, beside what it gives. */
export function climbRequest(
  given: Pick<ClimbRequest, 'arm' | 'file' | 'guide' | 'open' | 'out'> & Partial<ClimbRequest>,
): ClimbRequest {
  return {
    port: undefined,
    minutes: 1,
    seed: 1,
    version: '0',
    wallMs: () => 0,
    signal: new AbortController().signal,
    onInterrupt: () => undefined,
    showFindings: () => undefined,
    ...given,
  };
}

/** Six seconds of burn-in at a quarter of its speed; what it starts as a process stands in `dist/`. Resolves to what it has shown. */
export async function burnIn(robot: RobotConfig, file: string, out: string): Promise<string> {
  const built = new URL('../../dist/bring-up/ladder/drive-rung.js', import.meta.url).href;
  const { driveRung } = (await import(built)) as typeof import('../../src/bring-up/ladder/drive-rung.ts');
  return driveRung({
    rung: 'burn-in',
    robot,
    file,
    speedRatio: 0.25,
    minutes: 0.1,
    out,
    seed: 1,
    print: () => undefined,
    signal: new AbortController().signal,
    onInterrupt: () => undefined,
  });
}
