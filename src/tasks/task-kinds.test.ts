import { expect, it } from 'vitest';
import { checkScripted, sceneOf, type TaskConfig } from './task-kinds.ts';

const taskOf = (kind: string): TaskConfig => ({ kind, name: 'own' }) as TaskConfig;

it('names the kind of a task that has an operator but no scene: nobody is said to judge it', () => {
  expect(() => checkScripted(taskOf('plugin'))).not.toThrow();
  expect(() => sceneOf(taskOf('plugin'))).toThrow('Task own is of the kind plugin, which has no simulated scene.');
});

it('says of a task without an operator that people judge it', () => {
  for (const ask of [checkScripted, sceneOf]) {
    expect(() => ask(taskOf('operatorJudged'))).toThrow('Task own is judged by people');
  }
});
