/** Configuration values: every number with its unit, range and sentence, in a zod schema beside the code that it configures. */
export { actionSchema, dimensionSchema } from './action.ts';
export { agreed, agreedOf, mayDiffer } from './agreement.ts';
export {
  allowedText,
  exampleText,
  type JsonSchema,
  jsonSchemaOf,
  keysOf,
  rangeText,
  refusalOf,
  schemaAt,
} from './allowed.ts';
export { box, type Configured, group, name, num, pluginGroup, pluginKeys, reference, triple, whole } from './fields.ts';
export { count, readerOf } from './message.ts';
export {
  BY_WHO_DECIDES,
  collect,
  configOption,
  forceOption,
  keyValueOption,
  listOf,
  monitorOptions,
  type OptionField,
  oneOf,
  option,
  optionFields,
  optionsOf,
  outputOption,
  path,
  pathOption,
  positiveNumber,
  recordOption,
  seconds,
  seedOption,
  share,
  speedModeOption,
  startOption,
  switchOption,
  taskOption,
  tcpAddress,
  text,
  traceOption,
  valueReader,
  wholeNumber,
} from './option.ts';
export { armModel, BASE_NEEDS, baseModel, jointLimits } from './robot-model.ts';
export { capsuleSchema, contactSchema, keepOutSchema, pointsSchema, tankSchema } from './robot-parts.ts';
