/** Rows as tables of fields: memory, copies, bytes and types from one list. Imports nothing. */
export { type ByteCodec, byteCodecOf, putU64, takeU64 } from './bytes.ts';
export { codecOf, type RowCodec } from './codec.ts';
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
