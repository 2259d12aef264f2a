/** How configured values are written: every number with its unit, range and sentence, in a zod schema beside the code that it configures. */
export { allowedText, type JsonSchema, jsonSchemaOf, keysOf, rangeText, refusalOf, schemaAt } from './allowed.ts';
export {
  type Configured,
  group,
  name,
  num,
  reference,
  six,
  triple,
  whole,
} from './fields.ts';
