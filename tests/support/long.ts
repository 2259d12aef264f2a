/** Whether this is `npm run test:long`: further paths of a claim of which `npm test` takes one. */
export const IS_LONG: boolean = process.env['REIN_LONG_TESTS'] === '1';
