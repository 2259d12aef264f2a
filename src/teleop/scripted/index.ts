export { PegInserter, type PegInserterOptions } from './peg-inserter.ts';
export { ScriptedOperator, type TakeOverRule } from './scripted-operator.ts';
