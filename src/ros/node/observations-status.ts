/** How the observation topics are, for diagnostics. */
import { withRow } from '../../safety/index.ts';
import type { TopicObservation } from '../observations/topic-observation.ts';
import type { PartStatus } from './diagnostics.ts';

export function observationsStatus(observations: readonly TopicObservation[], nowS: number): PartStatus {
  const part = 'observations';
  if (observations.length === 0) return { part, level: 'ok', message: 'The task reads no topics.', values: {} };
  const problems = observations.flatMap((observation) => observation.problems(nowS));
  const values = Object.fromEntries(
    observations.flatMap((observation) => {
      const { name, counters } = observation;
      const ageMs = observation.ageMs(nowS);
      return [
        [`${name}.topic`, observation.topic.topic],
        [`${name}.ageMs`, Number.isFinite(ageMs) ? ageMs.toFixed(0) : 'never'],
        [`${name}.rateHz`, observation.rateHz(nowS).toFixed(1)],
        [`${name}.malformed`, counters.malformed],
      ];
    }),
  );
  const [first] = problems;
  if (first === undefined) return { part, level: 'ok', message: 'All topics are fresh.', values };
  const hasNone = observations.every((observation) => observation.counters.taken === 0);
  return { part, level: hasNone ? 'stale' : 'error', message: withRow(first.sentence, first.row), values };
}
