import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { readJournal } from '../../src/link/index.ts';
import { Rng } from '../../src/model/index.ts';
import { faultRow } from '../support/fault-row.ts';
import { freeAddress } from '../support/free-port.ts';
import { LinkProcesses } from '../support/link-processes.ts';

const TOTAL = 4000;
const KILLS = 10;
const processes = new LinkProcesses();
let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'link-kill-'));
});
afterEach(() => {
  processes.kill();
  rmSync(dir, { recursive: true, force: true });
});

describe('the link between two processes', () => {
  faultRow(
    [5, 26],
    'process',
    'delivers every journalled transition exactly once when either side is killed again and again',
    async () => {
      const rng = new Rng(Date.now() % 2 ** 31);
      const seed = rng.state();
      const address = await freeAddress();
      const log = join(dir, 'learner.log');
      const startLearner = () => processes.start('link-learner.js', address, log);
      const startRobot = () => processes.start('link-robot.js', address, join(dir, 'journal'), String(TOTAL), log);
      let learner = startLearner();
      let robot = startRobot();
      for (let kill = 0; kill < KILLS; kill++) {
        await delay(rng.uniformIn(120, 420));
        const isLearner = rng.uniform() < 0.5;
        const victim = isLearner ? learner : robot;
        victim.child.kill('SIGKILL');
        await victim.exit;
        if (isLearner) learner = startLearner();
        else robot = startRobot();
      }
      expect(await robot.exit, `seed ${seed}`).toBe(0);
      learner.child.stdin?.end();
      expect(await learner.exit, `seed ${seed}`).toBe(0);

      const counters = JSON.parse(robot.output().split('\n').at(-2)!);
      const recorded = [...readJournal(join(dir, 'journal'))].map((t) => `${t.epoch} ${t.seq} ${t.step}`);
      const delivered = readFileSync(log, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => line.slice(line.indexOf(' ') + 1));
      expect(delivered, `seed ${seed}`).toEqual(recorded);
      expect(delivered.map((line) => Number(line.split(' ')[2]))).toEqual(Array.from({ length: TOTAL }, (_, i) => i));
      expect(counters).toMatchObject({ isDrained: true, acked: TOTAL, duplicated: 0, lost: 0, pending: 0 });
    },
  );
});
