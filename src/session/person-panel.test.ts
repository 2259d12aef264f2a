import { expect, it } from 'vitest';
import { until } from '../../tests/support/until.ts';
import { SystemClock } from '../core/index.ts';
import { PersonPanel } from './person-panel.ts';
import type { LiveSession } from './session.ts';

const ACTION = { dimensions: [{ name: 'x', unit: 'm' }] };

function panelOf(session: Partial<LiveSession>): { readonly panel: PersonPanel; readonly said: string[] } {
  const said: string[] = [];
  const options = { action: ACTION as never, clock: new SystemClock(), report: (line: string) => void said.push(line) };
  const panel = new PersonPanel(options);
  panel.attach(session as LiveSession);
  return { panel, said };
}

it('saves one policy after the other, and goes on after one that could not be saved', async () => {
  let [asked, busy, most] = [0, 0, 0];
  const { panel, said } = panelOf({
    savePolicy: async () => {
      const version = ++asked;
      most = Math.max(most, ++busy);
      await new Promise((resolve) => setTimeout(resolve, 5));
      busy--;
      if (version === 2) throw new Error('no room');
      return { path: 'policy.onnx', version };
    },
  });
  for (let i = 0; i < 3; i++) panel.ask({ kind: 'savePolicy' });
  await until(() => said.length === 3, 'what became of them');
  expect(most).toBe(1);
  expect(said[0]).toBe('Policy 1 is saved: policy.onnx');
  expect(said[1]).toContain('no room');
  expect(said[2]).toBe('Policy 3 is saved: policy.onnx');
});

it('stops whenever it is said, and tells it once', () => {
  const { panel, said } = panelOf({});
  for (let i = 0; i < 20; i++) panel.ask({ kind: 'stop' });
  expect(panel.teleop.isStopRequested).toBe(true);
  expect(said).toEqual(['Stopped from the monitor: the robot holds until somebody starts it again.']);
});
