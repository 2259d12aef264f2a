/** What `rein run` does: guard and node of one robot in real time. */
import { ReinError } from '../../core/index.ts';
import type { RunRobotOptions } from '../../runtime/index.ts';

export async function runBody(_options: RunRobotOptions): Promise<number> {
  throw new ReinError('environment', 'rein run is not wired yet');
}
