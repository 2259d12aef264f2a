/** Rows as tables of fields: memory, copies, bytes and types from one list. Imports nothing. */
export { codecOf, lengthOf, type RowCodec } from './codec.ts';
export {
  type CounterField,
  counter,
  doubles,
  flag,
  floats,
  inside,
  number,
  numberOf,
  type RowOf,
  type SourceOf,
  type Table,
  type ViewOf,
  whole,
  word,
} from './fields.ts';
