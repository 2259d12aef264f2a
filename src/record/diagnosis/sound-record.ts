/** Validation of records: those received over the network or from an edited file may hold anything. */
import type { MetricRecord } from '../metric-records.ts';

type Fields = Readonly<Record<string, unknown>>;

const MOST_PAIRS = 512;

/** Fields that checks rely on, by kind; numbers that were not finite are null in JSON. */
const SOUND: Readonly<Record<string, (record: Fields) => boolean>> = {
  setup: (record) =>
    areCounts(record, ['stateSize', 'actionSize', 'maxSteps', 'demonstrations']) && isLearner(record['learner']),
  steps: isSteps,
  update: (record) =>
    typeof record['update'] === 'number' && areNumbers(record, ['qMean', 'entropy', 'temperature'], 'or null'),
  values: (record) => areNumbers(record, ['update', 'demonstrationQ', 'demonstrationReturn']),
  pretraining: (record) =>
    areNumbers(record, ['update']) && areNumbers(record, ['loss', 'demonstrationQ', 'demonstrationReturn'], 'or null'),
  calibration: ({ pairs }) => Array.isArray(pairs) && pairs.length <= MOST_PAIRS && pairs.every(isPair),
  episode: (record) => areNumbers(record, ['steps', 'returnSum']),
  verdict: () => true,
};

/** True if the record is of a kind that checks use, and complete. Never throws. */
export function isSound(record: MetricRecord): boolean {
  // An unknown kind may be a name that every object has, such as `constructor`.
  return Object.hasOwn(SOUND, record.kind) && SOUND[record.kind]!(record as unknown as Fields);
}

function isSteps(record: Fields): boolean {
  const { ends, reward, observation, contradiction, answers } = record as Readonly<Record<string, Fields | undefined>>;
  return (
    areNumbers(record, ['steps', 'policySteps', 'changed', 'standing', 'frozen', 'stepsOfVersion', 'policyVersion']) &&
    (answers === undefined || isListOf(answers, (item) => item === null || isPair(item))) &&
    (contradiction === undefined || areNumbers(contradiction, ['pairs', 'opposed'])) &&
    [ends?.['atOnce'], record['askedSquares'], record['askedExecuted']].every((v) => v === undefined || isNumber(v)) &&
    areNumbers(ends, ['ended', 'decided', 'timeLimit', 'cut', 'helped', 'paid', 'decidedSteps']) &&
    areNumbers(reward, ['least', 'most']) &&
    [reward?.['values'], reward?.['firstValues']].every((values) => values === null || isListOf(values, isPair)) &&
    [record['atLow'], record['atHigh']].every((values) => isListOf(values, isNumber)) &&
    ['sum', 'squares', 'same', 'smooth', 'glitches'].every((name) => isListOf(observation?.[name], isNumber))
  );
}

function isLearner(learner: unknown): boolean {
  const names = ['utd', 'warmupSteps', 'publishEverySteps', 'discount', 'rewardScale', 'rewardShift', 'entropyTarget'];
  return learner === null || areNumbers(learner as Fields | undefined, names);
}

function areCounts(record: Fields, names: readonly string[]): boolean {
  return names.every((name) => Number.isSafeInteger(record[name]) && (record[name] as number) >= 0);
}

function areNumbers(record: Fields | undefined, names: readonly string[], or?: 'or null'): boolean {
  return names.every((name) => isNumber(record?.[name]) || (or === 'or null' && record?.[name] === null));
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isPair(value: unknown): boolean {
  return isListOf(value, isNumber) && value.length === 2;
}

function isListOf(value: unknown, is: (item: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(is);
}
